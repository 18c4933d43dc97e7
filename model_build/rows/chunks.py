"""Long texts cut into pieces, as the bot cuts a long message into windows.

The worst window decides over a message, so a model that has seen only beginnings calls too
many long messages toxic. A label belongs to its whole text: every piece of a text that is not
toxic is not toxic either, while of a toxic text only the whole is known.
"""

from __future__ import annotations

from collections.abc import Iterator

_WORDS = 90
"""Of a piece; about as many as there are in a window of 128 tokens."""
_SHARED = 20
_MOST = 12


def later_pieces(text: str) -> Iterator[str]:
    """Yield the pieces of a text after the first, which overlap; none of a short text.

    Parameters
    ----------
    text
        Normalized.
    """
    words = text.split()
    stride = _WORDS - _SHARED
    for number in range(1, _MOST + 1):
        if len(words) <= number * stride + _SHARED:
            return
        start = min(number * stride, len(words) - _WORDS)
        yield " ".join(words[start : start + _WORDS])
