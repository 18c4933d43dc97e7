"""``python -m benchmarks COMMAND``."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from rich.console import Console

from benchmarks import cost
from benchmarks.answer import measure
from benchmarks.load import measure_load
from benchmarks.report import Report, table, write
from toxic_bot.command_line import run


def parser() -> argparse.ArgumentParser:
    """Return the command line's parser."""
    root = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Time the bot on this machine."
    )
    commands = root.add_subparsers(dest="command", required=True, metavar="COMMAND")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--model", type=Path, default=Path("model"), help="model folder (model)")
    common.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    answer = commands.add_parser(
        "answer",
        parents=[common],
        help="cold and warm answers through AWS's runtime",
        description="Start the local stack and time the receiver and the worker in AWS's own "
        "runtime: cold, from the start of the process, and warm, from the event to the post.",
    )
    answer.add_argument("--cold", type=_runs, default=10, metavar="N", help="cold starts (10)")
    answer.add_argument("--warm", type=_runs, default=300, metavar="N", help="warm answers (300)")
    load = commands.add_parser(
        "load",
        parents=[common],
        help="the classifier under a steady load",
        description="Let short messages arrive at random at a steady rate and time each from "
        "the moment it was due to its verdict; then judge as many as the machine can.",
    )
    load.add_argument("--rate", type=float, default=100, metavar="N", help="a second (100)")
    load.add_argument("--seconds", type=float, default=20, metavar="S", help="how long (20)")
    load.add_argument(
        "--workers",
        type=int,
        default=len(os.sched_getaffinity(0)),
        metavar="N",
        help="messages at the same time (the CPUs)",
    )
    money = commands.add_parser("cost", help="what a verdict costs", description=cost.__doc__)
    cost.add_arguments(money)
    return root


def _runs(text: str) -> int:
    if not text.isdecimal() or int(text) < 2:
        raise argparse.ArgumentTypeError("two runs at least: one has no percentiles")
    return int(text)


def main(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit status."""
    given = parser().parse_args(arguments)
    return run(lambda: _run(given))


def _run(given: argparse.Namespace) -> int:
    if given.command == "cost":
        cost.print_tables(given)
        return 0
    report = _measure(given)
    if given.json:
        write(report, given.json)
    Console().print(table(report))
    return 0


def _measure(given: argparse.Namespace) -> Report:
    if given.command == "load":
        return measure_load(
            given.model, rate=given.rate, seconds=given.seconds, workers=given.workers
        )
    return measure(given.model, cold=given.cold, warm=given.warm)


if __name__ == "__main__":
    sys.exit(main())
