"""What a person sees in the terminal: progress, and texts cut to fit."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

from rich.cells import cell_len, set_cell_size
from rich.console import Console

from toxic_bot.judge.errors import ToxicBotError


class ConsoleError(ToxicBotError):
    """A command cannot do what it was asked to do."""


def standard_input(what: str) -> BinaryIO:
    """Return standard input as a stream of bytes, and say so if it is a terminal.

    The stream has a buffer of its own. At exit Python locks the buffer of ``sys.stdin``,
    which a thread that still waits for a line would hold.

    Parameters
    ----------
    what
        What is read, such as ``JSON lines``.

    Raises
    ------
    ConsoleError
        When standard input is closed.
    """
    if sys.stdin is None:
        raise ConsoleError(f"standard input is closed: there are no {what} to read")
    if sys.stdin.isatty():
        print(f"Reading {what} from the terminal; end with Ctrl-D.", file=sys.stderr)
    return open(sys.stdin.fileno(), "rb", closefd=False)


def is_interactive() -> bool:
    """Report whether standard input and output are both a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


@contextmanager
def show_progress() -> Iterator[Callable[[str], None]]:
    """Show each step on standard error: as a spinner in a terminal, else as a line."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda step: console.print(step, highlight=False, markup=False, soft_wrap=True)
        return
    with console.status("") as status:
        yield lambda step: status.update(step)


def one_line(text: str) -> str:
    """Return a text without line breaks and without characters that control a terminal."""
    return "".join(
        character if character.isprintable() else "\N{REPLACEMENT CHARACTER}"
        for character in " ".join(text.split())
    )


def shorten(text: str, width: int) -> str:
    """Return a text of at most ``width`` columns; a longer one loses its middle.

    Abuse may come last, so the end of a text is worth showing.
    """
    if cell_len(text) <= width:
        return text
    half = (width - 3) // 2
    end = set_cell_size(text[::-1], half)[::-1]
    return f"{set_cell_size(text, half).rstrip()} … {end.lstrip()}"
