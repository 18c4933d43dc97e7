"""``toxic-bot compare``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toxic_bot.cli.arguments import Commands

DESCRIPTION = """\
Score the same texts with Perspective and with a service started by 'toxic-bot serve', and write
comparison.csv (both scores of each text, in order), comparison.html (a plot, and for each threshold
there, the one here that flags as many) and limits.json (those thresholds). Reads the keys from
the environment variables PERSPECTIVE_KEY and SERVICE_KEY."""


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "compare",
        help="compare Perspective's scores with those of 'toxic-bot serve'",
        description=DESCRIPTION,
    )
    parser.add_argument(
        "texts", type=Path, metavar="FILE", help="CSV, JSONL or parquet with a column 'text'"
    )
    parser.add_argument(
        "--service",
        default="http://127.0.0.1:8000",
        metavar="URL",
        help="the service's address (default: %(default)s)",
    )
    parser.add_argument(
        "--perspective", metavar="URL", help="Perspective's address, if not the default"
    )
    parser.add_argument(
        "--per-second",
        type=float,
        default=1.0,
        metavar="N",
        help="texts to send to Perspective per second (default: %(default)g)",
    )
    parser.add_argument(
        "--limit",
        type=_limit,
        default=0.8,
        metavar="N",
        help="the threshold on TOXICITY that you use there (default: %(default)g)",
    )
    parser.add_argument("--output", type=Path, default=Path(), metavar="FOLDER")
    parser.set_defaults(command=run, extra="archives")


def run(options: argparse.Namespace) -> int:
    """Ask both services and write what they say."""
    import os

    from toxic_bot.archives.messages import messages
    from toxic_bot.comparison import page
    from toxic_bot.comparison.client import PERSPECTIVE, PerspectiveClient
    from toxic_bot.terminal.console import ConsoleError

    there = PerspectiveClient(
        options.perspective or PERSPECTIVE,
        os.environ.get("PERSPECTIVE_KEY", ""),
        options.per_second,
    )
    here = PerspectiveClient(options.service, os.environ.get("SERVICE_KEY", ""))
    pairs = []
    skipped = 0
    options.output.mkdir(parents=True, exist_ok=True)
    with (options.output / "comparison.csv").open("w", encoding="ascii") as lines:
        print("id,perspective,service", file=lines)
        for number, message in enumerate(messages(options.texts), start=1):
            first = there.toxicity(message.text)
            second = here.toxicity(message.text) if first is not None else None
            if first is None or second is None:
                skipped += 1
                continue
            print(f"{number},{first:.6f},{second:.6f}", file=lines, flush=True)
            pairs.append((first, second))
    if not pairs:
        raise ConsoleError(f"no text in {options.texts} was scored by both")
    path = options.output / "comparison.html"
    proposals = page.propose(pairs, sorted({*page.LIMITS, options.limit}))
    page.write(pairs, proposals, path)
    page.store(proposals, options.output / "limits.json")
    print(f"Compared {len(pairs):,} texts; {skipped:,} were not scored by both. See {path}.")
    [own] = [one for one in proposals if one.there == options.limit]
    if own.here is None:
        print(f"A threshold of {own.there:g} there flags none of them.")
    else:
        print(f"A threshold of {own.there:g} there flags as many as {own.here:.3f} here.")
    return 0


def _limit(text: str) -> float:
    try:
        limit = float(text)
    except ValueError:
        limit = -1.0
    if not 0 <= limit <= 1:
        raise argparse.ArgumentTypeError("it is a number from 0 to 1")
    return limit
