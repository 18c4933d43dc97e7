"""Which kinds of toxicity a verdict names, and in which order."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulators.samples import SAMPLES
from toxic_bot.judge.classifier import Classifier, load
from toxic_bot.judge.config import EMBEDDED_MODEL, ModelConfig, OperatingPoint
from toxic_bot.judge.postprocessing import Postprocessor
from toxic_bot.judge.verdict import (
    LESSER,
    MAX_NAMED,
    SEVERITY,
    SURE_FROM,
    Status,
    Verdict,
    worst_first,
)
from toxic_bot.slack.answers.posts import describe_kinds
from toxic_bot.slack.i18n.english import ENGLISH

CONFIG = ModelConfig.read(EMBEDDED_MODEL / "config.json")
KINDS = tuple(kind.name for kind in CONFIG.kinds)


@pytest.fixture(scope="module")
def classifier() -> Classifier:
    return load(EMBEDDED_MODEL)


def judged(probabilities: list[float]) -> Verdict:
    """Return the verdict on a text that is toxic, with a probability of each kind."""
    toxic = [50.0 if label in CONFIG.toxic_labels else -50.0 for label in CONFIG.labels]
    odds = [np.log(p) - np.log1p(-p) for p in probabilities]
    return Postprocessor(CONFIG).verdict(np.array([toxic + odds], np.float32))


def test_every_kind_of_the_model_has_its_severity(model_folder: Path) -> None:
    config = ModelConfig.read(model_folder / "config.json")
    assert set(SEVERITY) == {kind.name for kind in config.kinds}


@pytest.mark.parametrize("likeliest", KINDS)
def test_the_worst_kind_stands_first_however_likely_the_others_are(likeliest: str) -> None:
    verdict = judged([0.99999 if kind == likeliest else 0.9999 for kind in KINDS])
    assert verdict.kinds == ("threat", "sexual", "identity", "obscene", "insult", "putdown")


def test_a_verdict_puts_its_kinds_in_order_itself() -> None:
    for kinds in itertools.permutations(SEVERITY, 3):
        ranks = [SEVERITY.index(kind) for kind in Verdict(Status.TOXIC, 0.9, kinds).kinds]
        assert ranks == sorted(ranks)


def test_a_kind_of_unknown_severity_comes_last() -> None:
    assert worst_first(("mystery", "putdown", "threat"), MAX_NAMED) == ("threat", "putdown")
    assert worst_first(("one", "putdown", "two")) == ("putdown", "one", "two")


@given(st.lists(st.floats(0.001, 0.999), min_size=len(KINDS), max_size=len(KINDS)))
def test_a_kind_is_named_only_where_its_probability_reaches_its_own_threshold(
    probabilities: list[float],
) -> None:
    verdict = judged(probabilities)
    sure = {k.name for k in CONFIG.kinds if verdict.probabilities[k.name] >= k.threshold}
    assert set(verdict.kinds) in (sure, sure - LESSER)
    said = describe_kinds(verdict.kinds, ENGLISH)
    named = {kind for kind, words in ENGLISH["verdict"]["kinds"].items() if str(words) in said}
    assert named <= sure
    assert len(named) == min(len(verdict.kinds), MAX_NAMED)
    assert (said == "toxic") is (not verdict.kinds)


@pytest.mark.parametrize(
    ("probabilities", "named"),
    [
        ({"insult": 0.99, "threat": 0.96}, ("threat", "insult")),
        ({"insult": 0.99, "threat": 0.5}, ()),
        ({"insult": 0.99, "threat": 0.31}, ()),
        ({"insult": 0.99, "threat": 0.29}, ("insult",)),
        ({"insult": 0.99, "threat": 0.98, "sexual": 0.96}, ("threat",)),
        ({"insult": 0.99, "identity": 0.99, "threat": 0.5}, ("identity",)),
    ],
)
def test_what_is_likely_a_threat_is_never_called_an_insult(
    probabilities: dict[str, float], named: tuple[str, ...]
) -> None:
    assert judged([probabilities.get(kind, 0.01) for kind in KINDS]).kinds == named


THREATS = [
    "I will find you and break your legs, you moron.",
    *(one.text for one in SAMPLES if "break your legs" in one.text),
]


@pytest.mark.parametrize("text", THREATS)
def test_two_models_together_call_no_likely_threat_an_insult(
    classifier: Classifier, text: str
) -> None:
    verdict = classifier.classify(text)
    assert verdict.toxic
    assert verdict.kinds[:1] in ((), ("threat",))


@pytest.mark.parametrize("text", ["kys", "please kys", "just kys", "k y s"])
def test_a_sure_threat_is_toxic_however_short(classifier: Classifier, text: str) -> None:
    verdict = classifier.classify(text)
    assert verdict.toxic
    assert verdict.kinds == ("threat",)


@given(st.floats(-20, 0), st.floats(0.001, 0.999))
def test_a_sure_threat_is_toxic_at_the_balanced_threshold_and_not_above(
    log_odds: float, probability: float
) -> None:
    toxic = [log_odds if label in CONFIG.toxic_labels else 0.0 for label in CONFIG.labels]
    kinds = [np.log(probability / (1 - probability)) if k == "threat" else -9.0 for k in KINDS]
    logits = np.array([toxic + kinds], np.float32)
    verdict = Postprocessor(CONFIG).verdict(logits)
    assert verdict.toxic == (verdict.probabilities["threat"] >= SURE_FROM["threat"])
    assert not Postprocessor(CONFIG, OperatingPoint.CAUTIOUS).verdict(logits).toxic


def test_a_sure_threat_in_any_window_of_a_long_text_is_toxic() -> None:
    harmless = [-1.0 if label in CONFIG.toxic_labels else 0.0 for label in CONFIG.labels]
    threatening = [-5.0 if label in CONFIG.toxic_labels else 0.0 for label in CONFIG.labels]
    kinds = [5.0 if kind == "threat" else -9.0 for kind in KINDS]
    logits = np.array([harmless + [-9.0] * len(KINDS), threatening + kinds], np.float32)
    verdict = Postprocessor(CONFIG).verdict(logits)
    assert verdict.toxic
    assert verdict.kinds == ("threat",)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("kys", "identity"),
        ("kys, nobody would miss you", "identity"),
        ("Tu es un imbécile.", "sexual"),
        ("imbécile", "sexual"),
        ("You are an idiot", "obscene"),
        ("You are an idiot.", "obscene"),
    ],
)
def test_a_kind_that_a_message_does_not_show_is_not_named(
    classifier: Classifier, text: str, wrong: str
) -> None:
    assert wrong not in classifier.classify(text).kinds
