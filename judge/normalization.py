"""Normalization: what happens to a text before the tokenizer, when serving and in training.

The model only ever sees normalized text. A word obfuscated with look-alike letters,
full-width forms or invisible characters therefore reaches it as the word it was trained on.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

from judge.obfuscation import deobfuscate

MAX_LENGTH = 60_000
"""Characters of normalized text that are judged: all of a Slack message, unless normalization
expands it."""

MAX_MARKS = 30
"""Combining characters in a row; no written language uses more."""

# Cyrillic and Greek letters that look like Latin ones. They are replaced only in words that
# also contain a Latin letter: a Russian word stays Russian.
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁһӏгпкмтвнАВЕКМНОРСТУХІЈЅαεορυνικτχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijsdhlrnkmtbhABEKMHOPCTYXIJSaeopuviktxABEZHIKMNOPTYX",
)
_LATIN = re.compile("[A-Za-z]")
_LOOKALIKE = re.compile("[\u0370-\u03ff\u0400-\u052f]")
_WORD = re.compile(r"\w+")
_STACKED = re.compile(rf"m{{{MAX_MARKS + 1},}}")
_SPACES = re.compile(r"\s+")
_KEPT_CONTROLS = frozenset("\t\n\r")
_CONTROLS = {
    code: None
    for code in range(128)
    if not chr(code).isprintable() and chr(code) not in _KEPT_CONTROLS
}
_QUOTES = str.maketrans("\u2018\u2019\u201b\u201c\u201d\u201f\u2013\u2014", "'''\"\"\"--")
_LETTER_NAME = re.compile(
    r"LATIN LETTER SMALL CAPITAL ([A-Z])$|SQUARED LATIN CAPITAL LETTER ([A-Z])$"
    r"|CIRCLED LATIN CAPITAL LETTER ([A-Z])$|REGIONAL INDICATOR SYMBOL LETTER ([A-Z])$"
)
_SKIN_TONES = {
    "\U0001f3fb": "light",
    "\U0001f3fc": "medium-light",
    "\U0001f3fd": "medium",
    "\U0001f3fe": "medium-dark",
    "\U0001f3ff": "dark",
}


class _Table:
    """A table for `str.translate` that computes its entries when they are first needed."""

    def __init__(self, entry: Callable[[int], str]) -> None:
        self._entry = lru_cache(maxsize=20_000)(entry)

    def __getitem__(self, code: int) -> str:
        return self._entry(code)


def normalize(text: str) -> str:
    """Return a text in the form that the tokenizer expects.

    Compatibility forms are folded (NFKC, Unicode Annex 15). Invisible characters, control
    characters and unpaired surrogates are dropped. Look-alike letters in Latin words become
    Latin, emoji become their Unicode names, obfuscated words are spelled out
    (`judge.obfuscation`) and white space is collapsed. The work is linear in the length.

    Parameters
    ----------
    text
        Plain text of any length; it may contain any code point.

    Returns
    -------
    str
        Normalized text; empty if nothing in it was visible. Normalizing it again changes
        nothing. Of a very long text, the first and last `MAX_LENGTH` / 2 characters.
    """
    if text.isascii():
        return deobfuscate(_bounded(text.translate(_CONTROLS)))
    folded = _bounded(unicodedata.normalize("NFKC", _without_stacked_marks(text)))
    visible = _bounded(folded.translate(_VISIBLE))
    latin = _WORD.sub(_without_lookalikes, visible) if _LOOKALIKE.search(visible) else visible
    return deobfuscate(_bounded(unicodedata.normalize("NFKC", latin).translate(_QUOTES)))


def _bounded(text: str) -> str:
    """Collapse white space, and cut the middle out of what is longer than `MAX_LENGTH`."""
    collapsed = _SPACES.sub(" ", text).strip()
    if len(collapsed) <= MAX_LENGTH:
        return collapsed
    half = MAX_LENGTH // 2
    return f"{collapsed[:half].rstrip()} {collapsed[1 - half :].lstrip()}"


def _without_stacked_marks(text: str) -> str:
    """Return the text with no more than `MAX_MARKS` combining characters in a row.

    Normalization sorts them, and Python's takes quadratic time (stream-safe text format,
    Unicode Annex 15).
    """
    classes = text.translate(_COMBINING)
    stacks = list(_STACKED.finditer(classes))
    if not stacks:
        return text
    starts = [0, *(stack.end() for stack in stacks)]
    ends = [*(stack.start() + MAX_MARKS for stack in stacks), len(text)]
    return "".join(text[start:end] for start, end in zip(starts, ends, strict=True))


def _combining(code: int) -> str:
    decomposed = unicodedata.normalize("NFKD", chr(code))
    return "m" if unicodedata.combining(decomposed[-1]) else "."


def _visible(code: int) -> str:
    character = chr(code)
    category = unicodedata.category(character)
    if category in ("Cf", "Cs", "Co", "Cn", "Cc") or 0xFE00 <= ord(character) <= 0xFE0F:
        return character if character in _KEPT_CONTROLS else ""
    if "\u0300" <= character <= "\u036f":
        # A mark that combines with no letter: strikethrough and "zalgo" text.
        return ""
    if character in _SKIN_TONES:
        return f" {_SKIN_TONES[character]} skin tone "
    if category in ("So", "Ll", "Lo") and ord(character) >= 0x250:
        name = unicodedata.name(character, "")
        letter = _LETTER_NAME.search(name)
        if letter:
            return next(group for group in letter.groups() if group).lower()
        if category == "So" and ord(character) > 0x2000:
            return f" {name.lower()} "
    return character


_VISIBLE = _Table(_visible)
_COMBINING = _Table(_combining)


def _without_lookalikes(match: re.Match[str]) -> str:
    word = match.group()
    if _LATIN.search(word) and _LOOKALIKE.search(word):
        return word.translate(_LOOKALIKES)
    return word
