from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handler.answer.assessment import Outcome
from handler.answer.posts import (
    describe_confidence,
    describe_kinds,
    nothing_to_judge_post,
    nudge_post,
    percent,
    verdict_post,
)

PROBABILITY = st.floats(0, 1)


@pytest.mark.parametrize(
    ("score", "threshold", "words"),
    [
        (0.99, 0.5, "I am sure"),
        (0.75, 0.5, "I am fairly sure"),
        (0.51, 0.5, "it is a close call"),
        (0.49, 0.5, "it is a close call"),
        (0.01, 0.5, "I am sure"),
        (0.79, 0.8, "it is a close call"),
        (0.3, 0.8, "I am fairly sure"),
        (1.0, 1.0, "I am sure"),
        (0.0, 0.0, "it is a close call"),
    ],
)
def test_confidence_grows_with_the_distance_from_the_threshold(
    score: float, threshold: float, words: str
) -> None:
    assert describe_confidence(score, threshold) == words


@pytest.mark.parametrize(
    ("score", "words"), [(0.0, "under 1%"), (0.5, "50%"), (0.976, "98%"), (1.0, "over 99%")]
)
def test_a_percentage_never_claims_certainty(score: float, words: str) -> None:
    assert percent(score) == words


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        ((), "toxic"),
        (("threat",), "toxic: a threat"),
        (("insult", "obscene", "threat"), "toxic: an insult and obscene words"),
        (("mystery", "putdown"), "toxic: a put-down"),
    ],
)
def test_a_toxic_verdict_names_at_most_two_kinds(kinds: tuple[str, ...], words: str) -> None:
    assert describe_kinds(kinds) == words
    post = verdict_post(toxic=True, score=0.9, threshold=0.5, asked_by="U0ASKS", kinds=kinds)
    assert post.text.startswith(f"This message reads as {words} (")


@given(score=PROBABILITY, threshold=PROBABILITY, toxic=st.booleans())
def test_a_verdict_states_result_confidence_requester_and_that_a_model_judged(
    score: float, threshold: float, toxic: bool
) -> None:
    post = verdict_post(toxic=toxic, score=score, threshold=threshold, asked_by="U0ASKS")
    shown = json.dumps(post.blocks, ensure_ascii=False)
    assert ("reads as toxic" in shown) is toxic
    assert ("does not read as toxic" in post.text) is not toxic
    for part in (percent(score), describe_confidence(score, threshold)):
        assert part in shown
        assert part in post.text
    assert "<@U0ASKS>" in shown
    assert "language model, which can be wrong" in shown


def test_a_verdict_on_a_reply_says_which_reply_it_is_about() -> None:
    post = verdict_post(
        toxic=True, score=0.9, threshold=0.5, asked_by="U0ASKS", reply="1766000000.000100"
    )
    shown = json.dumps(post.blocks)
    assert "<!date^1766000000^{time_secs}|19:33:20 UTC>" in shown
    assert shown.count("<@") == 1


@pytest.mark.parametrize(
    "outcome", [Outcome.ONLY_FILES, Outcome.EMPTY, Outcome.NOT_LEGIBLE, Outcome.DELETED]
)
def test_an_answer_without_a_verdict_says_why(outcome: Outcome) -> None:
    post = nothing_to_judge_post(outcome, "U0ASKS")
    assert "nothing to judge" in post.text
    assert post.text in json.dumps(post.blocks)


def test_a_nudge_does_not_say_who_asked() -> None:
    post = nudge_post(0.97)
    assert "<@" not in json.dumps(post.blocks) + post.text
