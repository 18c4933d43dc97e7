"""A channel's lists: words and phrases that always count as toxic, and those that never do.

An entry matches whole words, in any case. ``*`` stands for any letters within a word. Accents do
not matter, except where they make another letter: an entry with ä, ö, ü, ñ or å also matches what
is written without the marks (or as ae, oe, ue), but an entry with a plain a, o, u or n matches that
letter alone, since *schwul* is not *schwül*, and *ano* is not *año*.

What never counts is taken out of a text before it is judged, so the rest of it still counts. It
goes first: a word that is on both lists, once as an exception, does not count.

Matching is linear in the length of the text: it compares words, and there is no pattern to
backtrack in.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

MAX_ENTRIES = 100
"""Words and phrases of one list."""
MAX_ENTRY_LENGTH = 60
"""Characters of one of them."""
MIN_LETTERS = 2
"""Letters and digits that an entry with ``*`` has at least; with fewer, it would match anything."""

_WORD = re.compile(r"[^\W_]+")
_GLOB = re.compile(r"(?:[^\W_]|\*)+")
_SEPARATOR = re.compile(r"[\n,;]+")
# Marks that make another letter: diaeresis, tilde and ring.
_LETTERS = {("a", "\u0308"), ("o", "\u0308"), ("u", "\u0308"), ("n", "\u0303"), ("a", "\u030a")}
_WITHOUT_MARKS = str.maketrans("äöüñå", "aouna")
_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa"})

_Glob = tuple[str, ...]
"""The literal parts of a word around its wildcards; one part if it has none."""


@dataclass(frozen=True, slots=True)
class ListReading:
    """What the lists make of a text.

    Parameters
    ----------
    text
        What is left to judge.
    always, never
        The words and phrases in the text that always count, and those that never do.
    """

    text: str
    always: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


@dataclass(frozen=True)
class WordLists:
    """The lists of one channel.

    Parameters
    ----------
    always
        The words and phrases that make any text toxic.
    never
        Those that are left out before a text is judged.
    """

    always: tuple[str, ...] = ()
    never: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Report whether there is anything on them."""
        return bool(self.always or self.never)

    def read(self, text: str) -> ListReading:
        """Return what the lists make of a plain text."""
        if not self:
            return ListReading(text)
        folded = _Folded(text)
        never = _compiled(self.never).find(folded)
        spared = set().union(*(range(*match) for match in never))
        always = [
            match
            for match in _compiled(self.always).find(folded)
            if spared.isdisjoint(range(*match))
        ]
        return ListReading(
            _without(text, (folded.span(match) for match in never)) if never else text,
            _shown(text, (folded.span(match) for match in always)),
            _shown(text, (folded.span(match) for match in never)),
        )


class _Folded:
    """A text in the form in which it is compared, and where its words stand in the original."""

    def __init__(self, text: str) -> None:
        if text.isascii():
            self.text = text.lower()
            starts: Sequence[int] = range(len(text) + 1)
        else:
            self.text, starts = _fold(text)
        found = list(_WORD.finditer(self.text))
        self.words = [match[0] for match in found]
        self._spans = [(starts[match.start()], starts[match.end()]) for match in found]

    def span(self, words: tuple[int, int]) -> tuple[int, int]:
        """Return where some words, by their numbers, begin and end in the original."""
        first, end = words
        return self._spans[first][0], self._spans[end - 1][1]


@dataclass(frozen=True)
class _Entries:
    """The entries of one list, ready to be found.

    Parameters
    ----------
    phrases
        Each as the words that follow one another.
    """

    phrases: tuple[tuple[_Glob, ...], ...]

    @cached_property
    def _by_first_word(self) -> dict[str, list[tuple[_Glob, ...]]]:
        by_word = defaultdict(list)
        for phrase in self.phrases:
            if len(phrase[0]) == 1:
                by_word[phrase[0][0]].append(phrase)
        return dict(by_word)

    @cached_property
    def _with_wildcard_first(self) -> list[tuple[_Glob, ...]]:
        return [phrase for phrase in self.phrases if len(phrase[0]) > 1]

    def find(self, folded: _Folded) -> list[tuple[int, int]]:
        """Return the first and the end of the words of each match."""
        words = folded.words
        # Most wildcards have no part in most texts, which is found out fastest in one go.
        possible = [
            phrase
            for phrase in self._with_wildcard_first
            if all(part in folded.text for glob in phrase for part in glob)
        ]
        fitting = {
            word: [phrase for phrase in possible if _fits(phrase[0], word)]
            for word in (set(words) if possible else ())
        }
        found = []
        for number, word in enumerate(words):
            for phrase in (*self._by_first_word.get(word, ()), *fitting.get(word, ())):
                end = number + len(phrase)
                rest = zip(phrase[1:], words[number + 1 : end], strict=False)
                if end <= len(words) and all(_fits(glob, other) for glob, other in rest):
                    found.append((number, end))
        return found


def read_entries(typed: str) -> tuple[str, ...]:
    """Return the entries that somebody has typed, one to a line or with commas in between."""
    entries = (" ".join(one.split()) for one in _SEPARATOR.split(typed))
    # Written in another case, it is the same.
    return tuple({_fold(entry)[0]: entry for entry in entries if entry}.values())


def is_too_general(entry: str) -> bool:
    """Report whether an entry would match nothing, or nearly anything."""
    letters = sum(map(str.isalnum, entry))
    return letters < (MIN_LETTERS if "*" in entry else 1)


@lru_cache(maxsize=64)
def _compiled(entries: tuple[str, ...]) -> _Entries:
    phrases: dict[tuple[_Glob, ...], None] = {}
    for entry in entries:
        folded = _fold(entry)[0]
        for spelling in (folded, folded.translate(_WITHOUT_MARKS), folded.translate(_SPELLED_OUT)):
            words = _GLOB.findall(spelling)
            if words:
                phrases[tuple(tuple(re.split(r"\*+", word)) for word in words)] = None
    return _Entries(tuple(phrases))


def _fits(glob: _Glob, word: str) -> bool:
    """Report whether a word fits; its parts are looked for one after another, never again."""
    first, last = glob[0], glob[-1]
    if len(glob) == 1:
        return word == first
    if len(word) < len(first) + len(last) or not (word.startswith(first) and word.endswith(last)):
        return False
    begin, end = len(first), len(word) - len(last)
    for part in glob[1:-1]:
        begin = word.find(part, begin, end)
        if begin < 0:
            return False
        begin += len(part)
    return True


def _fold(text: str) -> tuple[str, list[int]]:
    """Return a text without case and marks, and where each of its characters begins in it."""
    folded: list[str] = []
    starts: list[int] = []
    for place, character in enumerate(text):
        for one in _folded_character(character):
            if not unicodedata.combining(one):
                folded.append(one)
                starts.append(place)
            elif folded and (folded[-1], one) in _LETTERS:
                folded[-1] = unicodedata.normalize("NFC", folded[-1] + one)
    return "".join(folded), [*starts, len(text)]


@lru_cache(maxsize=4096)
def _folded_character(character: str) -> str:
    if unicodedata.category(character) == "Cf":
        # Invisible: soft hyphens, zero-width joiners.
        return ""
    decomposed = unicodedata.normalize("NFKD", character)
    return unicodedata.normalize("NFKD", decomposed.casefold())


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    parts, kept_from = [], 0
    for begin, end in sorted(spans):
        parts.append(text[kept_from:begin])
        kept_from = max(kept_from, end)
    return " ".join([*parts, text[kept_from:]]).strip()


def _shown(text: str, spans: Iterable[tuple[int, int]]) -> tuple[str, ...]:
    found = (" ".join(text[begin:end].split()) for begin, end in sorted(spans))
    return tuple({one.casefold(): one for one in found}.values())
