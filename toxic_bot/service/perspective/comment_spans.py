"""A comment's sentences, as spans of characters."""

from __future__ import annotations

import re

MAX_SPANS = 64
"""Spans of a comment; the last one is the rest of a longer comment."""
# A sentence ends with punctuation before white space, or at the end of a line.
_SENTENCE = re.compile(r"\S(?:[^\n.!?…]|[.!?…](?!\s|$))*[.!?…]*")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the beginning and end of each sentence, white space around it left out.

    Parameters
    ----------
    text
        A comment; if it has no sentence, the result is empty.
    """
    spans = [_trimmed(text, *match.span()) for match in _SENTENCE.finditer(text)]
    if len(spans) > MAX_SPANS:
        rest = (spans[MAX_SPANS - 1][0], spans[-1][1])
        spans = [*spans[: MAX_SPANS - 1], rest]
    return spans


def _trimmed(text: str, begin: int, end: int) -> tuple[int, int]:
    return begin, begin + len(text[begin:end].rstrip())
