"""Build the model that the bot serves, one step at a time or all at once."""

from __future__ import annotations

import argparse
import dataclasses
import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from judge.errors import ToxicBotError
from model_build import profile as profiles
from model_build import rank
from model_build.work import GRAPH, StepError, Work

if TYPE_CHECKING:
    from model_build.evaluation import latency
    from model_build.rows import dataset
    from model_build.training import distillation

SEED = 20261121
COMMANDS = {
    "data": "select, weight and split labeled texts",
    "lexicon": "count the words by which the bot recognizes disguised ones",
    "train": "fine-tune a checkpoint",
    "distill": "train a student on the predictions of one or more teachers",
    "average": "average the weights of several checkpoints",
    "prune": "remove the heads and intermediate neurons that matter least",
    "prune-table": "compare time, size and quality after pruning by several shares",
    "export": "export the model to ONNX",
    "optimize": "fuse operators of the ONNX graph",
    "quantize": "quantize the weights to 8 bits",
    "kinds": "learn the outputs for the kinds anew, with the rare ones balanced",
    "early-exit": "choose where clear texts leave the graph early",
    "package": "calibrate the model and write the model folder",
    "fp16": "write a model folder with a graph for GPUs, made from another model folder",
    "evaluate": "evaluate the model folder on held-out rows, against baselines",
    "benchmark": "measure the latency of every form of the model",
    "random-checkpoint": "write a DistilRoBERTa with random weights, to measure size and speed",
    "build": "run every step from data to package, with distill if there is a teacher",
}
TEACHER_COMMANDS = ("data", "train")


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return the exit status."""
    options = _parser().parse_args(arguments)
    # Idle threads must sleep: next to other work, spinning takes most of the CPU.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    level = logging.INFO if rank.IS_FIRST else logging.WARNING
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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m model_build", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, description in COMMANDS.items():
        command = commands.add_parser(name, help=description, description=description)
        if name == "random-checkpoint":
            command.add_argument("--output", type=Path, required=True, help="folder to write")
            continue
        if name == "fp16":
            command.add_argument("--model", type=Path, default=Path("model"), help="model folder")
            command.add_argument("--output", type=Path, required=True, help="folder to write")
            continue
        kinds = [p.name for p in profiles.PROFILES.values() if p.served or name in TEACHER_COMMANDS]
        command.add_argument(
            "--profile", default="minilm", choices=sorted(kinds), help="kind of model"
        )
        command.add_argument("--work", type=Path, help="work folder (default: build/PROFILE)")
        command.add_argument("--force", action="store_true", help="run even if up to date")
        if name in ("data", "train", "distill", "build"):
            command.add_argument("--seed", type=int, default=SEED, help="random seed")
        if name in ("data", "build"):
            _add_data(command)
        if name == "lexicon":
            command.add_argument("--model", type=Path, default=Path("model"), help="model folder")
            command.add_argument(
                "--output",
                type=Path,
                default=Path("judge") / "words.txt",
                metavar="FILE",
                help="file to write (default: judge/words.txt)",
            )
        if name in ("train", "build"):
            command.add_argument(
                "--checkpoint",
                help="initial checkpoint: a folder, a hub id, or a model folder to train further",
            )
        if name in ("train", "distill", "build"):
            _add_training(command)
        if name in ("distill", "build"):
            _add_distillation(command)
        if name == "distill":
            command.add_argument(
                "--student",
                help="initial checkpoint of the student: a folder, a hub id, every-other (every "
                "other layer of the teacher) or same (all of the teacher)",
            )
        if name == "average":
            command.add_argument(
                "--checkpoint",
                action="append",
                default=[],
                metavar="FOLDER",
                help="checkpoint to average; give at least two",
            )
        if name in ("prune", "prune-table"):
            command.add_argument(
                "--checkpoint",
                default="model",
                metavar="FOLDER",
                help="what to prune: a model folder, or a fine-tuned checkpoint (default: model)",
            )
        if name == "prune":
            _add_pruning(command)
        if name == "prune-table":
            _add_pruning_table(command)
        if name == "benchmark":
            _add_benchmark(command)
        if name == "export":
            command.add_argument(
                "--source",
                default="train",
                choices=("train", "distill", "average", "prune"),
                help="step whose model to export",
            )
        if name == "quantize":
            command.add_argument(
                "--fp16", action="store_true", help="write an fp16 graph for GPUs too"
            )
        if name == "kinds":
            command.add_argument(
                "--model", type=Path, help="a model folder, instead of the quantized graph"
            )
            command.add_argument(
                "--output", type=Path, default=Path("model"), help="with --model: folder to write"
            )
        if name in ("early-exit", "build"):
            command.add_argument(
                "--changed",
                type=float,
                default=0.0,
                metavar="SHARE",
                help="let clearly harmless texts leave the graph early, as long as no more than "
                "this share of the validation rows gets another verdict (default: 0, none leaves)",
            )
        if name == "evaluate":
            _add_evaluation(command)
        if name in ("package", "build"):
            command.add_argument(
                "--output", type=Path, default=Path("model"), help="model folder to write"
            )
    return parser


def _add_data(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--data",
        action="append",
        default=[],
        metavar="SOURCE",
        help="folder of Parquet, CSV or JSONL files with text and label, or hub:OWNER/NAME; "
        "repeatable",
    )
    command.add_argument(
        "--feedback",
        action="append",
        default=[],
        metavar="FILE",
        help="votes on verdicts, as 'toxic-bot feedback export' writes them; repeatable",
    )
    command.add_argument(
        "--templates",
        type=int,
        metavar="ROWS",
        help="maximum number of template sentences (default: all)",
    )
    command.add_argument(
        "--no-templates",
        action="store_const",
        const=0,
        dest="templates",
        help="leave out the template sentences",
    )
    command.add_argument(
        "--no-written",
        action="store_true",
        help="leave out the messages written for this project",
    )
    command.add_argument(
        "--embedded",
        type=int,
        default=0,
        metavar="ROWS",
        help="long texts to make by putting a written message into a benign text",
    )
    command.add_argument(
        "--most",
        type=int,
        dest="max_rows",
        metavar="ROWS",
        help="maximum rows per source and label",
    )
    command.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="SOURCE",
        help="use only this source; repeatable",
    )
    command.add_argument(
        "--own-labels",
        action="store_true",
        help="use the labels of each source instead of the strict labels",
    )
    command.add_argument(
        "--disguises",
        type=float,
        default=0.18,
        dest="obfuscated_fraction",
        metavar="FRACTION",
        help="obfuscated copies to add, as a fraction of the training rows",
    )


def _add_evaluation(command: argparse.ArgumentParser) -> None:
    command.add_argument("--model", type=Path, default=Path("model"), help="model folder")
    command.add_argument(
        "--split",
        default="test",
        choices=("test", "validation", "both"),
        help="rows to evaluate on",
    )
    command.add_argument(
        "--source", action="append", default=[], help="evaluate only this source; repeatable"
    )
    command.add_argument(
        "--resamples", type=int, default=200, help="bootstrap samples per interval"
    )
    command.add_argument("--rows", type=int, help="maximum rows per source")
    command.add_argument(
        "--no-baselines", action="store_true", help="do not evaluate the baselines"
    )
    command.add_argument(
        "--feedback",
        type=Path,
        metavar="FILE",
        help="evaluate on votes on verdicts instead, as 'toxic-bot feedback export' writes them",
    )


def _add_training(command: argparse.ArgumentParser) -> None:
    command.add_argument("--epochs", type=float, help="passes over the training rows")
    command.add_argument(
        "--batch", type=int, dest="batch_size", metavar="ROWS", help="rows per step"
    )
    command.add_argument(
        "--rate", type=float, dest="learning_rate", metavar="RATE", help="peak learning rate"
    )


def _add_distillation(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group(
        "distillation", "build runs distill only if there is a teacher or a specialist"
    )
    group.add_argument(
        "--teacher",
        action="append",
        default=[],
        metavar="CHECKPOINT",
        help="fine-tuned checkpoint; repeatable",
    )
    group.add_argument(
        "--specialist",
        action="append",
        default=[],
        metavar="SOURCE=CHECKPOINT",
        help="checkpoint that alone teaches the rows of one source; repeatable",
    )
    group.add_argument("--rows", type=int, help="maximum training rows of the distillation")
    group.add_argument(
        "--share",
        type=float,
        default=0.7,
        dest="alpha",
        metavar="ALPHA",
        help="weight of the distillation loss",
    )
    group.add_argument(
        "--temperature", type=float, default=2.0, help="temperature of the soft targets"
    )


def _add_pruning(command: argparse.ArgumentParser) -> None:
    for name, description in (
        ("heads", "share of all attention heads to remove"),
        ("neurons", "share of all intermediate neurons to remove"),
    ):
        command.add_argument(
            f"--{name}",
            type=float,
            default=0.0,
            metavar="SHARE",
            help=f"{description} (default: 0)",
        )
    command.add_argument(
        "--rows", type=int, default=2000, help="training rows on which importance is measured"
    )


def _add_pruning_table(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--shares",
        type=float,
        nargs="+",
        default=[0.1, 0.25, 0.5],
        metavar="SHARE",
        help="shares of heads, of neurons and of both to remove",
    )
    command.add_argument("--rows", type=int, default=3000, help="maximum validation rows")
    command.add_argument(
        "--steps",
        type=int,
        default=0,
        help="steps of 32 rows in which the whole model teaches the pruned ones (default: none)",
    )
    command.add_argument(
        "--taught",
        type=float,
        nargs="+",
        metavar="SHARE",
        help="with --steps: teach only the models that lost this share of both (default: all)",
    )
    _add_measurement(command, [12, 35, 128])


def _add_measurement(command: argparse.ArgumentParser, tokens: list[int]) -> None:
    for name, default, description in (
        ("tokens", tokens, "text lengths to measure"),
        ("batches", [1], "batch sizes to measure"),
        ("threads", [2], "thread counts to measure"),
    ):
        command.add_argument(f"--{name}", type=int, nargs="+", default=default, help=description)
    command.add_argument(
        "--rounds", type=int, default=3, help="how often each form of the model is measured"
    )
    command.add_argument(
        "--seconds", type=float, default=0.5, help="duration of one measurement of one shape"
    )


def _add_benchmark(command: argparse.ArgumentParser) -> None:
    _add_measurement(command, [12, 32, 64, 128, 256])
    command.add_argument(
        "--baseline", type=Path, metavar="FOLDER", help="checkpoint to compute the ratios against"
    )


def _run(options: argparse.Namespace) -> None:
    if rank.COUNT > 1 and options.command != "train":
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

        removal = pruning.Settings(options.heads, options.neurons, options.rows)
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

        kinds_head.run(work, force=force)
    elif options.command == "early-exit":
        from model_build.evaluation import exit_rules

        exit_rules.run(work, max_changed=options.changed, force=force)
    elif options.command == "package":
        from model_build.package import folder as package

        package.run(work, profile, options.output, force=force)
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
        has_teacher = options.teacher or options.specialist
        build.run(
            work,
            profile,
            options.output,
            data=_data_settings(options) if needs_data else None,
            checkpoint=options.checkpoint,
            training=_training(profile, options),
            distill=_distillation_settings(options, None) if has_teacher else None,
            max_changed=options.changed,
            seed=options.seed,
            force=force,
        )


def _data_settings(options: argparse.Namespace) -> dataset.Settings:
    from model_build.rows.dataset import Settings

    if not options.data:
        raise StepError("no labeled texts: give --data FOLDER or --data hub:OWNER/NAME")
    return Settings(
        tuple(options.data),
        seed=options.seed,
        obfuscated_fraction=options.obfuscated_fraction,
        templates=options.templates,
        written=not options.no_written,
        embedded=options.embedded,
        max_rows=options.max_rows,
        only=tuple(options.only),
        own_labels=options.own_labels,
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
        tuple(_parse_specialist(value) for value in options.specialist),
        options.rows,
    )


def _parse_specialist(value: str) -> tuple[str, str]:
    source, equals, checkpoint = value.partition("=")
    if not (source and equals and checkpoint):
        raise StepError(f"invalid --specialist {value!r}: use SOURCE=CHECKPOINT")
    return source, checkpoint


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
    names = ("epochs", "batch_size", "learning_rate")
    changes = {name: getattr(options, name) for name in names}
    return dataclasses.replace(training, **{k: v for k, v in changes.items() if v is not None})


if __name__ == "__main__":
    sys.exit(main())
