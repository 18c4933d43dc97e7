"""What happens to a text before the tokenizer, in the handler and in training alike.

The model only ever sees normalized text, so that a word disguised with look-alike
letters, full-width forms or invisible characters is the word it was trained on.
"""

from __future__ import annotations

import re
import unicodedata

from handler.disguise import undisguise

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


def normalize(text: str) -> str:
    """Return the form of a text that the tokenizer is given.

    Compatibility forms are folded (NFKC, Unicode Annex 15), invisible and control
    characters and unpaired surrogates are dropped, look-alike letters inside Latin
    words become Latin, emoji become their Unicode names, disguised words are written
    out (`handler.disguise`) and white space is folded.

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
        return undisguise(_SPACES.sub(" ", visible).strip())
    folded = unicodedata.normalize("NFKC", text)
    named = "".join(_visible(character) for character in folded)
    latin = _WORD.sub(_without_lookalikes, named)
    plain = unicodedata.normalize("NFKC", latin).translate(_QUOTES)
    return undisguise(_SPACES.sub(" ", plain).strip())


def _visible(character: str) -> str:
    category = unicodedata.category(character)
    if category in ("Cf", "Cs", "Co", "Cn", "Cc") or 0xFE00 <= ord(character) <= 0xFE0F:
        return character if character in _KEPT_CONTROLS else ""
    if "\u0300" <= character <= "\u036f":
        # A mark that composes with no letter: struck-through and heaped-up writing.
        return ""
    if character in _SKIN_TONES:
        return f" {_SKIN_TONES[character]} skin tone "
    if category in ("So", "Ll", "Lo") and ord(character) >= 0x250:
        name = unicodedata.name(character, "")
        letter = _LETTER_NAME.search(name)
        if letter:
            return next(found for found in letter.groups() if found).lower()
        if category == "So" and ord(character) > 0x2000:
            return f" {name.lower()} "
    return character


def _without_lookalikes(match: re.Match[str]) -> str:
    word = match.group()
    if _LATIN.search(word) and _LOOKALIKE.search(word):
        return word.translate(_LOOKALIKES)
    return word
