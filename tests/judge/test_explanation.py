from __future__ import annotations

import pytest

from toxic_bot.judge.classifier import Classifier, load
from toxic_bot.judge.config import EMBEDDED_MODEL
from toxic_bot.judge.explanation import Explanation, explain
from toxic_bot.judge.normalization import read
from toxic_bot.judge.verdict import Verdict

CALM = "It rained all day in the valley and nobody minded the long walk home. "
INSULT = "You are a pathetic idiot."


class Counting(Classifier):
    """A classifier that counts how often it is asked."""

    asked = 0

    def classify(self, text: str, language: str | None = None) -> Verdict:
        self.asked += 1
        return super().classify(text, language)


@pytest.fixture(scope="module")
def classifier() -> Classifier:
    return load(EMBEDDED_MODEL)


def shown(explanation: Explanation) -> list[str]:
    return [explanation.text[run.begin : run.end] for run in explanation.runs]


@pytest.mark.parametrize("text", ["You are a pathetic idiot.", "Thanks, that was a great help!"])
def test_an_explanation_has_the_verdict_that_the_text_gets(
    classifier: Classifier, text: str
) -> None:
    explanation = explain(classifier, text)
    assert explanation.verdict == classifier.classify(text)
    assert explanation.reading == read(text).text


def test_the_words_that_drove_the_score_come_first(classifier: Classifier) -> None:
    explanation = explain(classifier, "Well, my friend, you are an idiot")
    assert shown(explanation)[0] == "idiot"
    effects = [run.effect for run in explanation.runs]
    assert effects == sorted(effects, reverse=True)


def test_of_a_long_text_only_the_part_that_decided_is_explained(classifier: Classifier) -> None:
    text = CALM * 20 + INSULT + " " + CALM * 20
    explanation = explain(classifier, text, max_length=0)
    assert explanation.verdict.windows > 3
    assert INSULT in explanation.text
    assert len(explanation.text) < len(text) / 4
    assert "idiot" in " ".join(shown(explanation))


@pytest.mark.parametrize("text", [INSULT + " " + CALM * 2, CALM * 3])
def test_an_explanation_costs_no_more_inferences_than_it_may(
    classifier: Classifier, text: str
) -> None:
    counting = Counting.__new__(Counting)
    counting.__dict__.update(classifier.__dict__)
    explain(counting, text, max_inferences=24)
    assert 1 < counting.asked <= 24


def test_a_text_that_is_not_judged_has_nothing_to_explain(classifier: Classifier) -> None:
    assert explain(classifier, "?!").runs == ()
    assert explain(classifier, "Привет, как дела?").runs == ()
