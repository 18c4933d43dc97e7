"""Timings as a table and as JSON."""

from __future__ import annotations

import json
import os
import platform
import statistics
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from rich.table import Table

from toxic_bot.judge.errors import ToxicBotError


@dataclass(frozen=True, slots=True)
class Figure:
    """The timings of one operation.

    Parameters
    ----------
    name
        What was timed.
    runs
        Number of runs.
    p50, p95, p99
        Percentiles, in milliseconds.
    target
        Upper bound for p50, in milliseconds.
    target_p99
        Upper bound for p99, in milliseconds; None for no bound.
    """

    name: str
    runs: int
    p50: float
    p95: float
    p99: float
    target: float
    target_p99: float | None = None

    @classmethod
    def from_runs(
        cls, name: str, milliseconds: list[float], target: float, target_p99: float | None = None
    ) -> Figure:
        """Summarize two or more runs."""
        percentiles = statistics.quantiles(milliseconds, n=100, method="inclusive")
        p50, p95, p99 = (round(percentiles[n - 1], 2) for n in (50, 95, 99))
        return cls(name, len(milliseconds), p50, p95, p99, target, target_p99)

    @property
    def meets_target(self) -> bool:
        """Whether p50 and p99 are within their bounds."""
        return self.p50 < self.target and (self.target_p99 is None or self.p99 < self.target_p99)


@dataclass(frozen=True, slots=True)
class Report:
    """Timings, with the machine and the model they were measured on."""

    machine: str
    cpus: int
    python: str
    model: str
    date: str
    figures: tuple[Figure, ...]
    note: str = ""

    @classmethod
    def for_this_machine(cls, model: str, figures: tuple[Figure, ...], note: str = "") -> Report:
        """Return a report that describes this machine."""
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
    result = Table(
        title=f"{report.model} on {report.cpus} CPUs ({report.machine}), "
        f"Python {report.python}, {report.date}",
        caption=report.note,
    )
    result.add_column("operation")
    for column in ("runs", "p50 ms", "p95 ms", "p99 ms", "target ms"):
        result.add_column(column, justify="right")
    for figure in report.figures:
        target = f"{figure.target:.0f}"
        if figure.target_p99 is not None:
            target += f", p99 {figure.target_p99:.0f}"
        result.add_row(
            figure.name,
            str(figure.runs),
            *(f"{value:.1f}" for value in (figure.p50, figure.p95, figure.p99)),
            f"[{'green' if figure.meets_target else 'red'}]{target}[/]",
        )
    return result


def write(results: object, path: Path) -> None:
    """Write results as JSON.

    Raises
    ------
    ToxicBotError
        When the file cannot be written.
    """
    try:
        path.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise ToxicBotError(f"{path} cannot be written ({error.strerror})") from error


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
