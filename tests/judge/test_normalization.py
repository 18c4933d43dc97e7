from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toxic_bot.judge.normalization import normalize, read

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
        ("Grüße von Łukasz, Søren und Đorđe", "Grusse von Lukasz, Soren und Dorde"),
        ("œuvre, ﬁne, İstanbul, naïve", "oeuvre, fine, Istanbul, naive"),
        ("→ €5, £5 ≤ 10 €", "-> $5, $5 <= 10 $"),
        ("Привет Tom", "Tom"),
        ("NUL\x00 and \ud800 half a pair", "NUL and half a pair"),
        ("good 🐒 boy", "good monkey boy"),
        ("D🌟ath to you", "death to you"),
        ("f4⃣ll 1️⃣ deploy", "fall 1 deploy"),
        ("i🌟d🌟i🌟o🌟t", "idiot"),
        ("good🎉job", "good party popper job"),
        ("l❤️ve it", "love it"),
        ("she's a b🌟tch", "she's a bitch"),
        ("xq🌟zk", "xq*zk"),
        ("#YouAreTrash iDiOt", "#You Are Trash iDiOt"),
        ("on GitHub", "on GitHub"),
        ("m*rder", "murder"),
        ("B*tch", "Bitch"),
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


@given(ANY_TEXT)
def test_normalized_text_is_ascii(text: str) -> None:
    assert normalize(text).isascii()


@pytest.mark.parametrize(
    "text", ["안녕하세요", "مرحبا يا صديقي", "Привет, мир", "你好 ok", "생일 축하해요 🎂"]
)
def test_text_in_another_script_is_not_legible(text: str) -> None:
    assert not read(text).legible


@pytest.mark.parametrize(
    "text", ["Thanks 김민수! great", "Grüße", "→", "12 €", "Πr², see above", ""]
)
def test_a_few_foreign_letters_leave_a_text_legible(text: str) -> None:
    assert read(text).legible
