"""What the commands of the pipeline take."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from model_build import profile as profiles
from toxic_bot.judge.config import EMBEDDED_MODEL

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
    "kinds": "relearn the outputs for the kinds, with the rare ones balanced",
    "early-exit": "choose where clear texts leave the graph early",
    "package": "calibrate the model and write the model folder",
    "calibrate": "choose offsets and thresholds of a finished model folder again",
    "second-opinion": "choose when the multilingual model judges English texts too",
    "fp16": "write a model folder with a graph for GPUs, made from another model folder",
    "evaluate": "evaluate the model folder on held-out rows, against baselines",
    "evaluate-read": "evaluate the model folder on rows that were read, by our own notion",
    "benchmark": "measure the latency of every form of the model",
    "random-checkpoint": "write a DistilRoBERTa with random weights, to measure size and speed",
    "build": "run every step from data to package, with distill if there is a teacher",
}


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    whole = argparse.ArgumentParser(
        prog="python -m model_build",
        description="Build the model that the bot serves, one step at a time or all at once.",
    )
    commands = whole.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, description in COMMANDS.items():
        command = commands.add_parser(name, help=description, description=description)
        for add in _OPTIONS[name]:
            add(command)
    return whole


def _add_step(command: argparse.ArgumentParser, *, is_served: bool = True) -> None:
    kinds = [one.name for one in profiles.PROFILES.values() if one.served or not is_served]
    command.add_argument("--profile", default="minilm", choices=sorted(kinds), help="kind of model")
    command.add_argument("--work", type=Path, help="work folder (default: build/PROFILE)")
    command.add_argument("--force", action="store_true", help="run even if up to date")


def _add_seed(command: argparse.ArgumentParser) -> None:
    command.add_argument("--seed", type=int, default=SEED, help="random seed")


def _add_model(command: argparse.ArgumentParser) -> None:
    command.add_argument("--model", type=Path, default=EMBEDDED_MODEL, help="model folder")


def _add_new_folder(command: argparse.ArgumentParser) -> None:
    command.add_argument("--output", type=Path, required=True, help="folder to write")


def _add_model_to_write(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--output", type=Path, default=EMBEDDED_MODEL, help="model folder to write"
    )


def _add_lexicon(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--output",
        type=Path,
        default=EMBEDDED_MODEL.with_name("words.txt"),
        metavar="FILE",
        help="file to write (default: toxic_bot/judge/words.txt)",
    )


def _add_initial_checkpoint(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--checkpoint",
        help="initial checkpoint: a folder, a hub id, or a model folder to train further",
    )


def _add_student(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--student",
        help="initial checkpoint of the student: a folder, a hub id, a model folder that the bot "
        "serves, every-other (every other layer of the teacher) or same (all of the teacher)",
    )


def _add_checkpoints(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--checkpoint",
        action="append",
        default=[],
        metavar="FOLDER",
        help="checkpoint to average; give at least two",
    )


def _add_whole_checkpoint(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--checkpoint",
        default=str(EMBEDDED_MODEL),
        metavar="FOLDER",
        help="what to prune: a model folder, or a fine-tuned checkpoint (default: model)",
    )


def _add_source(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--source",
        default="train",
        choices=("train", "distill", "average", "prune"),
        help="step whose model to export",
    )


def _add_fp16(command: argparse.ArgumentParser) -> None:
    command.add_argument("--fp16", action="store_true", help="write an fp16 graph for GPUs too")


def _add_as_trained(command: argparse._ActionsContainer) -> None:
    command.add_argument(
        "--as-trained",
        action="store_true",
        help="keep the outputs for the kinds as training left them",
    )


def _add_kinds(command: argparse.ArgumentParser) -> None:
    group = command.add_mutually_exclusive_group()
    group.add_argument("--model", type=Path, help="a model folder, instead of the quantized graph")
    _add_as_trained(group)
    command.add_argument(
        "--output",
        type=Path,
        default=EMBEDDED_MODEL,
        help="with --model: folder to write",
    )


def _add_exit(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--changed",
        type=float,
        default=0.0,
        metavar="SHARE",
        help="let clearly harmless texts leave the graph early, as long as no more than "
        "this share of the validation rows gets another verdict (default: 0, none leaves)",
    )


def _add_rows(command: argparse.ArgumentParser) -> None:
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
        "--no-read",
        action="store_true",
        help="keep the labels of the sources where this project has read the rows itself",
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
        "--unlabeled",
        type=_count,
        default=0,
        metavar="ROWS",
        help="rows without their labels, for teachers to label: those of the sources that are not "
        "trained on, half of them in other languages than English if there are as many",
    )
    command.add_argument(
        "--emphasis",
        action="append",
        default=[],
        metavar="NAME=TIMES",
        help="a file of written messages that counts so many times; can be repeated",
    )
    command.add_argument(
        "--others",
        type=int,
        metavar="ROWS",
        help="with --emphasis: maximum number of all other rows, without repetitions",
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
    command.add_argument(
        "--minutes",
        type=_positive,
        metavar="MINUTES",
        help="end by then, with a learning rate that falls in time (default: when all is seen)",
    )
    command.add_argument(
        "--patience",
        type=_count_from_one,
        metavar="VALIDATIONS",
        help="validations without improvement before training stops",
    )
    command.add_argument(
        "--frozen",
        type=_count,
        dest="frozen_layers",
        metavar="LAYERS",
        help="layers that stay as they are, from the bottom, and the embeddings with them",
    )
    command.add_argument(
        "--layer-dropout", type=_fraction, metavar="RATE", help="dropout inside the layers"
    )
    command.add_argument(
        "--kinds-weight",
        type=_positive,
        metavar="WEIGHT",
        help="weight of the loss on the kinds, relative to the loss on the label (default: 0.5)",
    )
    command.add_argument(
        "--kept",
        type=_fraction,
        metavar="SHARE",
        help="share of the initial weights in the result, from 0 to 1: what a fine-tuned model "
        "knew is forgotten less (default: 0)",
    )


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError("use a whole number, 0 or more")
    return int(text)


def _count_from_one(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError("use a whole number, 1 or more")
    return int(text)


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError("use a number above 0")
    return value


def _fraction(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError("a share is a number from 0 to 1")
    return value


def _add_distillation(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group(
        "distillation", "build runs distill only if there is a teacher or a specialist"
    )
    group.add_argument(
        "--teacher",
        action="append",
        default=[],
        metavar="CHECKPOINT",
        help="fine-tuned checkpoint, or a model folder that the bot serves; repeatable",
    )
    group.add_argument(
        "--teacher-of",
        action="append",
        default=[],
        metavar="LANG=CHECKPOINT",
        help="checkpoint that joins the teachers on the rows in one language; repeatable",
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
        "--without-kinds",
        type=_count,
        metavar="ROWS",
        help="maximum training rows that show no kind of toxicity: kinds are told apart among the "
        "others (default: all)",
    )
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
    group.add_argument(
        "--match-log-odds",
        action="store_true",
        help="hold the student to the teachers' log-odds instead of their probabilities",
    )
    group.add_argument(
        "--trust-labels",
        action="store_true",
        help="learn rows that were read or written for this project, and on which the teachers "
        "err, from the label alone",
    )
    group.add_argument(
        "--teach-kinds",
        action="store_true",
        help="let the teachers teach the kinds too, also of rows whose kinds are unknown",
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
        "--rows",
        type=int,
        default=2000,
        help="training rows on which importance is measured and what stays is fitted",
    )
    command.add_argument(
        "--block",
        type=int,
        default=1,
        metavar="NEURONS",
        help="remove neurons in blocks of so many of a layer; 256 is what saves time in int8 "
        "(default: 1)",
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


def _add_measurement(command: argparse.ArgumentParser, tokens: Sequence[int]) -> None:
    for name, default, description in (
        ("tokens", tokens, "text lengths to measure"),
        ("batches", [1], "batch sizes to measure"),
        ("threads", [2], "thread counts to measure"),
    ):
        command.add_argument(
            f"--{name}", type=int, nargs="+", default=list(default), help=description
        )
    command.add_argument(
        "--rounds", type=int, default=3, help="how often each form of the model is measured"
    )
    command.add_argument(
        "--seconds", type=float, default=0.5, help="duration of one measurement of one shape"
    )


def _add_read_rows(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--data", action="append", default=[], metavar="FOLDER", help="labeled texts (repeatable)"
    )
    command.add_argument(
        "--split", choices=["train", "validation", "test"], default="test", help="rows to judge"
    )


def _add_benchmark(command: argparse.ArgumentParser) -> None:
    _add_measurement(command, [12, 32, 64, 128, 256])
    command.add_argument(
        "--baseline", type=Path, metavar="FOLDER", help="checkpoint to compute the ratios against"
    )


_OPTIONS: dict[str, tuple[Callable[[argparse.ArgumentParser], object], ...]] = {
    "data": (partial(_add_step, is_served=False), _add_seed, _add_rows),
    "lexicon": (_add_step, _add_model, _add_lexicon),
    "train": (
        partial(_add_step, is_served=False), _add_seed, _add_initial_checkpoint, _add_training,
    ),
    "distill": (_add_step, _add_seed, _add_training, _add_distillation, _add_student),
    "average": (_add_step, _add_checkpoints),
    "prune": (_add_step, _add_whole_checkpoint, _add_pruning),
    "prune-table": (_add_step, _add_whole_checkpoint, _add_pruning_table),
    "export": (_add_step, _add_source),
    "optimize": (_add_step,),
    "quantize": (_add_step, _add_fp16),
    "kinds": (_add_step, _add_kinds),
    "early-exit": (_add_step, _add_exit),
    "package": (_add_step, _add_model_to_write),
    "calibrate": (_add_step, _add_model_to_write),
    "second-opinion": (_add_step, _add_model_to_write),
    "fp16": (_add_model, _add_new_folder),
    "evaluate": (_add_step, _add_model, _add_evaluation),
    "evaluate-read": (partial(_add_step, is_served=False), _add_model, _add_read_rows),
    "benchmark": (_add_step, _add_benchmark),
    "random-checkpoint": (_add_new_folder,),
    "build": (
        _add_step, _add_seed, _add_rows, _add_initial_checkpoint, _add_training,
        _add_distillation, _add_as_trained, _add_exit, _add_model_to_write,
    ),
}  # fmt: skip
