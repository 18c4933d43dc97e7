"""The words that people write, to recognize what a disguised or glued word stands for.

``words.txt`` holds the whole words of the encoder's vocabulary and those that several of its
training data sets have, such as slang. First come those that are most often meant where a letter
is hidden: the frequent ones, and what hurts (`model_build.rows.lexicon`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from string import ascii_lowercase

_FILE = Path(__file__).with_name("words.txt")
_MASK = "*"
_MIN_MASKED_LENGTH = 4
_MIN_MEAN_PART = 3
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@cache
def words() -> Mapping[str, int]:
    """Return the known words, in lower case, and the rank of each: 0 is most often meant."""
    lines = _FILE.read_text(encoding="ascii").split()
    return {word: rank for rank, word in enumerate(lines)}


@lru_cache(maxsize=20_000)
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
    if len(word) < _MIN_MASKED_LENGTH:
        return None
    return _likeliest(_fitting(word))


def _fitting(word: str) -> Iterator[str]:
    """Yield every word that the one mask in a word may stand for."""
    before, after = word.lower().split(_MASK)
    for letter in ascii_lowercase:
        yield before + letter + after


def _likeliest(candidates: Iterable[str]) -> str | None:
    known = words()
    return min(filter(known.__contains__, candidates), key=known.__getitem__, default=None)


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
    hidden = _fitting(masked) if len(letters) == 2 else ()
    word = _likeliest((joined.lower(), *hidden))
    if word is not None:
        return joined if word == joined.lower() else word
    known = words()
    if all(len(part) >= _MIN_MEAN_PART and part.lower() in known for part in letters):
        return f" {symbol} ".join(letters)
    return masked
