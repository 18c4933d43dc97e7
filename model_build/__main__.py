"""The commands of ``python -m model_build``."""

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
from model_build.work import StepError, Work

if TYPE_CHECKING:
    from model_build.rows import dataset as data
    from model_build.training import distillation as distill

SEED = 20261121
STEPS = {
    "data": "choose, balance and split labelled texts",
    "train": "fine-tune a checkpoint on them",
    "distill": "teach a student what one teacher or several say of them",
    "average": "the mean of several checkpoints of one training",
    "export": "turn it into an ONNX graph",
    "optimize": "fuse the graph's parts",
    "quantize": "its weights to 8 bits",
    "package": "calibrate it and write the model folder",
    "evaluate": "judge the model folder on test rows, against peers",
    "benchmark": "time every form of the model, in turn",
    "standin": "write a DistilRoBERTa with random weights, to measure size and speed on",
    "build": "every step from data to package; distill among them where a teacher is named",
}
TEACHERS_STEPS = ("data", "train")


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return the exit status."""
    asked = _parser().parse_args(arguments)
    # Threads that wait must sleep: beside other work, spinning takes most of the CPU.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    for client in ("httpx", "httpx2"):
        logging.getLogger(client).setLevel(logging.WARNING)
    try:
        _run(asked)
    except ToxicBotError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        print(f"error: {error}: install the project's 'build' dependencies", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped; the same command continues from here", file=sys.stderr)
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m model_build", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, what in STEPS.items():
        command = commands.add_parser(name, help=what, description=what)
        if name == "standin":
            command.add_argument("--output", type=Path, required=True, help="folder to write")
            continue
        kinds = [p.name for p in profiles.PROFILES.values() if p.served or name in TEACHERS_STEPS]
        command.add_argument(
            "--profile", default="minilm", choices=sorted(kinds), help="kind of model"
        )
        command.add_argument(
            "--work", type=Path, help="work folder (default: build/ and the profile's name)"
        )
        command.add_argument("--force", action="store_true", help="do it again even if it was done")
        if name in ("data", "train", "distill", "build"):
            command.add_argument("--seed", type=int, default=SEED, help="of everything random")
        if name in ("data", "build"):
            _add_data(command)
        if name in ("train", "build"):
            command.add_argument("--checkpoint", help="start from this folder or hub id")
        if name in ("train", "distill", "build"):
            _add_train(command)
        if name in ("distill", "build"):
            _add_distill(command)
        if name == "distill":
            command.add_argument(
                "--student",
                help="checkpoint to start from, every-other for every other layer of the "
                "teacher, or same for all of it",
            )
        if name == "average":
            command.add_argument(
                "--checkpoint", action="append", default=[], help="a folder; given twice or more"
            )
        if name == "benchmark":
            _add_benchmark(command)
        if name == "export":
            command.add_argument(
                "--source", default="train", choices=("train", "distill", "average")
            )
        if name == "quantize":
            command.add_argument("--fp16", action="store_true", help="a 16-bit graph for GPUs too")
        if name == "evaluate":
            _add_evaluate(command)
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
        help="folder of parquet, CSV or JSONL files with text and label, or hub:OWNER/NAME; "
        "may be given again",
    )
    command.add_argument("--no-templates", action="store_true", help="leave out own sentences")
    command.add_argument("--most", type=int, help="most rows of a source and label")
    command.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="SOURCE",
        help="take this source alone; may be given again",
    )
    command.add_argument(
        "--own-labels",
        action="store_true",
        help="go by each source's own notion of toxic",
    )
    command.add_argument(
        "--disguises", type=float, default=0.18, help="share of rows added with a disguised word"
    )


def _add_evaluate(command: argparse.ArgumentParser) -> None:
    command.add_argument("--model", type=Path, default=Path("model"), help="model folder")
    command.add_argument("--split", default="test", choices=("test", "validation", "both"))
    command.add_argument("--source", action="append", default=[], help="judge this source alone")
    command.add_argument("--resamples", type=int, default=200, help="of each interval")
    command.add_argument("--rows", type=int, help="most rows of a source")
    command.add_argument("--no-peers", action="store_true", help="leave the peers out")


def _add_train(command: argparse.ArgumentParser) -> None:
    command.add_argument("--epochs", type=float, help="passes over the rows")
    command.add_argument("--batch", type=int, help="rows of a step")
    command.add_argument("--rate", type=float, help="peak learning rate")


def _add_distill(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group(
        "teaching", "of distill; build teaches where a teacher or a specialist is named"
    )
    group.add_argument(
        "--teacher", action="append", default=[], help="fine-tuned checkpoint; may be given again"
    )
    group.add_argument(
        "--specialist",
        action="append",
        default=[],
        metavar="SOURCE=CHECKPOINT",
        help="who teaches the rows of one source; may be given again",
    )
    group.add_argument("--rows", type=int, help="most rows to learn from")
    group.add_argument("--share", type=float, default=0.7, help="of the loss from the teachers")
    group.add_argument("--temperature", type=float, default=2.0, help="of the soft targets")


def _add_benchmark(command: argparse.ArgumentParser) -> None:
    for name, default in (("tokens", [12, 32, 64, 128, 256]), ("batches", [1]), ("threads", [2])):
        command.add_argument(f"--{name}", type=int, nargs="+", default=default)
    command.add_argument("--rounds", type=int, default=3, help="turns of every candidate")
    command.add_argument("--seconds", type=float, default=0.5, help="of a shape in a turn")
    command.add_argument("--baseline", type=Path, help="checkpoint that the ratios refer to")


def _run(asked: argparse.Namespace) -> None:
    # Each step is imported when it is asked for: PyTorch alone takes seconds.
    if asked.command == "standin":
        from model_build.training import random_checkpoint as standin

        standin.write(asked.output)
        return
    profile = profiles.find(asked.profile)
    work = Work(asked.work or Path("build") / profile.name)
    force = asked.force
    if asked.command == "data":
        from model_build.rows import dataset as step

        step.run(work, _settings(asked), force=force)
    elif asked.command == "train":
        from model_build.training import finetuning as train

        train.run(
            work,
            profile,
            checkpoint=asked.checkpoint,
            training=_training(asked, profile.training),
            seed=asked.seed,
            force=force,
        )
    elif asked.command == "distill":
        from model_build.training import distillation as distill

        teaching = _teaching(asked, asked.student)
        training = _training(asked, distill.usual(profile, teaching))
        distill.run(work, profile, teaching, training=training, seed=asked.seed, force=force)
    elif asked.command == "benchmark":
        from model_build.evaluation import latency as benchmark

        shapes = (tuple(asked.tokens), tuple(asked.batches), tuple(asked.threads))
        how_fast = benchmark.Settings(*shapes, asked.rounds, asked.seconds)
        benchmark.run(work, how_fast, baseline=asked.baseline)
    elif asked.command == "average":
        from model_build.training import averaging as average

        average.run(work, tuple(asked.checkpoint), force=force)
    elif asked.command == "export":
        from model_build.graph import export

        export.run(work, source=asked.source, force=force)
    elif asked.command == "optimize":
        from model_build.graph import optimization as optimize

        optimize.run(work, force=force)
    elif asked.command == "quantize":
        from model_build.graph import quantization as quantize

        quantize.run(work, fp16=asked.fp16, force=force)
    elif asked.command == "package":
        from model_build.package import folder as package

        package.run(work, profile, asked.output, force=force)
    elif asked.command == "evaluate":
        from model_build.evaluation import comparison as evaluate

        how = evaluate.Settings(
            split=asked.split,
            sources=tuple(asked.source),
            resamples=asked.resamples,
            rows=asked.rows,
            peers=not asked.no_peers,
        )
        evaluate.run(work, asked.model, how, force=force)
    else:
        from model_build import build

        build.run(
            work,
            profile,
            asked.output,
            settings=_settings(asked) if asked.data or profile.trained else None,
            checkpoint=asked.checkpoint,
            training=_training(asked, profile.training),
            teaching=_teaching(asked, None) if asked.teacher or asked.specialist else None,
            seed=asked.seed,
            force=force,
        )


def _teaching(asked: argparse.Namespace, student: str | None) -> distill.Settings:
    from model_build.training.distillation import Settings

    return Settings(
        tuple(asked.teacher),
        student,
        asked.share,
        asked.temperature,
        tuple(_pair(named) for named in asked.specialist),
        asked.rows,
    )


def _settings(asked: argparse.Namespace) -> data.Settings:
    from model_build.rows.dataset import Settings

    if not asked.data:
        raise StepError("name the labeled texts: --data FOLDER or --data hub:OWNER/NAME")
    return Settings(
        tuple(asked.data),
        seed=asked.seed,
        disguises=asked.disguises,
        templates=not asked.no_templates,
        most=asked.most,
        only=tuple(asked.only),
        own_labels=asked.own_labels,
    )


def _pair(named: str) -> tuple[str, str]:
    source, equals, checkpoint = named.partition("=")
    if not (source and equals and checkpoint):
        raise StepError(f"--specialist takes SOURCE=CHECKPOINT, not {named!r}")
    return source, checkpoint


def _training(asked: argparse.Namespace, training: profiles.Training) -> profiles.Training:
    changes = {name: getattr(asked, name) for name in ("epochs", "batch", "rate")}
    return dataclasses.replace(training, **{k: v for k, v in changes.items() if v is not None})


if __name__ == "__main__":
    sys.exit(main())
