"""What sources tell about the kinds of toxicity is kept, and what they do not tell is unknown."""

from __future__ import annotations

import math

import pytest

from model_build.rows.kinds import KINDS, from_raw_label


def stated(source: str, raw_label: str) -> dict[str, float]:
    """Return the kinds that a toxic row is known to show or not to show."""
    kinds = from_raw_label(source, raw_label, toxic=True)
    return {kind: value for kind, value in kinds.items() if not math.isnan(value)}


def test_a_row_that_is_not_toxic_shows_no_kind() -> None:
    kinds = from_raw_label("gametox", "class=other_offensive|kinds=profanity", toxic=False)
    assert kinds == dict.fromkeys(KINDS, 0.0)


@pytest.mark.parametrize(
    ("source", "raw_label", "shown"),
    [
        ("kaggle_insults", "insult=1|part=train|kinds=insult", {"insult": 1}),
        ("conda_dota", "intent=E|toxword=1|kinds=unknown", {}),
        (
            "implicit_hate",
            "implicit=incitement|kinds=identity+threat",
            {"identity": 1, "threat": 1},
        ),
        ("lkml_incivility", "uncivil|tbdf=irony|kinds=sarcasm", {"putdown": 1}),
        ("tweeteval_hate", "hate", {"identity": 1}),
        ("edos_sexism", "sexist|3. animosity", {"identity": 1, "threat": 0}),
        (
            "jigsaw_wiki_slices",
            "toxic+insult",
            {"insult": 1, "threat": 0, "identity": 0, "obscene": 0},
        ),
        ("jigsaw_wiki_slices", "toxic", {}),
        ("davidson_tweets", "1_offensive", {}),
        ("toxic_spans_civil", "toxic_span_chars=6", {}),
    ],
)
def test_a_toxic_row_shows_the_kinds_that_its_source_tells(
    source: str, raw_label: str, shown: dict[str, float]
) -> None:
    assert stated(source, raw_label) == shown


def test_the_kinds_of_written_messages_are_complete() -> None:
    kinds = stated("workplace_written", "theme=4|pair=w4-p1|kinds=exclusion+insult")
    assert kinds == dict.fromkeys(KINDS, 0.0) | {"putdown": 1.0, "insult": 1.0}
