"""The words that people write, to recognize what a disguised or glued word stands for.

``words.txt`` holds the whole words of the encoder's vocabulary and those that several of its
training data sets have, such as slang. First come those that are most often meant where a letter
is hidden: the frequent ones, and what hurts (`model_build.rows.lexicon`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from string import ascii_lowercase

_FILE = Path(__file__).with_name("words.txt")
_FOREIGN_FILE = Path(__file__).with_name("foreign_words.txt")
_MASK = "*"
_MIN_MASKED_LENGTH = 4
_MIN_MEAN_PART = 3
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@cache
def words() -> Mapping[str, int]:
    """Return the known words, in lower case, and the rank of each: 0 is most often meant."""
    lines = _FILE.read_text(encoding="ascii").split()
    return {word: rank for rank, word in enumerate(lines)}


@cache
def foreign_words() -> frozenset[str]:
    """Return the words that tell that a text is not in English, without marks, in lower case."""
    return frozenset(_FOREIGN_FILE.read_text(encoding="ascii").split())


def unmask(word: str) -> str | None:
    """Return the known word that most likely stands behind one with a masked letter.

    Parameters
    ----------
    word
        Letters with one ``*`` among them, such as ``m*rder``.

    Returns
    -------
    str or None
        None when no known word fits, or the word is too short to tell.
    """
    return None if len(word) < _MIN_MASKED_LENGTH else _filled(word)


@lru_cache(maxsize=20_000)
def _filled(word: str) -> str | None:
    """Return the likeliest known word with a letter for the mask."""
    before, after = word.lower().split(_MASK)
    known = words()
    fitting = [
        candidate for letter in ascii_lowercase if (candidate := before + letter + after) in known
    ]
    return min(fitting, key=known.__getitem__) if fitting else None


def split_glued(word: str) -> str:
    """Return a CamelCase word with spaces between its parts if each is a known word.

    Parameters
    ----------
    word
        Letters, such as ``YouAreTrash``. ``iDiOt`` stays as it is, and so does what people
        write as one word, such as ``GitHub``.
    """
    parts = _PART.findall(word)
    if len(parts) < 2 or len(word) < _MIN_MEAN_PART * len(parts):
        return word
    known = words()
    if len(parts) == 2 and word.lower() in known:
        return word
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
        The likeliest known word, without the emoji (``id🌟iot``) or with a
        letter in its place (``D🌟ath``); the words beside it (``good🎉job``), or else the
        letters with an asterisk for the emoji.
    """
    joined, masked = "".join(letters), _MASK.join(letters)
    filled = _filled(masked) if len(letters) == 2 else None
    known = words()
    rank = known.get(joined.lower())
    if filled is not None and (rank is None or known[filled] < rank):
        return filled
    if rank is not None:
        return joined
    if all(len(part) >= _MIN_MEAN_PART and part.lower() in known for part in letters):
        return f" {symbol} ".join(letters)
    return masked
