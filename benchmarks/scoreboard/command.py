"""``python -m benchmarks scoreboard``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.scoreboard import page, plot
from benchmarks.scoreboard.board import Settings, play
from toxic_bot.judge.config import EMBEDDED_MODEL

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "scoreboard",
        help="compare this classifier with others on public rows",
        description="Score the same rows with this classifier and with every peer that is "
        "installed ('make peers'), and write the tables and the plot into docs/scoreboard.md. "
        "What is not there is skipped and named. Scores are kept in --cache, so a second run "
        "computes only those that are new.",
    )
    parser.add_argument("--model", type=Path, default=EMBEDDED_MODEL, help="model folder")
    parser.add_argument(
        "--evaluate-only",
        type=Path,
        default=Path("../shared/data/evaluate_only"),
        metavar="FOLDER",
        help="with HateCheck and Multilingual HateCheck as parquet (%(default)s)",
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="FOLDER",
        help="with other public sources as parquet; only their test splits are read",
    )
    parser.add_argument(
        "--environments",
        type=Path,
        default=Path(".venv"),
        metavar="FOLDER",
        help="with the peers' environments (%(default)s)",
    )
    parser.add_argument(
        "--transformers",
        action="append",
        default=[],
        metavar="NAME",
        help="folder or hub ID of a text classifier of yours, with =LABEL if its toxic label is "
        "not evident; may be repeated; needs PyTorch and transformers",
    )
    parser.add_argument(
        "--cache", type=Path, default=Path("build/scoreboard"), metavar="FOLDER", help="for scores"
    )
    parser.add_argument(
        "--page",
        type=Path,
        default=Path("docs/scoreboard.md"),
        metavar="FILE",
        help="the page with the tables; the plot stands beside it (%(default)s)",
    )


def run(options: argparse.Namespace) -> int:
    """Play, print and write."""
    board = play(
        Settings(
            model=options.model,
            evaluate_only=options.evaluate_only,
            data=options.data,
            environments=options.environments,
            transformers=tuple(options.transformers),
            cache=options.cache,
        )
    )
    print(page.tables(board))
    page.write(board, options.page)
    plot.draw(board, options.page.with_suffix(".png"))
    return 0
