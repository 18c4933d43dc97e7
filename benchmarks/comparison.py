"""The bot's latency at another commit and here, in turns on one machine.

Machines drift, so two figures compare only if they were measured in turns. Each commit is measured
by its own ``python -m benchmarks answer``, in this environment's Python.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from simulators import ROOT
from toxic_bot.judge.errors import ToxicBotError

Measure = Callable[[Path, int, int], dict[str, float]]
"""Returns the p50 of every operation in a tree, of so many cold starts and warm answers."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One operation at another commit and here.

    Parameters
    ----------
    name
        What was timed.
    before, here
        Its p50 in each round, in milliseconds.
    """

    name: str
    before: tuple[float, ...]
    here: tuple[float, ...]

    @property
    def ratios(self) -> tuple[float, ...]:
        """What it takes here, as a share of what it took before in the same round."""
        return tuple(here / before for before, here in zip(self.before, self.here, strict=True))


def compare(
    commit: str, *, rounds: int, cold: int, warm: int, measure: Measure | None = None
) -> list[Compared]:
    """Time cold and warm answers at another commit and here, in turns.

    Parameters
    ----------
    commit
        The other commit.
    rounds
        How often each of the two is measured; who is first changes.
    cold, warm
        Runs in each measurement.
    measure
        Measures a tree; by default with the tree's own benchmark.

    Raises
    ------
    ToxicBotError
        When there is no such commit, or one of the two cannot be measured.
    """
    measure = measure or _benchmark
    with _worktree(commit) as before:
        # The first start writes the bytecode, and reads every file from the disk.
        for tree in (before, ROOT):
            measure(tree, 2, 2)
        found: dict[Path, list[dict[str, float]]] = {before: [], ROOT: []}
        for number in range(rounds):
            order = (before, ROOT) if number % 2 == 0 else (ROOT, before)
            for tree in order:
                found[tree].append(measure(tree, cold, warm))
    names = [name for name in found[ROOT][0] if name in found[before][0]]
    return [
        Compared(
            name,
            tuple(one[name] for one in found[before]),
            tuple(one[name] for one in found[ROOT]),
        )
        for name in names
    ]


def comparison_table(commit: str, compared: Sequence[Compared]) -> Table:
    """Return the medians of all rounds, and their ratio in each round."""
    table = Table("operation", f"{commit} ms", "here ms", "ratio", "lowest to highest")
    for one in compared:
        table.add_row(
            one.name,
            f"{statistics.median(one.before):.1f}",
            f"{statistics.median(one.here):.1f}",
            f"{statistics.median(one.ratios):.3f}",
            f"{min(one.ratios):.3f} to {max(one.ratios):.3f}",
        )
    return table


@contextmanager
def _worktree(commit: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="commit-") as folder:
        tree = Path(folder).resolve() / "tree"
        _git("worktree", "add", "--detach", str(tree), commit)
        try:
            yield tree
        finally:
            _git("worktree", "remove", "--force", str(tree))


def _git(*arguments: str) -> None:
    done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True)
    if done.returncode:
        raise ToxicBotError(f"git {arguments[0]} failed: {done.stderr.strip()}")


def _benchmark(tree: Path, cold: int, warm: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.json"
        options = ["--cold", str(cold), "--warm", str(warm), "--json", str(results)]
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks", "answer", *options],
            cwd=tree,
            env=os.environ | {"PYTHONPATH": str(tree)},
            capture_output=True,
            text=True,
        )
        if done.returncode:
            [reason] = done.stderr.strip().splitlines()[-1:] or [f"exit status {done.returncode}"]
            raise ToxicBotError(f"{tree} cannot be measured: {reason}")
        figures = json.loads(results.read_text("utf-8"))["figures"]
    return {figure["name"]: figure["p50"] for figure in figures}
