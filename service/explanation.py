"""The words that drove a verdict.

A word's effect is what the score loses without it (leave-one-out, or occlusion: Zeiler and Fergus
2014, https://arxiv.org/abs/1311.2901; Li, Monroe and Jurafsky 2016,
https://arxiv.org/abs/1612.08220). In a toxic text, each of several words may be enough, and the
score then loses little without any single one. So there the effect is the mean of that loss and of
what the word scores alone: the first and the last term of its Shapley value.

The model is asked once or twice for each word, so the words are bounded: in a longer text, runs of
neighboring words count as one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from judge.classifier import Classifier, Verdict
from judge.normalization import read

MAX_LENGTH = 2_000
"""Characters of a text that is explained."""
MAX_RUNS = 32
"""Runs of words that are left out, one at a time."""
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
    runs
        What drove the score, most first; None if the text is too long to tell.
    """

    verdict: Verdict
    reading: str
    runs: tuple[Run, ...] | None


def explain(classifier: Classifier, text: str, check: Callable[[], None]) -> Explanation:
    """Judge a text and find the words that drove its score.

    Parameters
    ----------
    classifier
        Judges.
    text
        The text.
    check
        Called before each step; may raise to end the work.
    """
    verdict = classifier.classify(text)
    reading = read(text).text
    if len(text) > MAX_LENGTH:
        return Explanation(verdict, reading, None)
    if not verdict.windows:
        return Explanation(verdict, reading, ())
    effect = _joint_effect if verdict.toxic else _loss
    runs = []
    for begin, end in _runs(text):
        check()
        runs.append(Run(begin, end, effect(classifier, text, begin, end, verdict.score)))
    shown = sorted((run for run in runs if run.effect >= MIN_EFFECT), key=lambda run: -run.effect)
    return Explanation(verdict, reading, tuple(shown[:MAX_SHOWN]))


def _loss(classifier: Classifier, text: str, begin: int, end: int, score: float) -> float:
    return score - classifier.classify(f"{text[:begin]} {text[end:]}").score


def _joint_effect(classifier: Classifier, text: str, begin: int, end: int, score: float) -> float:
    alone = classifier.classify(text[begin:end]).score
    return (_loss(classifier, text, begin, end, score) + alone) / 2


def _runs(text: str) -> list[tuple[int, int]]:
    words = [match.span() for match in _WORD.finditer(text)]
    length = -(-len(words) // MAX_RUNS) or 1
    groups = [words[start : start + length] for start in range(0, len(words), length)]
    return [(group[0][0], group[-1][1]) for group in groups]
