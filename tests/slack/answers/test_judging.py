"""A text is judged once, also where its verdict is explained."""

from __future__ import annotations

import pytest

from toxic_bot.judge.classifier import Classifier, load
from toxic_bot.judge.verdict import Reason, Status, Verdict
from toxic_bot.slack.answers.assessment import Outcome
from toxic_bot.slack.answers.judging import Judge

INSULT = "You are a pathetic idiot."


@pytest.fixture(scope="module")
def classifier() -> Classifier:
    return load()


@pytest.mark.parametrize(
    "text", [INSULT, "Thanks, that was quick!", "?!", "회의는 세 시에 시작합니다"]
)
def test_a_text_that_somebody_typed_is_judged_once_with_its_explanation(
    classifier: Classifier, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    judged: list[str] = []
    classify = classifier.classify

    def note(one: str, language: str | None = None) -> Verdict:
        judged.append(one)
        return classify(one, language)

    monkeypatch.setattr(classifier, "classify", note)
    judgment, explanation = Judge(classifier).explained_text(text)
    assert judged.count(text) == 1
    assert judgment == Judge(classifier).text(text)
    assert judgment.is_verdict is explanation.verdict.judged


@pytest.mark.parametrize(
    ("verdict", "outcome"),
    [
        (Verdict.not_judged(Reason.NO_WORDS), Outcome.EMPTY),
        (Verdict.not_judged(Reason.LANGUAGE), Outcome.NOT_LEGIBLE),
        (Verdict(Status.TOXIC, 0.9, windows=1), Outcome.TOXIC),
        (Verdict(Status.FINE, 0.1, windows=1), Outcome.FINE),
    ],
)
def test_every_verdict_has_its_outcome(verdict: Verdict, outcome: Outcome) -> None:
    assert Outcome.of(verdict) is outcome
