"""What happens to a text before the tokenizer, in the handler and in training alike.

The model only ever sees normalized text, so that a word disguised with look-alike
letters, full-width forms or invisible characters is the word it was trained on.
"""

from __future__ import annotations

import re
import unicodedata

# Cyrillic and Greek letters that look like Latin ones. They are replaced only inside
# words that hold a Latin letter too: a Russian word stays Russian.
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁһӏгпкмтвнАВЕКМНОРСТУХІЈЅαεορυνικτχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijsdhlrnkmtbhABEKMHOPCTYXIJSaeopuviktxABEZHIKMNOPTYX",
)
_LATIN = re.compile("[A-Za-z]")
_LOOKALIKE = re.compile("[\u0370-\u03ff\u0400-\u052f]")
_WORD = re.compile(r"\w+")
_SPACES = re.compile(r"\s+")
_KEPT_CONTROLS = frozenset("\t\n\r")


def normalize(text: str) -> str:
    """Return the form of a text that the tokenizer is given.

    Compatibility forms are folded (NFKC, Unicode Annex 15), invisible and control
    characters and unpaired surrogates are dropped, look-alike letters inside Latin
    words become Latin, emoji become their Unicode names and white space is folded.

    Parameters
    ----------
    text
        Plain text of any length; it may hold any code point.

    Returns
    -------
    str
        Normalized text; empty when nothing visible was in it. Normalizing twice
        gives the same text.
    """
    if text.isascii():
        visible = "".join(c for c in text if c.isprintable() or c in _KEPT_CONTROLS)
        return _SPACES.sub(" ", visible).strip()
    folded = unicodedata.normalize("NFKC", text)
    named = "".join(_visible(character) for character in folded)
    latin = _WORD.sub(_without_lookalikes, named)
    return _SPACES.sub(" ", unicodedata.normalize("NFKC", latin)).strip()


def _visible(character: str) -> str:
    category = unicodedata.category(character)
    if category in ("Cf", "Cs", "Co", "Cn", "Cc") or 0xFE00 <= ord(character) <= 0xFE0F:
        return character if character in _KEPT_CONTROLS else ""
    if category == "So" and ord(character) > 0x2000:
        return f" {unicodedata.name(character, '').lower()} "
    return character


def _without_lookalikes(match: re.Match[str]) -> str:
    word = match.group()
    if _LATIN.search(word) and _LOOKALIKE.search(word):
        return word.translate(_LOOKALIKES)
    return word
