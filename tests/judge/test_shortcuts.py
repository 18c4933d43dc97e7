"""What makes reading a text fast changes nothing in what is read.

The model was measured on texts that were read so.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.text import FRAGMENTS
from toxic_bot.judge import normalization, obfuscation
from toxic_bot.judge.normalization import MAX_LENGTH, read

WRITTEN = Path(__file__).parents[2] / "model_build" / "rows" / "written"
TRAINED_ON = (
    "condescension",
    "discrimination",
    "disguises",
    "exclusion",
    "first",
    "forums",
    "harassment_long",
    "sarcasm",
    "slang_banter",
    "threats",
)
"""The files that the embedded model has learned from."""
WRITTEN_DIGEST = "5faeed6e17b943ff0eefedd1d1f3f8d7b660f98f19be25adce239e602a648935"
"""SHA-256 of the readings of their rows; a new one calls for new figures in docs/model.md."""

EXPLOSIVE = st.sampled_from(
    (*FRAGMENTS, "@$$hole", "$tupid", "cla$$", "id1ot", "1d10t", "st!ck", "t|me", "YouAreTrash ")
)
TEXTS = st.lists(EXPLOSIVE | st.text(max_size=4), max_size=30).map("".join)
ASCII = st.text(st.sampled_from("abeoAB013$@!|.*_ -'#"), max_size=40)
# The pattern before it was narrowed to words in which something can change.
BROAD = re.compile(
    rf"(?<!{obfuscation._INSIDE_WORD})(?={obfuscation._INSIDE_WORD}*[013457@$|!])"
    rf"(?={obfuscation._INSIDE_WORD}*[A-Za-z]){obfuscation._INSIDE_WORD}+"
)


def spelled_out(text: str) -> str:
    """Return the text with every word of letters and symbols looked at."""

    def spelled(match: re.Match[str]) -> str:
        word = obfuscation._AT_FIRST.sub("a", match.group())
        if obfuscation._ADDRESS.search(word):
            return word
        word = obfuscation._DOLLAR_FIRST.sub("s", word)
        word = obfuscation._DOLLAR_LAST.sub(lambda dollars: "s" * len(dollars[0]), word)
        inside = obfuscation._INSIDE.sub(lambda one: one[0].translate(obfuscation._LETTERS), word)
        if inside == word:
            return word
        return obfuscation._DIGIT_FIRST.sub(
            lambda one: one[0].translate(obfuscation._LETTERS), inside
        )

    return BROAD.sub(spelled, text)


@pytest.mark.slow
@pytest.mark.skipif(
    unicodedata.unidata_version != "14.0.0", reason="emoji have names by Unicode's version"
)
def test_the_projects_own_rows_are_read_as_when_the_model_was_measured() -> None:
    digest = hashlib.sha256()
    for name in TRAINED_ON:
        for line in (WRITTEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            reading = read(json.loads(line)["text"])
            digest.update(f"{reading.text}\n{reading.legible}\n".encode())
    assert digest.hexdigest() == WRITTEN_DIGEST


@given(TEXTS | ASCII)
def test_words_left_aside_are_words_that_would_not_change(text: str) -> None:
    assert obfuscation._WORD.sub(obfuscation._spelled, text) == spelled_out(text)


@given(TEXTS | st.text())
def test_white_space_is_collapsed_as_by_a_pattern(text: str) -> None:
    assert normalization._bounded(text) == re.sub(r"\s+", " ", text).strip()


@given(TEXTS | st.text())
def test_foreign_letters_are_all_that_is_not_ascii_after_spelling(text: str) -> None:
    spelled = unicodedata.normalize("NFKC", text).translate(normalization._SPELLED)
    assert all(character.isalpha() for character in spelled if not character.isascii())


@pytest.mark.long
@given(st.lists(st.sampled_from(["\ufdfa", "\ufdfb", " ", "a", "\u0651", "\u200b"])).map("".join))
@pytest.mark.slow
def test_ligatures_that_are_cut_out_would_not_have_been_kept(pattern: str) -> None:
    ligatures = normalization._MAX_LONG_LIGATURES
    text = (
        f"{pattern}{chr(0xFDFB) * ligatures}{pattern}!{pattern}{chr(0xFDFA) * ligatures}{pattern}"
    )
    cut = normalization._without_long_ligatures(text)
    whole, kept = (
        normalization._bounded(unicodedata.normalize("NFKC", one)) for one in (text, cut)
    )
    assert whole == kept
    assert len(whole) >= MAX_LENGTH - 2


def test_only_two_characters_stand_for_more_than_six() -> None:
    long = [
        chr(code) for code in range(0x110000) if len(unicodedata.normalize("NFKC", chr(code))) > 6
    ]
    assert long == ["\ufdfa", "\ufdfb"]
