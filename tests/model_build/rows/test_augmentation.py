"""Obfuscated copies of training texts differ in how words are written, not in what they say."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from model_build.rows.augmentation import indicative_words, obfuscate

_WORDS = st.text("abcdeéß", min_size=4, max_size=9)


def test_words_are_joined_in_some_copies() -> None:
    text = "whoever wrote this parser is a clown"
    copies = [obfuscate(text, frozenset({"clown"}), random.Random(seed)) for seed in range(200)]
    joined = [copy for copy in copies if copy is not None and copy.endswith("aclown")]
    assert 5 < len(joined) < 40


@given(st.lists(_WORDS, min_size=1, max_size=12), st.integers(0, 9999))
def test_a_copy_keeps_most_of_a_text(words: list[str], seed: int) -> None:
    text = " ".join(words)
    copy = obfuscate(text, None, random.Random(seed))
    assert copy is not None
    assert copy.strip() == copy
    untouched = sum(word in copy.replace(" ", "") for word in words)
    assert untouched >= len(words) - 2


def test_without_a_word_to_obfuscate_there_is_no_copy() -> None:
    assert obfuscate("no way", None, random.Random(1)) is None
    assert obfuscate("a fine day", frozenset({"clown"}), random.Random(1)) is None


def test_indicative_words_are_those_of_toxic_texts() -> None:
    rows = [("such a clown today", True), ("such a lovely day today", False)] * 20
    assert indicative_words(rows) == frozenset({"clown"})
