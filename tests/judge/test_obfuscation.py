"""Obfuscated words become plain words again, and everything else stays as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toxic_bot.judge.normalization import normalize
from toxic_bot.judge.obfuscation import deobfuscate


@pytest.mark.parametrize(
    ("obfuscated", "plain"),
    [
        ("you are an i d i o t", "you are an idiot"),
        ("what a l.o.s.e.r", "what a loser"),
        ("what a f o o l", "what a fool"),
        ("you a s s h a t", "you asshat"),
        ("1d10t", "idiot"),
        ("stup1d", "stupid"),
        ("cr@p and b!tter", "crap and bitter"),
        ("stuuuuupid", "stupid"),
        ("loooooser", "loser"),
        ("sooo cooool", "soo cool"),
        ("@$$hole", "asshole"),
        ("p@thet!c", "pathetic"),
        ("worthle$$", "worthless"),
        ("𝓲𝓭𝓲𝓸𝓽", "idiot"),
        ("🅸🅳🅸🅾🆃", "idiot"),
        ("ɪᴅɪᴏᴛ", "idiot"),
        ("idi\u200bot", "idiot"),
        ("i̶d̶i̶o̶t̶", "idiot"),
        ("\u0456d\u0456\u043et", "idiot"),
    ],
)
def test_an_obfuscated_word_is_spelled_out(obfuscated: str, plain: str) -> None:
    assert normalize(obfuscated) == plain


@pytest.mark.parametrize(
    "text",
    [
        "mail jack@example.com about it",
        "@bob can you look at v1.2.3?",
        "the 1st, 2nd and 10x",
        "$HOME/bin and x_1_y",
        "utf8mb4, sha256 and base64",
        "a b",
        "wow!! great",
        "a good book, too",
    ],
)
def test_text_that_only_looks_obfuscated_is_kept(text: str) -> None:
    assert deobfuscate(text) == text


@given(st.text(alphabet="aabcdeio 013457@$!|._-*é👍а\u0301\u0336\u200b", max_size=30))
def test_normalizing_twice_changes_nothing(text: str) -> None:
    once = normalize(text)
    assert normalize(once) == once
