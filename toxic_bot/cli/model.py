"""``toxic-bot model``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from toxic_bot.cli.arguments import add_model

if TYPE_CHECKING:
    from toxic_bot.cli.arguments import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "model",
        help="write the model for other servers",
        description="Write the model folder in the form that another server expects.",
    )
    forms = parser.add_subparsers(title="forms", required=True, metavar="FORM")
    triton = forms.add_parser(
        "triton",
        help="a model repository for Triton Inference Server",
        description="Write a model repository for Triton Inference Server, whose ensemble "
        "'toxic_bot' takes texts and returns verdicts. If the folder already holds a repository, "
        "add a version to it.",
    )
    triton.add_argument("output", type=Path, metavar="OUT", help="the folder to write")
    add_model(triton)
    triton.add_argument(
        "--version", type=_version, metavar="N", help="the version (default: the next one)"
    )
    triton.add_argument(
        "--threads",
        type=_version,
        default=0,
        metavar="N",
        help="windows computed at a time on a CPU (default: one per CPU)",
    )
    triton.add_argument(
        "--operating-point",
        choices=["cautious", "balanced", "sensitive"],
        default="balanced",
        help="the threshold to use (default: %(default)s)",
    )
    triton.set_defaults(command=run_triton)
    transformers = forms.add_parser(
        "transformers",
        help="Hugging Face folders for transformers and optimum",
        description="Write two Hugging Face folders into OUT: 'verdict', whose scores are the "
        "bot's, and 'kinds'. transformers.pipeline('text-classification') and "
        "optimum.onnxruntime load them as they are.",
    )
    transformers.add_argument("output", type=Path, metavar="OUT", help="the folder to write")
    add_model(transformers)
    transformers.set_defaults(command=run_transformers, extra="huggingface")


def run_triton(options: argparse.Namespace) -> int:
    """Write a model repository for Triton."""
    from toxic_bot.judge.classifier import FP16_GRAPH
    from toxic_bot.judge.config import OperatingPoint
    from toxic_bot.service.triton.repository import GPU_CONFIG, write

    version = write(
        options.model,
        options.output,
        version=options.version,
        operating_point=OperatingPoint(options.operating_point),
        threads=options.threads,
    )
    print(f"Wrote version {version} of the ensemble 'toxic_bot' to {options.output}.")
    if (options.model / FP16_GRAPH).exists():
        print(f"For a GPU, start Triton with --model-config-name={GPU_CONFIG}.")
    else:
        print(
            "It runs on CPUs only: 'python -m model_build fp16' makes a model folder for GPUs too."
        )
    return 0


def run_transformers(options: argparse.Namespace) -> int:
    """Write Hugging Face folders."""
    from toxic_bot.huggingface.folder import write

    folders = write(options.model, options.output)
    print(f"Wrote {' and '.join(map(str, folders))}; their README.md says how to load them.")
    return 0


def _version(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1_000_000:
        raise argparse.ArgumentTypeError("it is a number from 1")
    return int(text)
