"""``python -m benchmarks COMMAND``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.console import Console

from benchmarks.answer import measure
from benchmarks.report import table, write
from handler.errors import ToxicBotError


def parser() -> argparse.ArgumentParser:
    """Return the command line's parser."""
    root = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = root.add_subparsers(dest="command", required=True, metavar="COMMAND")
    answer = commands.add_parser(
        "answer",
        help="cold and warm answers through AWS's runtime",
        description="Start the local stack and time the receiver and the worker in AWS's own "
        "runtime: cold, from the start of the process, and warm, from the event to the post.",
    )
    answer.add_argument("--model", type=Path, default=Path("model"), help="model folder (model)")
    answer.add_argument("--cold", type=int, default=10, metavar="N", help="cold starts (10)")
    answer.add_argument("--warm", type=int, default=300, metavar="N", help="warm answers (300)")
    answer.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    return root


def main() -> int:
    """Run a command."""
    arguments = parser().parse_args()
    try:
        report = measure(arguments.model, cold=arguments.cold, warm=arguments.warm)
        if arguments.json:
            write(report, arguments.json)
    except ToxicBotError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    Console().print(table(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
