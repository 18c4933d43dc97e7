"""Build the model that the bot serves, one step at a time or all at once."""

from __future__ import annotations

import argparse
import dataclasses
import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from model_build import profile as profiles
from model_build import work as processes
from model_build.options import parser
from model_build.work import GRAPH, StepError, Work
from toxic_bot.judge.errors import ToxicBotError

if TYPE_CHECKING:
    from model_build.evaluation import latency
    from model_build.rows import dataset
    from model_build.training import distillation


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return the exit status."""
    options = parser().parse_args(arguments)
    # Idle threads must sleep: next to other work, spinning takes most of the CPU.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    level = logging.INFO if processes.IS_FIRST else logging.WARNING
    logging.basicConfig(level=level, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    for client in ("httpx", "httpx2"):
        logging.getLogger(client).setLevel(logging.WARNING)
    try:
        _run(options)
    except ToxicBotError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        print(f"error: {error}: install the project's 'build' dependencies", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped: run the same command again to resume", file=sys.stderr)
        return 130
    return 0


def _run(options: argparse.Namespace) -> None:
    if processes.PROCESSES > 1 and options.command != "train":
        raise StepError(f"only 'train' runs under torchrun: run {options.command!r} without it")
    # Each step is imported only when it runs: PyTorch alone takes seconds to import.
    if options.command == "random-checkpoint":
        from model_build.training import random_checkpoint

        random_checkpoint.write(options.output)
        return
    if options.command == "fp16":
        from model_build.package import fp16

        fp16.write(options.model, options.output)
        return
    profile = profiles.find(options.profile)
    work = Work(options.work or Path("build") / profile.name)
    force = options.force
    if options.command == "data":
        from model_build.rows import dataset

        dataset.run(work, _data_settings(options), force=force)
    elif options.command == "lexicon":
        from model_build.rows import lexicon

        lexicon.write(work, options.model, options.output)
    elif options.command == "train":
        from model_build.training import finetuning

        finetuning.run(
            work,
            profile,
            checkpoint=options.checkpoint,
            training=_training(profile, options),
            seed=options.seed,
            force=force,
        )
    elif options.command == "distill":
        from model_build.training import distillation

        settings = _distillation_settings(options, options.student)
        training = _with_options(distillation.default_training(profile, settings), options)
        distillation.run(work, profile, settings, training=training, seed=options.seed, force=force)
    elif options.command == "benchmark":
        from model_build.evaluation import latency

        latency.run(work, _measurement(options), baseline=options.baseline)
    elif options.command == "prune":
        from model_build.training import pruning

        removal = pruning.Settings(options.heads, options.neurons, options.rows, options.block)
        pruning.run(work, profile, removal, checkpoint=options.checkpoint, force=force)
    elif options.command == "prune-table":
        from model_build.evaluation import pruning_table

        shares = tuple(options.shares)
        compared = pruning_table.Settings(
            shares, options.rows, options.steps, tuple(options.taught or shares)
        )
        pruning_table.run(
            work, profile, compared, _measurement(options), checkpoint=options.checkpoint
        )
    elif options.command == "average":
        from model_build.training import averaging

        averaging.run(work, tuple(options.checkpoint), force=force)
    elif options.command == "export":
        from model_build.graph import export

        export.run(work, source=options.source, force=force)
    elif options.command == "optimize":
        from model_build.graph import optimization

        optimization.run(work, force=force)
    elif options.command == "quantize":
        from model_build.graph import quantization

        quantization.run(work, fp16=options.fp16, force=force)
    elif options.command == "kinds" and options.model:
        from model_build.package import relearning

        relearning.run(work, options.model, options.output)
    elif options.command == "kinds":
        from model_build.graph import kinds_head

        kinds_head.run(work, as_trained=options.as_trained, force=force)
    elif options.command == "early-exit":
        from model_build.evaluation import exit_rules

        exit_rules.run(work, max_changed=options.changed, force=force)
    elif options.command == "package":
        from model_build.package import folder as package

        package.run(work, profile, options.output, force=force)
    elif options.command == "calibrate":
        from model_build.package import recalibration

        recalibration.run(work, options.output)
    elif options.command == "second-opinion":
        from model_build.package import second_opinion

        second_opinion.run(work, options.output)
    elif options.command == "evaluate-read":
        from model_build.evaluation import read_rows

        read_rows.run(options.model, [Path(folder) for folder in options.data], options.split)
    elif options.command == "evaluate" and options.feedback:
        from model_build.evaluation import approval

        approval.run(work, options.model, options.feedback, force=force)
    elif options.command == "evaluate":
        from model_build.evaluation import comparison

        evaluation = comparison.Settings(
            split=options.split,
            sources=tuple(options.source),
            resamples=options.resamples,
            rows=options.rows,
            baselines=not options.no_baselines,
        )
        comparison.run(work, options.model, evaluation, force=force)
    else:
        from model_build import build

        needs_data = options.data or profile.trained
        has_teacher = options.teacher or options.teacher_of or options.specialist
        build.run(
            work,
            profile,
            options.output,
            data=_data_settings(options) if needs_data else None,
            checkpoint=options.checkpoint,
            training=_training(profile, options),
            distill=_distillation_settings(options, None) if has_teacher else None,
            as_trained=options.as_trained,
            max_changed=options.changed,
            seed=options.seed,
            force=force,
        )


def _data_settings(options: argparse.Namespace) -> dataset.Settings:
    from model_build.rows.dataset import Settings
    from model_build.rows.emphasis import parse

    if not options.data:
        raise StepError("no labeled texts: give --data FOLDER or --data hub:OWNER/NAME")
    if options.others is not None and (options.others < 0 or not options.emphasis):
        raise StepError("--others takes a number of rows, and needs --emphasis NAME=TIMES")
    return Settings(
        tuple(options.data),
        seed=options.seed,
        obfuscated_fraction=options.obfuscated_fraction,
        templates=options.templates,
        written=not options.no_written,
        own_reading=not options.no_read,
        embedded=options.embedded,
        max_rows=options.max_rows,
        unlabeled=options.unlabeled,
        emphasis=parse(options.emphasis),
        others=options.others,
        only=tuple(options.only),
        own_labels=options.own_labels,
        multilingual=profiles.find(options.profile).multilingual,
        feedback=tuple(options.feedback),
    )


def _distillation_settings(
    options: argparse.Namespace, student: str | None
) -> distillation.Settings:
    from model_build.training.distillation import Settings

    return Settings(
        tuple(options.teacher),
        student,
        options.alpha,
        options.temperature,
        tuple(_parse_pair("--specialist SOURCE", value) for value in options.specialist),
        options.rows,
        tuple(_parse_pair("--teacher-of LANG", value) for value in options.teacher_of),
        options.trust_labels,
        options.without_kinds,
        options.match_log_odds,
        options.teach_kinds,
    )


def _parse_pair(option: str, value: str) -> tuple[str, str]:
    name, equals, checkpoint = value.partition("=")
    if not (name and equals and checkpoint):
        flag = option.split()[0]
        raise StepError(f"invalid {flag} {value!r}: use {option}=CHECKPOINT")
    return name, checkpoint


def _measurement(options: argparse.Namespace) -> latency.Settings:
    from model_build.evaluation.latency import Settings

    shapes = (tuple(options.tokens), tuple(options.batches), tuple(options.threads))
    return Settings(*shapes, options.rounds, options.seconds)


def _training(profile: profiles.Profile, options: argparse.Namespace) -> profiles.Training:
    """Return the hyperparameters: gentler ones for a model that was fine-tuned here before."""
    continues = options.checkpoint and (Path(options.checkpoint) / GRAPH).is_file()
    training = profile.continued_training if continues else profile.training
    return _with_options(training, options)


def _with_options(training: profiles.Training, options: argparse.Namespace) -> profiles.Training:
    """Return hyperparameters with those replaced that the options set."""
    names = ["epochs", "batch_size", "learning_rate", "minutes", "patience"]
    names += ["frozen_layers", "layer_dropout", "kept", "kinds_weight"]
    changes = {name: getattr(options, name) for name in names}
    return dataclasses.replace(training, **{k: v for k, v in changes.items() if v is not None})


if __name__ == "__main__":
    sys.exit(main())
