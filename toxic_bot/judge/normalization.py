"""Normalization: what happens to a text before the tokenizer, when serving and in training.

The model only ever sees normalized text, in ASCII. A word obfuscated with look-alike letters,
full-width forms or invisible characters therefore reaches it as the word it was trained on, and
no sign that its vocabulary lacks can look like anything to it. Letters of other scripts are
left out; a text that mostly consists of them is not legible.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

from toxic_bot.judge.obfuscation import deobfuscate
from toxic_bot.judge.words import separate

MAX_LENGTH = 60_000
"""Characters of normalized text that are judged: all of a Slack message, unless normalization
expands it."""

MAX_MARKS = 30
"""Combining characters in a row; no written language uses more."""

# They stand for 18 and 8 characters, all other characters for 6 at most.
_LONG_LIGATURES = re.compile("[\ufdfa\ufdfb]")
_MAX_LONG_LIGATURES = MAX_LENGTH // 2 // 8 + 1
"""As many on either side fill what is kept of a text."""

# Cyrillic and Greek letters that look like Latin ones. They are replaced only in words that
# also contain a Latin letter: a Russian word stays Russian.
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁһӏгпкмтвнАВЕКМНОРСТУХІЈЅαεορυνικτχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijsdhlrnkmtbhABEKMHOPCTYXIJSaeopuviktxABEZHIKMNOPTYX",
)
_MIXED_WORD = re.compile(r"\b(?=\w*[\u0370-\u052f])(?=\w*[A-Za-z])\w+")
_STACKED = re.compile(rf"m{{{MAX_MARKS + 1},}}")
_FOREIGN = re.compile(r"[^\x00-\x7f]+")
_MARKED_LETTERS = "\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f"
_FOREIGN_BUT_MARKED = re.compile(rf"[^\x00-\x7f{_MARKED_LETTERS}]+")
_MARKED_LETTER = re.compile(rf"[{_MARKED_LETTERS}]")
_KEPT_CONTROLS = frozenset("\t\n\r")
_CONTROLS = {
    code: None
    for code in range(128)
    if not chr(code).isprintable() and chr(code) not in _KEPT_CONTROLS
}
_LETTER_NAME = re.compile(
    r"LATIN LETTER SMALL CAPITAL ([A-Z])$|SQUARED LATIN CAPITAL LETTER ([A-Z])$"
    r"|CIRCLED LATIN CAPITAL LETTER ([A-Z])$|REGIONAL INDICATOR SYMBOL LETTER ([A-Z])$"
)
_LATIN_NAME = re.compile(
    r"LATIN (SMALL|CAPITAL) (?:LETTER|LIGATURE) (?:DOTLESS )?([A-Z]{1,2})(?: WITH .*)?$"
)
# What else has an equivalent that the vocabulary knows. Signs without one become spaces.
_EQUIVALENTS = {
    "ß": "ss", "ẞ": "SS", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ŋ": "n", "ĸ": "k", "ɑ": "a",
    "ə": "e", "ɡ": "g", "ɩ": "i", "‘": "'", "’": "'", "‛": "'", "′": "'", "´": "'", "‹": "'",
    "›": "'", "“": '"', "”": '"', "„": '"', "‟": '"', "«": '"', "»": '"', "‚": ",", "×": "x",
    "÷": "/", "⁄": "/", "−": "-", "•": "-", "·": "-", "‣": "-", "¡": "!", "¿": "?", "、": ", ",
    "。": ". ", "→": "->", "⇒": "=>", "←": "<-", "⇐": "<=", "↔": "<->", "≠": "!=", "≤": "<=",
    "≥": ">=", "≈": "~", "¦": "|", "♥": " heart ", "♡": " heart ", "❤": " heart ",
    "☺": " smiling face ", "☹": " frowning face ",
}  # fmt: skip
_BY_CATEGORY = {"Sc": "$", "Pd": "-", "Pi": '"', "Pf": '"', "Ps": "(", "Pe": ")"}
_SHAPE = re.compile(r"^(?:heavy |black |white |negative |squared |circled )+")
_LETTERS_APART = re.compile(r"[A-Za-z][^\x00-\x7f]+[A-Za-z]")
_INTERRUPTED = re.compile(r"(?<![A-Za-z])[A-Za-z]++(?:\ufffc+[A-Za-z]+)+")
_INTERRUPTION = "\ufffc"
_LETTER_OF_ANOTHER_SCRIPT = "\u4e00"
_MAX_DISTINCT = 1_000
"""Distinct characters of a text that are looked at; looking at one takes microseconds."""
_MAX_ENTRIES = 20_000
"""Characters that a table remembers; a text may contain any of a million."""
_MAX_FOREIGN_SHARE = 0.5
"""Letters of other scripts for each Latin letter, up to which a text is legible."""
# Invisible between an emoji and the letter after it.
_JOINERS = re.compile("[\u200d\ufe0e\ufe0f\u20e3]+")
_SKIN_TONES = {
    "\U0001f3fb": "light",
    "\U0001f3fc": "medium-light",
    "\U0001f3fd": "medium",
    "\U0001f3fe": "medium-dark",
    "\U0001f3ff": "dark",
}


class _Table(dict[int, str]):
    """A table for `str.translate` that computes its entries when they are first needed."""

    def __init__(self, entry: Callable[[int], str]) -> None:
        super().__init__()
        self._entry = entry

    def __missing__(self, code: int) -> str:
        if len(self) >= _MAX_ENTRIES:
            self.clear()
        entry = self[code] = self._entry(code)
        return entry


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as the model reads it.

    Parameters
    ----------
    text
        Normalized text, empty if nothing in it could be read: ASCII and, if marks are kept, Latin
        letters with marks.
    legible
        Whether enough of it could be read to be judged.
    """

    text: str
    legible: bool


def normalize(text: str, *, marks: bool = False) -> str:
    """Return a text in the form that the tokenizer expects; see `read`."""
    return read(text, marks=marks).text


def read(text: str, *, marks: bool = False) -> Reading:
    """Bring a text into the form that the tokenizer expects.

    Compatibility forms are folded (NFKC, Unicode Annex 15). Invisible characters, control
    characters and unpaired surrogates are dropped. Look-alike letters in Latin words become
    Latin, marks on letters are dropped, emoji become their Unicode names and an emoji within a
    word becomes the letter that it hides. Signs become their ASCII equivalents or spaces,
    obfuscated words are spelled out (`toxic_bot.judge.obfuscation`) and white space is collapsed.
    The work is linear in the length. From the `_MAX_DISTINCT`-th different character on, those that
    are not ASCII count as letters of another script.

    Parameters
    ----------
    text
        Plain text of any length; it may contain any code point.
    marks
        Whether marks on Latin letters are kept, for a model that reads more than English: é, ß and
        ñ stay as they are.

    Returns
    -------
    Reading
        Normalizing its text again changes nothing. Of a very long text, it has the first and
        last `MAX_LENGTH` / 2 characters.
    """
    if text.isascii():
        return Reading(deobfuscate(_bounded(text.translate(_CONTROLS))), legible=True)
    text = _without_too_many_characters(text)
    folded = _bounded(_folded(_without_long_ligatures(text)))
    visible = _bounded(_without_interruptions(folded).translate(_VISIBLE))
    latin = _MIXED_WORD.sub(_without_lookalikes, visible)
    # Once more: marks meet when what is invisible between them goes.
    spelled = _folded(latin).translate(_SPELLED_WITH_MARKS if marks else _SPELLED)
    if spelled.isascii():
        return Reading(deobfuscate(_bounded(spelled)), legible=True)
    # Whatever is not ASCII, or a letter with a mark that is kept, is of another script by now.
    other = _FOREIGN_BUT_MARKED if marks else _FOREIGN
    ours = other.sub("", spelled)
    foreign = len(spelled) - len(ours)
    latin_letters = sum(map(str.isalpha, ours))
    legible = foreign <= _MAX_FOREIGN_SHARE * (latin_letters - _letters_of_names(folded))
    readable = other.sub(" ", spelled)
    return Reading(deobfuscate(_bounded(readable)), legible)


def _without_too_many_characters(text: str) -> str:
    """Return the text with few enough different characters."""
    distinct = dict.fromkeys(text)
    if len(distinct) <= _MAX_DISTINCT:
        return text
    kept = frozenset(islice(distinct, _MAX_DISTINCT)).union(map(chr, range(128)))
    return "".join([one if one in kept else _LETTER_OF_ANOTHER_SCRIPT for one in text])


def _letters_of_names(text: str) -> int:
    """Return the number of letters in the names of the emoji in a text."""
    return sum(
        times * sum(map(str.isalpha, _VISIBLE[ord(character)]))
        for character, times in Counter(text).items()
        if _MARKED[ord(character)] == _INTERRUPTION
    )


def _without_interruptions(text: str) -> str:
    """Return the text with emoji inside words taken for letters."""
    text = _JOINERS.sub("", text)
    if not _LETTERS_APART.search(text):
        return text
    marked = text.translate(_MARKED)
    parts: list[str] = []
    end = 0
    for match in _INTERRUPTED.finditer(marked):
        symbol = text[marked.index(_INTERRUPTION, match.start())]
        parts += [
            text[end : match.start()],
            separate(
                tuple(match.group().split(_INTERRUPTION)), unicodedata.name(symbol, "").lower()
            ),
        ]
        end = match.end()
    return "".join([*parts, text[end:]])


def _without_long_ligatures(text: str) -> str:
    """Cut the middle out of a text if ligatures would fill both ends that `_bounded` keeps."""
    places = [ligature.start() for ligature in _LONG_LIGATURES.finditer(text)]
    if len(places) <= 2 * _MAX_LONG_LIGATURES:
        return text
    return text[: places[_MAX_LONG_LIGATURES]] + text[places[-_MAX_LONG_LIGATURES] :]


def _bounded(text: str) -> str:
    """Collapse white space, and cut the middle out of what is longer than `MAX_LENGTH`."""
    collapsed = " ".join(text.split())
    if len(collapsed) <= MAX_LENGTH:
        return collapsed
    half = MAX_LENGTH // 2
    return f"{collapsed[:half].rstrip()} {collapsed[1 - half :].lstrip()}"


def _folded(text: str) -> str:
    """Return the text in NFKC with no more than `MAX_MARKS` combining characters in a row.

    Normalization sorts them, and Python's takes quadratic time (stream-safe text format,
    Unicode Annex 15).
    """
    classes = text.translate(_COMBINING)
    stacks = list(_STACKED.finditer(classes))
    starts = [0, *(stack.end() for stack in stacks)]
    ends = [*(stack.start() + MAX_MARKS for stack in stacks), len(text)]
    kept = "".join(text[start:end] for start, end in zip(starts, ends, strict=True))
    return unicodedata.normalize("NFKC", kept)


def _combining(code: int) -> str:
    decomposed = unicodedata.normalize("NFKD", chr(code))
    return "m" if unicodedata.combining(decomposed[-1]) else "."


def _is_emoji(character: str) -> bool:
    if character in _SKIN_TONES:
        return True
    if unicodedata.category(character) != "So" or character < "\u2000":
        return False
    return not _LETTER_NAME.search(unicodedata.name(character, ""))


def _marked(code: int) -> str:
    # Kept apart from letters, and not itself something that a text may contain here.
    return _INTERRUPTION if _is_emoji(chr(code)) else chr(code)


def _visible(code: int) -> str:
    character = chr(code)
    category = unicodedata.category(character)
    if category in ("Cf", "Cs", "Co", "Cn", "Cc", "Me") or 0xFE00 <= ord(character) <= 0xFE0F:
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
        if character not in _EQUIVALENTS and _is_emoji(character):
            return f" {_SHAPE.sub('', name.lower())} "
    return character


def _spelled(code: int) -> str:
    """Return a character in ASCII; a letter of another script as it is."""
    character = chr(code)
    if code < 0x80:
        return character
    if character in _EQUIVALENTS:
        return _EQUIVALENTS[character]
    category = unicodedata.category(character)
    if category[0] == "L":
        latin = _LATIN_NAME.match(unicodedata.name(character, ""))
        if not latin:
            return character if category != "Lm" else ""
        return latin[2].lower() if latin[1] == "SMALL" else latin[2]
    if category[0] == "M":
        return ""
    if category == "Nd":
        return str(unicodedata.digit(character))
    return _BY_CATEGORY.get(category, " ")


def _spelled_with_marks(code: int) -> str:
    character = chr(code)
    return character if _MARKED_LETTER.match(character) else _spelled(code)


_MARKED = _Table(_marked)
_VISIBLE = _Table(_visible)
_SPELLED = _Table(_spelled)
_SPELLED_WITH_MARKS = _Table(_spelled_with_marks)
_COMBINING = _Table(_combining)


def _without_lookalikes(match: re.Match[str]) -> str:
    return match.group().translate(_LOOKALIKES)
