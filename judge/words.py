"""English words, to recognize what an obfuscated or glued word stands for.

``words.txt`` holds the whole words of the encoder's vocabulary, most frequent first.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path
from string import ascii_lowercase

_FILE = Path(__file__).with_name("words.txt")
_MASK = "*"
_MIN_MASKED_LENGTH = 4
_MIN_MEAN_PART = 3
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@cache
def words() -> frozenset[str]:
    """Return the known words, in lower case."""
    return frozenset(_FILE.read_text(encoding="ascii").split())


@lru_cache(maxsize=20_000)
def unmask(word: str) -> str | None:
    """Return the only known word that fits a word with one masked letter.

    Parameters
    ----------
    word
        Letters with one ``*`` among them, such as ``m*rder``.

    Returns
    -------
    str or None
        None when no known word fits, or several do.
    """
    if len(word) < _MIN_MASKED_LENGTH or word.count(_MASK) != 1:
        return None
    before, after = word.lower().split(_MASK)
    fitting = [
        candidate for letter in ascii_lowercase if (candidate := before + letter + after) in words()
    ]
    return fitting[0] if len(fitting) == 1 else None


def split_glued(word: str) -> str:
    """Return a CamelCase word with spaces between its parts if each is a known word.

    Parameters
    ----------
    word
        Letters, such as ``YouAreTrash``. ``iDiOt`` stays as it is.
    """
    parts = _PART.findall(word)
    if len(parts) < 2 or len(word) < _MIN_MEAN_PART * len(parts):
        return word
    known = words()
    return " ".join(parts) if all(part.lower() in known for part in parts) else word


def separate(letters: tuple[str, ...], symbol: str) -> str:
    """Return what a word means whose letters are interrupted by an emoji.

    Parameters
    ----------
    letters
        The runs of letters around the emoji; at least two.
    symbol
        The emoji, in words.

    Returns
    -------
    str
        The word without the emoji if that is a known word (``id🌟iot``), the word with the
        emoji taken for a letter (``D🌟ath``), the words beside it (``good🎉job``), or else
        the letters with an asterisk for the emoji.
    """
    known = words()
    joined = "".join(letters)
    if joined.lower() in known:
        return joined
    masked = _MASK.join(letters)
    word = unmask(masked)
    if word is not None:
        return word
    if all(len(part) >= _MIN_MEAN_PART and part.lower() in known for part in letters):
        return f" {symbol} ".join(letters)
    return masked
