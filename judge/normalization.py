"""Normalization: what happens to a text before the tokenizer, when serving and in training.

The model only ever sees normalized text. A word obfuscated with look-alike letters,
full-width forms or invisible characters therefore reaches it as the word it was trained on.
"""

from __future__ import annotations

import re
import unicodedata

from judge.obfuscation import deobfuscate

# Cyrillic and Greek letters that look like Latin ones. They are replaced only in words that
# also contain a Latin letter: a Russian word stays Russian.
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
    """Return a text in the form that the tokenizer expects.

    Compatibility forms are folded (NFKC, Unicode Annex 15). Invisible characters, control
    characters and unpaired surrogates are dropped. Look-alike letters in Latin words become
    Latin, emoji become their Unicode names, obfuscated words are spelled out
    (`judge.obfuscation`) and white space is collapsed.

    Parameters
    ----------
    text
        Plain text of any length; it may contain any code point.

    Returns
    -------
    str
        Normalized text; empty if nothing in it was visible. Normalizing it again changes
        nothing.
    """
    if text.isascii():
        visible = "".join(c for c in text if c.isprintable() or c in _KEPT_CONTROLS)
        return deobfuscate(_SPACES.sub(" ", visible).strip())
    folded = unicodedata.normalize("NFKC", text)
    named = "".join(_visible(character) for character in folded)
    latin = _WORD.sub(_without_lookalikes, named)
    plain = unicodedata.normalize("NFKC", latin).translate(_QUOTES)
    return deobfuscate(_SPACES.sub(" ", plain).strip())


def _visible(character: str) -> str:
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


def _without_lookalikes(match: re.Match[str]) -> str:
    word = match.group()
    if _LATIN.search(word) and _LOOKALIKE.search(word):
        return word.translate(_LOOKALIKES)
    return word
