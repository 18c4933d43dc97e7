"""What a person sees while things start: progress on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console


def is_interactive() -> bool:
    """Tell whether a person sits at both ends."""
    return sys.stdin.isatty() and sys.stdout.isatty()


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Show steps as they come: a spinner on a terminal, a line each elsewhere."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda step: console.print(f"starting {step}", highlight=False, soft_wrap=True)
        return
    with console.status("starting") as status:
        yield lambda step: status.update(f"starting {step}")
