"""The messages written for the project are complete, balanced and kept apart from the suites."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest

from model_build.rows.kinds import KINDS
from tests.model.suite import banter, benign, disguises, toxic, workplace

pytest.importorskip("pandas", reason="the pipeline needs the 'build' dependencies")

from model_build.rows.augmentation import embed
from model_build.rows.reading import WRITTEN, read, text_key


@pytest.fixture(scope="module")
def messages() -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for file in sorted(WRITTEN.glob("*.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]


def test_about_half_of_the_messages_are_toxic(messages: list[dict[str, Any]]) -> None:
    assert len(messages) >= 17_200
    assert 0.45 < sum(message["label"] for message in messages) / len(messages) < 0.55


def test_most_messages_come_in_pairs_that_differ_in_their_label(
    messages: list[dict[str, Any]],
) -> None:
    labels: dict[str, set[int]] = {}
    sizes = Counter(message["pair"] for message in messages)
    for message in messages:
        labels.setdefault(message["pair"], set()).add(message["label"])
    paired = sum(sizes[pair] for pair, found in labels.items() if found == {0, 1})
    assert paired > 0.6 * len(messages)


def test_you_is_no_shortcut_to_the_label(messages: list[dict[str, Any]]) -> None:
    shares = []
    for label in (0, 1):
        texts = [m["text"].lower() for m in messages if m["label"] == label]
        shares.append(sum("you" in text for text in texts) / len(texts))
    assert abs(shares[0] - shares[1]) < 0.2


def test_messages_are_read_with_their_kinds_and_rows_of_a_pair_stay_in_one_split() -> None:
    rows = read([WRITTEN])
    shown = rows[[f"kind_{kind}" for kind in KINDS]]
    assert not shown.isna().any().any()
    assert (shown[rows["label"] == 0] == 0).all().all()
    assert (shown[rows["label"] == 1].sum(axis=1) > 0).mean() > 0.99
    assert set(rows["split"]) == {"train", "validation", "test"}


def test_no_message_stands_in_a_suite(messages: list[dict[str, Any]]) -> None:
    judged = {text_key(s.text) for s in workplace() + banter() + disguises() + benign() + toxic()}
    assert not judged & {text_key(message["text"]) for message in messages}


def test_an_embedded_message_is_one_of_the_sentences() -> None:
    texts = {embed("You fool.", "One. Two! Three?", random.Random(seed)) for seed in range(30)}
    assert texts == {
        "You fool. One. Two! Three?",
        "One. You fool. Two! Three?",
        "One. Two! You fool. Three?",
        "One. Two! Three? You fool.",
    }
