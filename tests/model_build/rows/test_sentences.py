"""The same seed makes the same sentences, whole, with the two sides set against each other."""

from __future__ import annotations

import pytest

from model_build.rows.sentences import Sentence, sentences


@pytest.fixture(scope="module")
def made() -> list[Sentence]:
    return sentences(7)


def test_the_same_seed_makes_the_same_sentences_and_each_once(made: list[Sentence]) -> None:
    assert made == sentences(7) != sentences(8)
    assert len({sentence.text.lower() for sentence in made}) == len(made)


def test_every_slot_is_filled(made: list[Sentence]) -> None:
    assert not [sentence.text for sentence in made if {"{", "}"} & set(sentence.text)]


def test_sentences_that_are_toxic_and_not_share_their_insults(made: list[Sentence]) -> None:
    for insult in ("idiot", "parasite", "worthless"):
        sides = {s.toxic for s in made if insult in s.text.lower()}
        assert sides == {True, False}, insult
