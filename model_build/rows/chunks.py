"""Long texts cut into chunks, as the bot cuts a long message into windows.

The most toxic window decides for a message, so a model that was trained on beginnings only
flags too many long messages. A label applies to the text as a whole: every chunk of a text
that is not toxic is not toxic either, but for a chunk of a toxic text the label is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator

_CHUNK_WORDS = 90
"""About as many words as a window of 128 tokens holds."""
_OVERLAP_WORDS = 20
_MAX_CHUNKS = 12


def later_chunks(text: str) -> Iterator[str]:
    """Yield the overlapping chunks of a text except the first; nothing for a short text.

    Parameters
    ----------
    text
        Normalized text.
    """
    words = text.split()
    stride = _CHUNK_WORDS - _OVERLAP_WORDS
    for number in range(1, _MAX_CHUNKS + 1):
        if len(words) <= number * stride + _OVERLAP_WORDS:
            return
        start = min(number * stride, len(words) - _CHUNK_WORDS)
        yield " ".join(words[start : start + _CHUNK_WORDS])
