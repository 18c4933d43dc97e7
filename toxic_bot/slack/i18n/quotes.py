"""How words of a text are quoted."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toxic_bot.slack.i18n.texts import Texts

MAX_SHOWN = 1_000
"""Characters of a text that are shown."""
MAX_WORD = 60
"""Characters of a word."""
MAX_WORDS = 8
"""Words of several that are named."""


def shorten(text: str, length: int) -> str:
    """Return the beginning of a text in one line."""
    in_one_line = " ".join(text.split())
    return in_one_line if len(in_one_line) <= length else f"{in_one_line[: length - 1]}…"


def name_words(words: Iterable[str], texts: Texts) -> str:
    """Return words in quotes, the first few of them."""
    quote = texts["verdict"]["quote"]
    first = islice(words, MAX_WORDS)
    return ", ".join(quote.format(words=shorten(one, MAX_WORD)) for one in first)
