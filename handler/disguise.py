"""Words written so that a filter does not see them, turned back into words.

Only what is cheap and safe is undone here: letters set apart, digits and signs
inside a word that stand for letters, letters repeated for length. What is left
(asterisks, swapped letters) the model has been trained on.
"""

from __future__ import annotations

import re

_APART = re.compile(r"(?<![^\W_])[A-Za-z](?:([ ._*-])[A-Za-z])(?:\1[A-Za-z])+(?![^\W_])")
# "what a f o o l": the article is no part of the word, unless the word begins so.
_ARTICLE = re.compile(r"a(?!ss|nu|rs)[a-z]{4,}$")
_APART_SEPARATOR = re.compile(r"[ ._*-]")
_WORD = re.compile(r"[^\s\"'(),;:?<>\[\]{}`/\\=#&]+")
# An exclamation mark is a letter only near the start or the end of a word.
_INSIDE = re.compile(
    r"(?<=[A-Za-z])(?:[013457@$|]{1,2}|(?<![A-Za-z]{3})![@$]?|!(?=[A-Za-z]{1,3}$))(?=[A-Za-z])"
)
_DOLLAR_FIRST = re.compile(r"^\$(?=[a-z]{2,}$)")
_AT_FIRST = re.compile(r"^@(?=\$+[a-z])")
_DOLLAR_LAST = re.compile(r"(?<=[a-z]{4})\$\$?$")
_DIGIT_FIRST = re.compile(r"^[013457](?=[A-Za-z])")
_SIGNS = str.maketrans("013457@$!|", "oieastasil")
_ADDRESS = re.compile(r"[@.]\w+\.\w|^@|_|^www\.|(?:\d\D*){4}")
# Letters that English never doubles collapse to one, the others to two; e and o are
# doubled in short words ("cool", "free") and single in long ones ("loser", "idiot").
_REPEATED_SHORT = re.compile(
    r"\b([b-df-hj-np-tv-z]{1,2})([eo])\2{2,}(?=[a-z]{0,2}\b)", re.IGNORECASE
)
_REPEATED_ONE = re.compile(r"([aehijkoquvwxy])\1{2,}", re.IGNORECASE)
_REPEATED_TWO = re.compile(r"([bcdfglmnprstz])\1{2,}", re.IGNORECASE)


def undisguise(text: str) -> str:
    """Return the text with plainly disguised words written out.

    Parameters
    ----------
    text
        Text in which white space is already folded to single blanks.

    Returns
    -------
    str
        The text with ``i d i o t``, ``1d10t`` and ``idiiiiot`` turned into words;
        addresses, mentions, versions and numbers are left alone. Doing it twice
        changes nothing more.
    """
    while True:
        # Each round either leaves the text alone or makes it shorter or freer of
        # signs, so that this ends.
        changed = _APART.sub(_joined, text)
        changed = _WORD.sub(_spelled, changed)
        changed = _REPEATED_SHORT.sub(r"\1\2\2", changed)
        changed = _REPEATED_ONE.sub(r"\1", changed)
        changed = _REPEATED_TWO.sub(r"\1\1", changed)
        if changed == text:
            return text
        text = changed


def _joined(match: re.Match[str]) -> str:
    word = _APART_SEPARATOR.sub("", match.group())
    if match.group(1) == " " and _ARTICLE.match(word):
        return f"{word[0]} {word[1:]}"
    return word


def _spelled(match: re.Match[str]) -> str:
    word = match.group()
    if word.isalpha():
        return word
    word = _AT_FIRST.sub("a", word)
    if _ADDRESS.search(word):
        return word
    word = _DOLLAR_FIRST.sub("s", word)
    word = _DOLLAR_LAST.sub(lambda signs: "s" * len(signs.group()), word)
    spelled = _INSIDE.sub(lambda signs: signs.group().translate(_SIGNS), word)
    if spelled != word:
        spelled = _DIGIT_FIRST.sub(lambda digit: digit.group().translate(_SIGNS), spelled)
    return spelled
