from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.normalization import normalize

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=300)


@pytest.mark.parametrize(
    ("text", "normalized"),
    [
        ("plain words stay", "plain words stay"),
        ("  many \t spaces\n ", "many spaces"),
        ("ｆｕｌｌ ｗｉｄｔｈ", "full width"),
        ("𝐛𝐨𝐥𝐝 letters", "bold letters"),
        ("zero\u200bwidth\u2060joined", "zerowidthjoined"),
        ("right\u202eto\u202cleft", "righttoleft"),
        ("уоu аrе", "you are"),
        ("Привет, мир", "Привет, мир"),
        ("NUL\x00 and \ud800 half a pair", "NUL and half a pair"),
        ("good 🐒 boy", "good monkey boy"),
        ("\u200b\u200d\ufeff", ""),
        ("", ""),
    ],
)
def test_text_is_reduced_to_plain_characters(text: str, normalized: str) -> None:
    assert normalize(text) == normalized


@given(ANY_TEXT)
def test_normalizing_twice_changes_nothing(text: str) -> None:
    once = normalize(text)
    assert normalize(once) == once


@given(ANY_TEXT)
def test_no_invisible_character_is_left(text: str) -> None:
    assert not {unicodedata.category(c) for c in normalize(text)} & {"Cc", "Cf", "Cs", "Cn"}


@given(ANY_TEXT)
def test_normalized_text_can_be_encoded_as_utf_8(text: str) -> None:
    normalize(text).encode()
