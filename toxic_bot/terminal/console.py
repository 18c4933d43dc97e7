"""What a person types into a terminal, and sees there: texts cut to fit, and in color."""

from __future__ import annotations

import getpass
import os
import sys
import unicodedata
import warnings
from enum import Enum
from typing import BinaryIO

from toxic_bot.judge.errors import ToxicBotError


class Style(Enum):
    """How a text is shown, as the codes of ANSI's select graphic rendition."""

    BOLD = "1"
    DIM = "2"
    RED = "31"
    GREEN = "32"


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


def ask_secret(what: str) -> str:
    """Ask for a secret without showing it, or read it as a line of what is not a terminal.

    Parameters
    ----------
    what
        What to enter.

    Raises
    ------
    ConsoleError
        When there is nothing to read, or the terminal would show what is typed.
    """
    if sys.stdin is None or not sys.stdin.isatty():
        line = "" if sys.stdin is None else sys.stdin.readline()
        if not line.strip():
            raise ConsoleError(f"standard input ends before the {what}: give it a line of its own")
        return line
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", getpass.GetPassWarning)
            return getpass.getpass(f"{what}: ")
    except (EOFError, getpass.GetPassWarning) as error:
        raise ConsoleError(
            f"the {what} cannot be read unseen here: use another terminal, or standard input"
        ) from error


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
    if _columns(text) <= width:
        return text
    half = (width - 3) // 2
    end = _cut(text[::-1], half)[::-1]
    return f"{_cut(text, half).rstrip()} … {end.lstrip()}"


def _cut(text: str, width: int) -> str:
    columns = 0
    for place, character in enumerate(text):
        columns += _columns(character)
        if columns > width:
            return text[:place]
    return text


def _columns(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return sum(
        0 if unicodedata.combining(one) else 2 if unicodedata.east_asian_width(one) in "WF" else 1
        for one in text
    )


def styled(text: str, style: Style) -> str:
    """Return a text in a style, if standard output is a terminal that shows styles."""
    if not sys.stdout.isatty() or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb":
        return text
    return f"\x1b[{style.value}m{text}\x1b[0m"
