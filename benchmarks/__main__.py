"""The command line: ``python -m benchmarks COMMAND``."""

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
from benchmarks.text import growth_table, measure_growth
from toxic_bot.command_line import run


def parser() -> argparse.ArgumentParser:
    """Return the command line's parser."""
    root = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Time the bot on this machine, and estimate its cost on AWS.",
    )
    commands = root.add_subparsers(dest="command", required=True, metavar="COMMAND")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--model", type=Path, default=Path("model"), help="model folder (model)")
    common.add_argument("--json", type=Path, metavar="FILE", help="also write the results there")
    answer = commands.add_parser(
        "answer",
        parents=[common],
        help="time cold and warm answers in AWS's runtime",
        description="Start the local stack and time the receiver and the worker in AWS's Lambda "
        "runtime: cold (from process start) and warm (from the event to the posted verdict).",
    )
    answer.add_argument("--cold", type=_runs, default=10, metavar="N", help="cold starts (10)")
    answer.add_argument("--warm", type=_runs, default=300, metavar="N", help="warm answers (300)")
    load = commands.add_parser(
        "load",
        parents=[common],
        help="time the classifier under a steady load",
        description="Send short messages at random intervals and a steady average rate, and time "
        "each from its scheduled arrival to its verdict; then measure the maximum throughput.",
    )
    load.add_argument(
        "--rate", type=float, default=100, metavar="N", help="messages per second (100)"
    )
    load.add_argument(
        "--seconds", type=float, default=20, metavar="S", help="duration of the load (20)"
    )
    load.add_argument(
        "--workers",
        type=int,
        default=len(os.sched_getaffinity(0)),
        metavar="N",
        help="messages classified concurrently (number of CPUs)",
    )
    commands.add_parser(
        "text",
        help="time the way from mrkdwn to normalized text on adversarial shapes",
        description="Time shapes of text that make a careless parser explode; show the slowest. "
        "The exit status is 1 if one grows faster than its length.",
    )
    costs = commands.add_parser("cost", help="estimate the cost", description=cost.__doc__)
    cost.add_arguments(costs)
    return root


def _runs(text: str) -> int:
    if not text.isdecimal() or int(text) < 2:
        raise argparse.ArgumentTypeError("need two runs or more to compute percentiles")
    return int(text)


def main(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit status."""
    options = parser().parse_args(arguments)
    return run(lambda: _run(options))


def _run(options: argparse.Namespace) -> int:
    if options.command == "cost":
        cost.print_tables(options)
        return 0
    if options.command == "text":
        growths = measure_growth()
        Console().print(growth_table(growths))
        return 0 if all(growth.is_linear for growth in growths) else 1
    report = _measure(options)
    if options.json:
        write(report, options.json)
    Console().print(table(report))
    return 0


def _measure(options: argparse.Namespace) -> Report:
    if options.command == "load":
        return measure_load(
            options.model, rate=options.rate, seconds=options.seconds, workers=options.workers
        )
    return measure(options.model, cold=options.cold, warm=options.warm)


if __name__ == "__main__":
    sys.exit(main())
