from __future__ import annotations

from typing import Any

import pytest

from toxic_bot.judge.classifier import Classifier, load
from toxic_bot.judge.config import EMBEDDED_MODEL
from toxic_bot.judge.explanation import MIN_SCORE, Explanation, explain
from toxic_bot.judge.function_words import FUNCTION_WORDS
from toxic_bot.judge.normalization import read
from toxic_bot.judge.verdict import Status, Verdict

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


@pytest.mark.slow
def test_of_a_long_text_only_the_part_that_decided_is_explained(classifier: Classifier) -> None:
    text = CALM * 20 + INSULT + " " + CALM * 20
    explanation = explain(classifier, text, max_length=0)
    assert explanation.verdict.windows > 3
    assert INSULT in explanation.text
    assert len(explanation.text) < len(text) / 4
    assert "idiot" in " ".join(shown(explanation))


LONG_SENTENCE = f"{INSULT[:-1]} " + ", ".join(f"with tool{n} wrench{n} bolt{n}" for n in range(60))


@pytest.mark.parametrize(
    "text",
    [INSULT + " " + CALM * 2, CALM * 3, f"{INSULT} " * 30, LONG_SENTENCE, LONG_SENTENCE[:-1] * 3],
)
@pytest.mark.parametrize("most", [2, 24, pytest.param(65, marks=pytest.mark.long)])
@pytest.mark.slow
def test_an_explanation_costs_no_more_inferences_than_it_may(
    classifier: Classifier, text: str, most: int
) -> None:
    counting = Counting.__new__(Counting)
    counting.__dict__.update(classifier.__dict__)
    explain(counting, text, max_inferences=most)
    assert 1 <= counting.asked <= most


@pytest.mark.parametrize(
    "text",
    [
        "Well, my friend, you are an idiot and nobody is with you",
        "I will find you and I will break your legs, you moron.",
        f"{INSULT} Next time leave it to somebody who understands it.",
        f"{CALM}{CALM}{INSULT} {CALM}",
    ],
)
def test_only_whole_words_that_mean_something_alone_are_named(
    classifier: Classifier, text: str
) -> None:
    words = shown(explain(classifier, text))
    assert words
    assert all(word in text.replace(",", "").replace(".", "").split() for word in words)
    assert not {word.lower() for word in words} & FUNCTION_WORDS


@pytest.mark.parametrize("threshold", [0.01, 0.5, 0.95, 0.999])
@pytest.mark.parametrize("text", [INSULT, "How sweet that you tried. Leave it to grown-ups."])
def test_what_drove_a_score_does_not_depend_on_the_threshold(
    classifier: Classifier, text: str, threshold: float
) -> None:
    explanation, other = explain(classifier, text), explain(classifier.at(threshold), text)
    assert (other.runs, other.part) == (explanation.runs, explanation.part)


def test_of_a_text_of_many_sentences_only_the_one_that_decided_is_explained(
    classifier: Classifier,
) -> None:
    text = f"{CALM * 4}{INSULT} {CALM * 4}"
    explanation = explain(classifier, text, max_inferences=16)
    assert explanation.part is not None
    part = text[slice(*explanation.part)]
    assert INSULT in part
    assert len(part) < len(text) / 3
    assert "idiot" in shown(explanation)


class Whole:
    """A classifier for which any three of some words hurt together, and none alone."""

    threshold = 0.5

    def reading(self, _: Verdict, text: str) -> str:
        return text

    def classify(self, text: str, _: str | None = None) -> Verdict:
        together = sum(word in text for word in ("time", "leave", "somebody", "clever"))
        return Verdict(Status.TOXIC, 0.6 if together > 2 else 0.01, ("putdown",), windows=1)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (
            "How sweet that they tried. Next time leave it to somebody clever.",
            "Next time leave it to somebody clever.",
        ),
        (
            "I read your report, next time leave it to somebody clever",
            "next time leave it to somebody clever",
        ),
        ("next time leave it to somebody clever", None),
    ],
)
def test_where_no_word_stands_out_the_part_that_does_is_named(text: str, part: str | None) -> None:
    whole: Any = Whole()
    explanation = explain(whole, text)
    assert explanation.runs == ()
    assert (explanation.part and text[slice(*explanation.part)]) == part


class Mild:
    """A classifier for which every text is a little suspicious."""

    threshold = 0.5

    def reading(self, _: Verdict, text: str) -> str:
        return text

    def classify(self, _: str, __: str | None = None) -> Verdict:
        return Verdict(Status.FINE, MIN_SCORE - 0.01, windows=1)


def test_no_part_of_a_harmless_text_is_named() -> None:
    mild: Any = Mild()
    explanation = explain(mild, "The first went home early. So did the others.", max_inferences=40)
    assert explanation.part is None


def test_a_word_that_stands_there_twice_is_weighed_once(classifier: Classifier) -> None:
    words = [word.lower() for word in shown(explain(classifier, "Idiot! You idiot, what an idiot"))]
    assert words.count("idiot") <= 1


def test_a_text_that_is_not_judged_has_nothing_to_explain(classifier: Classifier) -> None:
    assert explain(classifier, "?!").runs == ()
    assert explain(classifier, "Привет, как дела?").runs == ()
