"""The template sentences are reproducible, complete and balanced."""

from __future__ import annotations

import pytest

from model_build.rows.sentences import Sentence, sentences


@pytest.fixture(scope="module")
def generated() -> list[Sentence]:
    return sentences(7)


def test_the_same_seed_gives_the_same_distinct_sentences(generated: list[Sentence]) -> None:
    assert generated == sentences(7) != sentences(8)
    assert len({sentence.text.lower() for sentence in generated}) == len(generated)


def test_every_slot_is_filled(generated: list[Sentence]) -> None:
    assert not [sentence.text for sentence in generated if {"{", "}"} & set(sentence.text)]


def test_insults_occur_in_toxic_and_in_benign_sentences(generated: list[Sentence]) -> None:
    for insult in ("idiot", "parasite", "worthless"):
        labels = {s.toxic for s in generated if insult in s.text.lower()}
        assert labels == {True, False}, insult
