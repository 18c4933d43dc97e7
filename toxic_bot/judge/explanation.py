"""The words that drove a verdict.

A word's effect is what the score loses without it (leave-one-out, or occlusion: Zeiler and Fergus
2014, https://arxiv.org/abs/1311.2901; Li, Monroe and Jurafsky 2016,
https://arxiv.org/abs/1612.08220). In a toxic text, each of several words may be enough, and the
score then loses little without any single one. So there the effect is the mean of that loss and of
what the word scores alone: the first and the last term of its Shapley value.

The model is asked once or twice for each word, so the words are bounded: in a longer text, runs of
neighboring words count as one, and of a very long text only the worst window is explained.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from toxic_bot.judge.classifier import Classifier
from toxic_bot.judge.verdict import Verdict

MAX_LENGTH = 2_000
"""Characters of a text that is explained as a whole."""
MAX_INFERENCES = 65
"""Inferences that an explanation costs at most, the verdict's own included, for each window."""
MAX_SHOWN = 8
MIN_EFFECT = 0.05
"""The least effect of a run that is shown."""
# Punctuation at the ends is no part of a word, where it cannot stand for a letter.
_PUNCTUATION = r""".,;:?"()\[\]{}"""
_WORD = re.compile(rf"[^\s{_PUNCTUATION}](?:\S*[^\s{_PUNCTUATION}])?")


@dataclass(frozen=True, slots=True)
class Run:
    """One word of a text, or neighboring words of a long one.

    Parameters
    ----------
    begin, end
        Its place in the text, in characters.
    effect
        How much it drove the score.
    """

    begin: int
    end: int
    effect: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """A verdict and what led to it.

    Parameters
    ----------
    verdict
        The verdict.
    reading
        The text as the model reads it.
    text
        What is explained: the text as it was written or, if it is too long for that, its worst
        window as the model reads it.
    runs
        What in ``text`` drove the score, strongest first.
    """

    verdict: Verdict
    reading: str
    text: str
    runs: tuple[Run, ...]


def explain(
    classifier: Classifier,
    text: str,
    check: Callable[[], None] = lambda: None,
    max_inferences: int = MAX_INFERENCES,
    max_length: int = MAX_LENGTH,
) -> Explanation:
    """Judge a text and find the words that drove its score.

    Parameters
    ----------
    classifier
        Judges.
    text
        The text.
    check
        Called before each step; may raise to end the work.
    max_inferences
        Inferences that it may cost for each window, the verdict's own included.
    max_length
        Characters from which on a text of several windows is explained only by its worst one.
    """
    verdict = classifier.classify(text)
    reading = classifier.reading(verdict, text)
    if not verdict.judged:
        return Explanation(verdict, reading, text, ())
    if verdict.windows > 1 and len(text) > max_length:
        begin, end = verdict.passage
        text = reading[begin:end]
    effect, cost = (_joint_effect, 2) if verdict.toxic else (_loss, 1)
    runs = []
    for begin, end in _runs(text, (max_inferences - 1) // cost):
        check()
        runs.append(Run(begin, end, effect(classifier, text, begin, end, verdict.score)))
    shown = sorted((run for run in runs if run.effect >= MIN_EFFECT), key=lambda run: -run.effect)
    return Explanation(verdict, reading, text, tuple(shown[:MAX_SHOWN]))


def _loss(classifier: Classifier, text: str, begin: int, end: int, score: float) -> float:
    return score - classifier.classify(f"{text[:begin]} {text[end:]}").score


def _joint_effect(classifier: Classifier, text: str, begin: int, end: int, score: float) -> float:
    alone = classifier.classify(text[begin:end]).score
    return (_loss(classifier, text, begin, end, score) + alone) / 2


def _runs(text: str, most: int) -> list[tuple[int, int]]:
    words = [match.span() for match in _WORD.finditer(text)]
    length = -(-len(words) // most) or 1
    groups = [words[start : start + length] for start in range(0, len(words), length)]
    return [(group[0][0], group[-1][1]) for group in groups]
