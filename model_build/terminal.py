"""Tables and progress reports on the terminal."""

from __future__ import annotations

import datetime
import logging
import time
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from model_build import work as processes

logger = logging.getLogger(__name__)
LOG_SECONDS = 30.0
"""Seconds between two progress lines in the log, where there is no terminal for a bar."""


def show(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table on standard output."""
    table = Table(title=title, title_justify="left")
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left")
    for row in rows:
        table.add_row(*row)
    Console(width=None if Console().is_terminal else 120).print(table)


def progress() -> Progress:
    """Return a progress bar on standard error.

    Where that is not a terminal, the bar is disabled and `Progress.track` logs a line about
    every 30 seconds instead. So it is in all training processes but the first.
    """
    console = Console(stderr=True)
    if not (console.is_terminal and processes.IS_FIRST):
        return _LoggedProgress(console)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
    )


def format_duration(seconds: float) -> str:
    """Return a duration as hours, minutes and seconds: ``0:02:30``."""
    return str(datetime.timedelta(seconds=round(seconds)))


class _LoggedProgress(Progress):
    """Progress that is logged instead of drawn."""

    def __init__(self, console: Console) -> None:
        # Without automatic refresh, track() calls refresh() after every item.
        super().__init__(console=console, auto_refresh=False, disable=True)
        self._last_logged = time.monotonic()

    def refresh(self) -> None:
        """Log the state of every task if `LOG_SECONDS` have passed since the last time."""
        if time.monotonic() - self._last_logged < LOG_SECONDS:
            return
        self._last_logged = time.monotonic()
        for task in self.tasks:
            total = "?" if task.total is None else f"{task.total:.0f}"
            seconds = task.time_remaining
            time_left = "" if seconds is None else f", {format_duration(seconds)} left"
            logger.info("%s: %.0f of %s%s", task.description, task.completed, total, time_left)
