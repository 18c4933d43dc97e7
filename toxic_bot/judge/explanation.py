"""The words that drove a verdict.

A word's effect is the mean of what the score loses without it (leave-one-out, or occlusion: Zeiler
and Fergus 2014, https://arxiv.org/abs/1311.2901; Li, Monroe and Jurafsky 2016,
https://arxiv.org/abs/1612.08220) and of what it scores alone: the first and the last term of its
Shapley value. Each of several words may be enough to make a text toxic, and the score then loses
little without any single one. The threshold plays no part in it.

The model is asked twice for each word, so the words are bounded: of a longer text, only the
sentence that scores highest alone is explained, of a longer sentence its clause, and of a very
long text only the worst window. Words that mean nothing alone are not weighed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from toxic_bot.judge.classifier import Classifier
from toxic_bot.judge.function_words import FUNCTION_WORDS
from toxic_bot.judge.verdict import Verdict

MAX_LENGTH = 2_000
"""Characters of a text that is explained as a whole."""
MAX_INFERENCES = 65
"""Inferences that an explanation costs at most, the verdict's own included, for each window."""
MAX_SHOWN = 8
MIN_EFFECT = 0.05
"""The least effect of a word that is shown."""
DECISIVE = 0.5
"""The share of a text's score that a part of it has alone if it has decided."""
MIN_SCORE = 0.2
"""The least score of a text without a telling word of which a part is named."""
_MAX_PIECES = 6
_MIN_WORDS = 6
"""Words of a clause that is still cut in half."""
_FIRST_EMOJI = "\u2600"
# Punctuation at the ends is no part of a word, where it cannot stand for a letter.
_PUNCTUATION = r""".,;:?"()\[\]{}"""
_WORD = re.compile(rf"[^\s{_PUNCTUATION}](?:\S*[^\s{_PUNCTUATION}])?")
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?…])\s+|(?<!\s)\s*\n\s*")
_BETWEEN_CLAUSES = re.compile(
    r"(?<=[,;:–—])\s+|(?<!\s)\s+(?:[-–—]\s+|(?=(?:and|but|or|because|so|if|when|that|who|which)\s))"
)

Span = tuple[int, int]
"""Where something in a text begins and ends, in characters."""


@dataclass(frozen=True, slots=True)
class Run:
    """A word of a text.

    Parameters
    ----------
    begin, end
        Its place in the text, in characters; the first one if it stands there several times.
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
        The words in ``text`` that drove the score, strongest first.
    part
        The sentence or clause of ``text`` that decided, if it was too long to weigh every word or
        if no word stands out; None if no part decided either.
    """

    verdict: Verdict
    reading: str
    text: str
    runs: tuple[Run, ...]
    part: Span | None = None


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
    if verdict.score < MIN_EFFECT:
        return Explanation(verdict, reading, text, ())
    weighing = _Weighing(classifier, text, verdict, check, max_inferences - 1)
    part = whole = (0, len(text))
    while weighing.cost(part) > weighing.left and (narrower := weighing.decisive_piece(part)):
        part = narrower
    runs = weighing.weigh(part)
    if part == whole and not runs and verdict.score >= MIN_SCORE:
        part = weighing.decisive_piece(part) or whole
    return Explanation(verdict, reading, text, runs, None if part == whole else part)


class _Weighing:
    """Weighs parts and words of one text, in a limited number of inferences."""

    def __init__(
        self,
        classifier: Classifier,
        text: str,
        verdict: Verdict,
        check: Callable[[], None],
        most: int,
    ) -> None:
        self._classifier = classifier
        self._text = text
        self._check = check
        # A word alone does not tell its language.
        self._language = verdict.language
        self._scores = {text: verdict.score}
        self._least = DECISIVE * verdict.score
        self.left = most

    def cost(self, part: Span) -> int:
        """Return the inferences that weighing the words of a part costs."""
        return 2 * len(self._words(part))

    def decisive_piece(self, part: Span) -> Span | None:
        """Return the sentence or clause of a part that scores highest, if it alone decides."""
        pieces = list(_pieces(self._text, part))
        if len(pieces) < 2 or len(pieces) > self.left:
            return None
        scores = [self._score(self._text[begin:end]) for begin, end in pieces]
        best = max(scores)
        return pieces[scores.index(best)] if best >= self._least else None

    def weigh(self, part: Span) -> tuple[Run, ...]:
        """Return the words of a part that drove its score, or none if they are too many."""
        if self.cost(part) > self.left:
            return ()
        begin, end = part
        whole = self._score(self._text[begin:end])
        runs = []
        for spans in self._words(part):
            first = slice(*spans[0])
            loss = whole - self._score(self._without(part, spans))
            effect = min((loss + self._score(self._text[first])) / 2, whole)
            runs.append(Run(first.start, first.stop, effect))
        shown = sorted((run for run in runs if run.effect >= MIN_EFFECT), key=lambda r: -r.effect)
        return tuple(shown[:MAX_SHOWN])

    def _words(self, part: Span) -> list[list[Span]]:
        """Return the places of each word that can mean something alone."""
        places: dict[str, list[Span]] = {}
        for match in _WORD.finditer(self._text, *part):
            word = match[0].lower().replace("’", "'")
            has_meaning = any(one.isalnum() or one >= _FIRST_EMOJI for one in word)
            if has_meaning and word.strip("'*_~`-–—!…") not in FUNCTION_WORDS:
                places.setdefault(word, []).append(match.span())
        return list(places.values())

    def _without(self, part: Span, spans: list[Span]) -> str:
        begins = [part[0], *(end for _, end in spans)]
        ends = [*(begin for begin, _ in spans), part[1]]
        kept = (self._text[begin:end] for begin, end in zip(begins, ends, strict=True))
        return " ".join(kept)

    def _score(self, text: str) -> float:
        if text not in self._scores:
            self._check()
            self.left -= 1
            self._scores[text] = self._classifier.classify(text, self._language).score
        return self._scores[text]


def _pieces(text: str, part: Span) -> Iterator[Span]:
    """Yield the sentences of a part, or its clauses, or its halves: a handful."""
    for between in (_BETWEEN_SENTENCES, _BETWEEN_CLAUSES):
        spans = list(_split(text, part, between))
        if len(spans) > 1:
            break
    else:
        words = [match.span() for match in _WORD.finditer(text, *part)]
        if len(words) < _MIN_WORDS:
            return
        middle = len(words) // 2
        spans = [(part[0], words[middle - 1][1]), (words[middle][0], part[1])]
    length = -(-len(spans) // _MAX_PIECES)
    for start in range(0, len(spans), length):
        group = spans[start : start + length]
        yield group[0][0], group[-1][1]


def _split(text: str, part: Span, between: re.Pattern[str]) -> Iterator[Span]:
    begin, end = part
    for match in between.finditer(text, begin, end):
        if match.start() > begin:
            yield begin, match.start()
        begin = match.end()
    if end > begin:
        yield begin, end
