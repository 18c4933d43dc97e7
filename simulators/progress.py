"""The steps of a long start, shown as they are taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console


@contextmanager
def show_progress() -> Iterator[Callable[[str], None]]:
    """Show each step on standard error: as a spinner in a terminal, else as a line."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda step: console.print(step, highlight=False, markup=False, soft_wrap=True)
        return
    with console.status("") as status:
        yield lambda step: status.update(step)
