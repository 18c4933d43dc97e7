"""A channel's lists: what they match, what they leave of a text, and that matching is linear."""

from __future__ import annotations

import re
import unicodedata
from fnmatch import fnmatchcase
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toxic_bot.slack.channel_settings import ChannelSettings
from toxic_bot.slack.word_lists import (
    MAX_ENTRIES,
    MAX_ENTRY_LENGTH,
    WordLists,
    _fits,
    is_too_general,
    read_entries,
)


def always(entry: str, text: str) -> tuple[str, ...]:
    return WordLists(always=(entry,)).read(text).always


@pytest.mark.parametrize(
    ("entry", "text", "found"),
    [
        ("idiot", "What an IDIOT!", "IDIOT"),
        ("idiot*", "Idiots, all of them", "Idiots"),
        ("*head", "you meathead.", "meathead"),
        ("b*d", "so bad", "bad"),
        ("shut up", "Oh, Shut\nUP now", "Shut UP"),
        ("go * yourself", "go hug yourself", "go hug yourself"),
        # Each of the six languages, with its marks or without.
        ("Schwätzer", "du schwaetzer", "schwaetzer"),
        ("schwätzer", "DU SCHWÄTZER", "SCHWÄTZER"),
        ("schwätzer", "du schwatzer", "schwatzer"),
        ("dreckig", "dreckig", "dreckig"),
        ("scheiß*", "so eine SCHEISSE", "SCHEISSE"),
        ("imbécile", "Quel IMBECILE", "IMBECILE"),
        ("imbecile", "quel imbécile", "imbécile"),
        ("imbécile", "l’imbécile", "imbécile"),
        ("ganapán", "menudo ganapan", "ganapan"),
        ("palhaço", "seu palhaco", "palhaco"),
        ("perché no", "perche no", "perche no"),
        # As a keyboard may send it: with a mark of its own, invisible letters, in full width.
        ("imbécile", unicodedata.normalize("NFD", "imbécile"), None),
        ("idiot", "i\u00addi\u200bot", None),
        ("idiot", "ｉｄｉｏｔ", None),
    ],
)
def test_an_entry_is_found_in_any_case_and_without_its_marks(
    entry: str, text: str, found: str | None
) -> None:
    assert always(entry, text) == (found or text,)


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ("ass", "a classic assessment"),
        ("ass", "assassin"),
        ("idiot", "idiots"),
        ("shut up", "shut it up"),
        ("shut up", "up, shut"),
        ("abc*", "xabc"),
        ("a*a", "a"),
        ("ab*ba", "aba"),
        # Other letters make other words.
        ("schwul", "was für ein schwüles Wetter, schwül"),
        ("ano", "feliz año"),
        ("schon", "schön"),
    ],
)
def test_parts_of_words_and_other_letters_are_not_found(entry: str, text: str) -> None:
    assert always(entry, text) == ()


def test_what_never_counts_is_left_out_and_the_rest_stays() -> None:
    lists = WordLists(always=("idiot*",), never=("killing", "idiot proof"))
    reading = lists.read("We are killing the job, and it is idiot-proof.")
    assert reading.text == "We are   the job, and it is  ."
    assert reading.never == ("killing", "idiot-proof")
    # An exception goes first, wherever the word stands, but only there.
    assert reading.always == ()
    assert lists.read("idiot proof, you idiot").always == ("idiot",)


def test_without_lists_a_text_stays_as_it_is() -> None:
    text = "Anything\u200b at all"
    assert WordLists().read(text).text is text


def test_entries_are_typed_one_to_a_line_or_with_commas_and_doubles_are_dropped() -> None:
    assert read_entries(" one\n\ntwo  words, Three;THREE\n éa\nea") == (
        "one",
        "two words",
        "THREE",
        "ea",
    )


@pytest.mark.parametrize("entry", ["*", "a*", "* *", "…", "!", "**x**"])
def test_an_entry_that_would_match_nearly_anything_or_nothing_is_too_general(entry: str) -> None:
    assert is_too_general(entry)
    assert not is_too_general("ab*")
    assert not is_too_general("x")


WORDS = st.text("abä*", min_size=1, max_size=5)
TEXTS = st.lists(st.text("abäx", min_size=1, max_size=6), max_size=8).map(" ".join)


@given(WORDS.filter(lambda one: not is_too_general(one)), TEXTS)
def test_a_wildcard_matches_as_a_shell_does(entry: str, text: str) -> None:
    spellings = {entry, entry.replace("ä", "a"), entry.replace("ä", "ae")}
    expected = {word for word in text.split() if any(fnmatchcase(word, one) for one in spellings)}
    assert set(always(entry, text)) == expected


@given(st.text(max_size=60), st.lists(st.text(min_size=1, max_size=12), max_size=6))
def test_nothing_that_people_write_breaks_the_lists(text: str, typed: list[str]) -> None:
    entries = read_entries("\n".join(typed))
    reading = WordLists(entries, tuple(reversed(entries))).read(text)
    # Whatever is on both lists does not count.
    assert reading.always == ()
    if not reading.never:
        assert reading.text == text


@given(st.text(max_size=60).map(lambda one: one.replace("*", " ")))
def test_a_text_is_found_in_itself_and_in_capitals(text: str) -> None:
    visible = "".join(one for one in text if unicodedata.category(one) != "Cf")
    has_words = bool(re.search(r"[^\W_]", unicodedata.normalize("NFKD", visible)))
    assert bool(always(text, f"({text}) ...")) == has_words


class CountedStr(str):
    """A word that counts how often it is searched."""

    searched: list[int]

    def find(self, *arguments: Any) -> int:
        self.searched[0] += 1
        return super().find(*arguments)


def test_matching_takes_linear_time_in_the_length_of_the_text() -> None:
    # Each part is looked for once, however long the word: nothing is tried again.
    glob = ("", *["a", "aa", "aaa"] * 4, "b")
    for length in (100, 10_000, 40_000):
        word = CountedStr("a" * length)
        word.searched = [0]
        assert not _fits(glob, word)
        almost = CountedStr("a" * length + "b")
        almost.searched = [0]
        assert _fits(glob, almost)
        assert almost.searched[0] == len(glob) - 2


def test_the_largest_lists_go_through_the_longest_message() -> None:
    entries = tuple(f"*a{n}*b*" for n in range(MAX_ENTRIES))
    lists = WordLists(entries, tuple(f"x{n}*" for n in range(MAX_ENTRIES)))
    assert max(map(len, entries)) <= MAX_ENTRY_LENGTH
    assert lists.read("a" * 40_000).always == ()
    assert lists.read("a99b " * 8_000).always == ("a99b",)


def test_lists_are_stored_with_the_channels_settings_and_older_ones_have_none() -> None:
    own = ChannelSettings(lists=WordLists(("imbécile", "shut up"), ("Scunthorpe",)))
    assert ChannelSettings.from_json(own.to_json()) == own
    older = ChannelSettings().to_json().replace(', "lists": {"always": [], "never": []}', "")
    assert "lists" not in older
    assert ChannelSettings.from_json(older) == ChannelSettings()
