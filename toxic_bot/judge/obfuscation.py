"""Words obfuscated to get past a filter, turned back into words.

Only what is cheap and safe to undo is undone: letters spaced out, digits and symbols that
stand for letters, letters repeated for emphasis, a masked letter that can only be one, words
glued together in CamelCase. The rest, such as swapped letters, is left to the model, which was
trained on it.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import cycle

from toxic_bot.judge.words import split_glued, unmask

_MASKED = re.compile(r"(?<![\w*#])([A-Za-z]+)[*#]([A-Za-z]+)(?![\w*#])")
# The end of the word is looked for once, not from each place where its case changes.
_CAMEL_CASE = re.compile(
    r"(?<![A-Za-z0-9_])(?=[A-Za-z]++(?![A-Za-z0-9_]))[A-Za-z]*[a-z][A-Z][A-Za-z]*"
)
# Letters between asterisks are only looked at from the first: what follows the last decides.
_APART = re.compile(
    r"(?<![^\W_])(?<!')(?!(?<=\b[A-Za-z]\*)(?<!'[A-Za-z]\*)[A-Za-z]\*)"
    r"[A-Za-z](?:([ ._*-])[A-Za-z])(?:\1[A-Za-z])+(?![^\W_]|[*#@$']\w)"
)
# "what a f o o l": the article is not part of the word, unless the word starts that way.
_ARTICLE = re.compile(r"a(?!ss|nu|rs)[a-z]{4,}$")
_APART_SEPARATOR = re.compile(r"[ ._*-]")
_INSIDE_WORD = r"[^\s\"'(),;:?<>\[\]{}`/\\=#&]"
# A word with a character in a place where it may stand for a letter: inside, first or last.
_WORD = re.compile(
    rf"(?<!{_INSIDE_WORD})"
    rf"(?={_INSIDE_WORD}*(?:[A-Za-z][013457@$|!]{{1,2}}[A-Za-z]|[a-z]{{4}}\$)|\$[a-z]{{2}}|@\$)"
    rf"{_INSIDE_WORD}+"
)
# An exclamation mark stands for a letter only near the start or the end of a word.
_INSIDE = re.compile(
    r"(?<=[A-Za-z])(?:[013457@$|]{1,2}|(?<![A-Za-z]{3})![@$]?|!(?=[A-Za-z]{1,3}$))(?=[A-Za-z])"
)
_DOLLAR_FIRST = re.compile(r"^\$(?=[a-z]{2,}$)")
_AT_FIRST = re.compile(r"^@(?=\$+[a-z])")
_DOLLAR_LAST = re.compile(r"(?<=[a-z]{4})\$\$?$")
_DIGIT_FIRST = re.compile(r"^[013457](?=[A-Za-z])")
_LETTERS = str.maketrans("013457@$!|", "oieastasil")
_ADDRESS = re.compile(r"[@.]\w+\.\w|^@|_|^www\.|(?:\d\D*){4}")
# Letters that English never doubles collapse to one, others to two. The letters e and o stay
# doubled in short words ("cool", "free") and become single in long ones ("loser", "idiot").
_REPEATED_SHORT = re.compile(
    r"\b([b-df-hj-np-tv-z]{1,2})([eo])\2{2,}(?=[a-z]{0,2}\b)", re.IGNORECASE
)
_REPEATED_ONE = re.compile(r"([aehijkoquvwxy])\1{2,}", re.IGNORECASE)
_REPEATED_TWO = re.compile(r"([bcdfglmnprstz])\1{2,}", re.IGNORECASE)


def deobfuscate(text: str) -> str:
    """Return the text with obviously obfuscated words spelled out.

    Parameters
    ----------
    text
        Text whose white space has been collapsed to single spaces.

    Returns
    -------
    str
        The text with ``i d i o t``, ``1d10t`` and ``idiiiiot`` turned into words. Addresses,
        mentions, versions and numbers are left alone. Applying it again changes nothing.
    """
    substitutions = (
        partial(_APART.sub, _joined),
        partial(_WORD.sub, _spelled),
        partial(_MASKED.sub, _unmasked),
        partial(_REPEATED_SHORT.sub, lambda run: run[1] + run[2] * 2),
        partial(_REPEATED_ONE.sub, lambda run: run[1]),
        partial(_REPEATED_TWO.sub, lambda run: run[1] * 2),
        partial(_CAMEL_CASE.sub, lambda word: split_glued(word.group())),
    )
    # Every change makes the text shorter, removes symbols or takes a CamelCase word apart for
    # good, so there comes a round of substitutions that change nothing.
    unchanged = 0
    for substitute in cycle(substitutions):
        changed = substitute(text)
        unchanged = unchanged + 1 if changed == text else 0
        text = changed
        if unchanged == len(substitutions):
            break
    return text


def _joined(match: re.Match[str]) -> str:
    word = _APART_SEPARATOR.sub("", match.group())
    if match.group(1) == " " and _ARTICLE.match(word):
        return f"{word[0]} {word[1:]}"
    return word


def _unmasked(match: re.Match[str]) -> str:
    word = unmask(f"{match[1]}*{match[2]}")
    if word is None:
        return match.group()
    return word.capitalize() if match.group()[0].isupper() else word


def _spelled(match: re.Match[str]) -> str:
    word = match.group()
    if word.startswith("@"):
        word = _AT_FIRST.sub("a", word)
    if _ADDRESS.search(word):
        return word
    if word.startswith("$"):
        word = _DOLLAR_FIRST.sub("s", word)
    if word.endswith("$"):
        word = _DOLLAR_LAST.sub(lambda dollars: "s" * len(dollars.group()), word)
    spelled = _INSIDE.sub(lambda symbols: symbols.group().translate(_LETTERS), word)
    if spelled != word and word[0].isdigit():
        spelled = _DIGIT_FIRST.sub(lambda digit: digit.group().translate(_LETTERS), spelled)
    return spelled
