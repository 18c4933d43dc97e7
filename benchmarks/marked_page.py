"""Tables that a command writes into a page, between two marks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from toxic_bot.judge.errors import ToxicBotError


def replace_between(path: Path, begin: str, end: str, text: str) -> None:
    """Put a text between the two marks of a page.

    Raises
    ------
    ToxicBotError
        When the page or its marks are missing.
    """
    try:
        page = path.read_text("utf-8")
        head, found_begin, rest = page.partition(begin)
        _, found_end, tail = rest.partition(end)
        if not (found_begin and found_end):
            raise ToxicBotError(f"{path} lacks the lines {begin} and {end}: add them")
        path.write_text(f"{head}{begin}\n\n{text}\n{end}{tail}", "utf-8")
    except OSError as error:
        raise ToxicBotError(f"{path} cannot be written ({error.strerror})") from error


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
