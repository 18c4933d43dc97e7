"""Figures as a table and as JSON."""

from __future__ import annotations

import json
import os
import platform
import statistics
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from rich.table import Table

from judge.errors import ToxicBotError


@dataclass(frozen=True, slots=True)
class Figure:
    """One thing that was timed.

    Parameters
    ----------
    name
        What.
    runs
        How many times.
    p50, p95, p99
        Milliseconds.
    target
        What p50 has to beat, in milliseconds.
    target_p99
        What p99 has to beat, where that was set.
    """

    name: str
    runs: int
    p50: float
    p95: float
    p99: float
    target: float
    target_p99: float | None = None

    @classmethod
    def of(
        cls, name: str, milliseconds: list[float], target: float, target_p99: float | None = None
    ) -> Figure:
        """Summarize runs, two at least."""
        percentiles = statistics.quantiles(milliseconds, n=100, method="inclusive")
        p50, p95, p99 = (round(percentiles[n - 1], 2) for n in (50, 95, 99))
        return cls(name, len(milliseconds), p50, p95, p99, target, target_p99)

    @property
    def beaten(self) -> bool:
        """Whether the targets are beaten."""
        return self.p50 < self.target and (self.target_p99 is None or self.p99 < self.target_p99)


@dataclass(frozen=True, slots=True)
class Report:
    """Figures, and where they come from."""

    machine: str
    cpus: int
    python: str
    model: str
    date: str
    figures: tuple[Figure, ...]
    note: str = ""

    @classmethod
    def here(cls, model: str, figures: tuple[Figure, ...], note: str = "") -> Report:
        """Return a report of this machine."""
        return cls(
            machine=_cpu(),
            cpus=len(os.sched_getaffinity(0)),
            python=platform.python_version(),
            model=model,
            date=datetime.now(UTC).date().isoformat(),
            figures=figures,
            note=note,
        )


def table(report: Report) -> Table:
    """Return a report as a table."""
    made = Table(
        title=f"{report.model} on {report.cpus} CPUs ({report.machine}), "
        f"Python {report.python}, {report.date}",
        caption=report.note,
    )
    made.add_column("what")
    for column in ("runs", "p50 ms", "p95 ms", "p99 ms", "to beat"):
        made.add_column(column, justify="right")
    for figure in report.figures:
        target = f"{figure.target:.0f}"
        if figure.target_p99 is not None:
            target += f", p99 {figure.target_p99:.0f}"
        made.add_row(
            figure.name,
            str(figure.runs),
            *(f"{value:.1f}" for value in (figure.p50, figure.p95, figure.p99)),
            f"[{'green' if figure.beaten else 'red'}]{target}[/]",
        )
    return made


def write(report: Report, path: Path) -> None:
    """Write a report as JSON.

    Raises
    ------
    ToxicBotError
        When the file cannot be written.
    """
    try:
        path.write_text(json.dumps(asdict(report), indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise ToxicBotError(f"{path} cannot be written ({error.strerror})") from error


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
