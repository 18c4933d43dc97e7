"""What Perspective's attributes and OpenAI's categories are made of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toxic_bot.judge.config import Kind
from toxic_bot.judge.verdict import Status, Verdict
from toxic_bot.service.kind_scores import kind_score, shift
from toxic_bot.service.perspective.attributes import ATTRIBUTES
from toxic_bot.service.perspective.scale import RAW, Scale

KINDS = (Kind("insult", 0.4), Kind("threat", 0.3), Kind("identity", 0.2), Kind("sexual", 0.5))
probabilities = st.floats(0, 1)
thresholds = st.floats(0.01, 0.99)


def verdict(score: float, **probabilities: float) -> Verdict:
    known = {kind.name: 0.01 for kind in KINDS} | probabilities
    return Verdict(
        Status.TOXIC if score >= 0.5 else Status.FINE, score, probabilities=known, windows=1
    )


@given(probabilities, thresholds)
def test_the_threshold_of_a_kind_becomes_one_half(probability: float, threshold: float) -> None:
    shifted = shift(probability, threshold)
    assert 0 <= shifted <= 1
    assert shift(threshold, threshold) == pytest.approx(0.5)
    if abs(probability - threshold) > 1e-6:
        assert (shifted > 0.5) == (probability > threshold)


@given(probabilities, probabilities)
def test_no_attribute_exceeds_the_score(score: float, probability: float) -> None:
    judged = verdict(score, threat=probability, insult=probability)
    for scale in (RAW, Scale(((0.0, 0.0), (0.1, 0.5), (1.0, 1.0)))):
        for attribute in ATTRIBUTES.values():
            assert attribute(judged, KINDS, scale) <= max(scale(score), 1e-8)
            assert attribute(judged, (), scale) <= max(scale(score), 1e-8)


def test_a_threat_scores_high_as_a_threat_and_low_as_the_rest() -> None:
    judged = verdict(0.97, threat=0.9)
    assert ATTRIBUTES["THREAT"](judged, KINDS, RAW) > 0.9
    assert ATTRIBUTES["IDENTITY_ATTACK"](judged, KINDS, RAW) < 0.5
    assert ATTRIBUTES["SEXUALLY_EXPLICIT"](judged, KINDS, RAW) < 0.5


def test_severe_toxicity_is_one_half_where_the_score_is_high() -> None:
    assert ATTRIBUTES["SEVERE_TOXICITY"](verdict(0.9), KINDS, RAW) == pytest.approx(0.5)
    assert ATTRIBUTES["SEVERE_TOXICITY"](verdict(0.6), KINDS, RAW) < 0.2


def test_a_kind_that_the_model_does_not_tell_is_bounded_by_the_score() -> None:
    assert kind_score(verdict(0.8), (), "threat") is None
    assert ATTRIBUTES["THREAT"](verdict(0.8), (), RAW) == 0.8
    assert ATTRIBUTES["PROFANITY"](verdict(0.8), KINDS, RAW) == 0.8
