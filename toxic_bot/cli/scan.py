"""``toxic-bot scan``."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from toxic_bot.cli.arguments import add_model

if TYPE_CHECKING:
    from toxic_bot.archives.scan import JudgeParts
    from toxic_bot.archives.skips import Skips
    from toxic_bot.cli.arguments import Commands

INCOMPLETE = 3
"""Exit status of a scan that has left something out."""
SKIPPED = "skipped.txt"
SHOWN = 10
"""Skipped items that are printed."""
DESCRIPTION = """\
Judge every message in an archive on all cores, and write report.parquet, with a row per message,
and report.html, by channel and month, worst first. The archive is a Slack export (the zip file or
its folder), or CSV, JSONL or parquet files with a column 'text' and optionally 'id', 'channel',
'time' and 'user'. To resume an interrupted scan, run the same command again. What cannot be read
is skipped and named in skipped.txt, and the exit status is then 3."""


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "scan",
        help="judge an archive of messages, and write a report",
        description=DESCRIPTION,
    )
    parser.add_argument("archive", type=Path, metavar="FILE_OR_FOLDER")
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("scan"),
        metavar="FOLDER",
        help="the folder for the report (default: %(default)s)",
    )
    parser.add_argument(
        "--column",
        metavar="NAME",
        help="the column with the messages, in CSV, JSONL and parquet files (default: 'text', "
        "'message', 'comment', 'body' or 'content')",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="stop at the first thing that cannot be read, instead of skipping it",
    )
    parser.add_argument(
        "--texts", action="store_true", help="keep the messages' texts in report.parquet"
    )
    parser.add_argument("--people", action="store_true", help="keep the authors in report.parquet")
    parser.add_argument(
        "--processes",
        type=_count,
        metavar="N",
        help="number of processes that judge (default: one per CPU)",
    )
    parser.add_argument(
        "--ray",
        metavar="ADDRESS",
        help="judge on a Ray cluster: its address, 'auto' on one of its machines, or 'local'",
    )
    add_model(parser)
    parser.add_argument(
        "--operating-point",
        choices=["cautious", "balanced", "sensitive"],
        default="balanced",
        help="the threshold to use (default: %(default)s)",
    )
    parser.set_defaults(command=run, extra="archives")


def run(options: argparse.Namespace) -> int:
    """Judge an archive and write its report."""
    from rich.console import Console
    from rich.progress import Progress

    from toxic_bot.archives import report as archive_report
    from toxic_bot.archives import scan as archive_scan
    from toxic_bot.archives.messages import total_bytes
    from toxic_bot.archives.skips import Skips
    from toxic_bot.judge.config import OperatingPoint

    if options.ray:
        options.extra = "ray"
    judge_parts = _on_cluster(options.ray) if options.ray else None
    scan = archive_scan.Scan(
        archive=options.archive,
        output=options.output,
        model=options.model,
        operating_point=OperatingPoint(options.operating_point),
        texts=options.texts,
        people=options.people,
        processes=options.processes,
        column=options.column,
        skips=Skips(strict=options.strict),
    )
    total = total_bytes(scan.archive)
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("Judging", total=total)
        table = archive_scan.run(scan, lambda size: progress.advance(task, size), judge_parts)
    page = archive_report.write(table, scan.output)
    toxic = sum(table["toxic"].to_pylist())
    print(f"Judged {table.num_rows:,} messages, {toxic:,} of them toxic: see {page}.")
    return _report_skips(scan.skips, scan.output / SKIPPED)


def _report_skips(skips: Skips, path: Path) -> int:
    """Say what was left out, and return the exit status."""
    import sys

    for note in skips.notes:
        print(f"note: {note}", file=sys.stderr)
    path.unlink(missing_ok=True)
    if not skips.count:
        return 0
    for line in skips.named[:SHOWN]:
        print(f"skipped: {line}", file=sys.stderr)
    more = skips.count - len(skips.named)
    lines = [*skips.named, f"and {more:,} more"] if more else skips.named
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8", "replace")
    print(f"Skipped {skips.count:,} that could not be read: see {path}.", file=sys.stderr)
    return INCOMPLETE


def _on_cluster(address: str) -> JudgeParts:
    from toxic_bot.archives import cluster as archive_cluster

    return partial(archive_cluster.judge_parts, address)


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1024:
        raise argparse.ArgumentTypeError("it is a number from 1 to 1024")
    return int(text)
