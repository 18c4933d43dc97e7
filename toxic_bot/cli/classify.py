"""``toxic-bot classify``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from toxic_bot.cli.arguments import add_device, add_model

if TYPE_CHECKING:
    from toxic_bot.cli.arguments import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "classify",
        help="judge texts, without Slack",
        description="Judge texts and print a line for each: verdict, score, the limit from "
        "which a text is toxic, milliseconds, kinds of toxicity and text. Without TEXT, judge "
        "standard input as one text.",
        epilog='With --jsonl, read {"id": ..., "text": "..."} lines and write '
        '{"id", "toxic", "score", "kinds", "probabilities", "legible", "windows", "ms"} lines in '
        'the same order. "windows" is 0 for a text with nothing to judge; "legible" is false for '
        "one that is not in English.",
    )
    texts = parser.add_mutually_exclusive_group()
    texts.add_argument("text", nargs="*", default=[], metavar="TEXT", help="a text to judge")
    texts.add_argument(
        "--jsonl", action="store_true", help="read JSON lines from standard input instead"
    )
    add_model(parser)
    add_device(parser)
    parser.add_argument(
        "--operating-point",
        choices=["balanced", "cautious"],
        default="balanced",
        help="what the threshold is for: balanced (default) finds the most for few false alarms, "
        "cautious has the fewest",
    )
    parser.set_defaults(command=run)


def run(options: argparse.Namespace) -> int:
    """Judge texts from the command line or from standard input."""
    from toxic_bot.cli.classification import judge_lines, print_verdicts
    from toxic_bot.judge.classifier import load
    from toxic_bot.judge.config import OperatingPoint
    from toxic_bot.judge.device import Device
    from toxic_bot.terminal.console import ConsoleError, standard_input

    point = OperatingPoint(options.operating_point)
    device = Device(options.device)
    if not options.jsonl:
        texts = options.text or [standard_input("one text").read().decode("utf-8", "replace")]
        print_verdicts(load(options.model, None, point, device), texts)
        return 0
    errors: list[str] = []
    count = 0
    lines = standard_input("JSON lines")
    for line in judge_lines(load(options.model, 1, point, device), lines):
        print(line.json, flush=True)
        count += 1
        if line.error:
            errors.append(line.error)
    if errors:
        raise ConsoleError(f"{len(errors)} of {count} lines could not be judged; {errors[0]}")
    return 0
