"""From a message, or a text on its own, to a judgment."""

from __future__ import annotations

import time

from toxic_bot.judge.classifier import Classifier
from toxic_bot.judge.explanation import Explanation, explain
from toxic_bot.judge.self_harm import rest_of_self_harm
from toxic_bot.judge.verdict import LIKELY_FROM, Verdict
from toxic_bot.slack.answers.assessment import Judgment, Outcome
from toxic_bot.slack.telemetry import measure
from toxic_bot.slack.web_api.message import Message
from toxic_bot.slack.web_api.mrkdwn import plain_text
from toxic_bot.slack.word_lists import ListReading, WordLists

MAX_INFERENCES = 40
"""Inferences that an explanation costs at most: a fifth of a second. A word costs two."""


class Judge:
    """Judges what is in Slack.

    Parameters
    ----------
    classifier
        Judges the text.
    lists
        The words that always or never count.
    cares
        Whether people who write of harming themselves are told apart, and not judged.
    """

    def __init__(
        self, classifier: Classifier, lists: WordLists | None = None, *, cares: bool = False
    ) -> None:
        self._classifier = classifier
        self._lists = lists or WordLists()
        self._cares = cares

    @property
    def threshold(self) -> float:
        """The threshold: the score from which a text is toxic."""
        return self._classifier.threshold

    @property
    def model(self) -> str:
        """The version of the model: the beginning of its checksum."""
        return self._classifier.config.checksums["model.onnx"][:12]

    def message(self, message: Message | None) -> Judgment:
        """Judge a message; None stands for one that is gone."""
        if message is None or message.deleted:
            return Judgment(Outcome.DELETED)
        if message.is_answer:
            return Judgment(Outcome.OWN_ANSWER)
        judgment = self.text(plain_text(message.text))
        if judgment.outcome is Outcome.EMPTY and message.has_files:
            return Judgment(Outcome.ONLY_FILES)
        return judgment

    def text(self, text: str) -> Judgment:
        """Judge a plain text."""
        if (in_need := self._in_need(text)) is not None:
            return in_need
        started = time.perf_counter()
        reading = self._lists.read(text)
        verdict = self._classifier.classify(reading.text)
        if verdict.judged:
            measure("ClassifyMilliseconds", (time.perf_counter() - started) * 1e3)
        return _judgment(verdict, reading)

    def explained_text(self, text: str) -> tuple[Judgment, Explanation]:
        """Judge a plain text and explain what drove its score, in one go."""
        explanation = self.explain(text)
        judgment = self._in_need(text) or _judgment(explanation.verdict, self.on_lists(text))
        return judgment, explanation

    def explain(self, text: str) -> Explanation:
        """Explain what drove the score of a plain text; of a long one, the part that decided.

        What never counts is left out of the text that is explained.
        """
        left = self.on_lists(text).text
        return explain(self._classifier, left, max_inferences=MAX_INFERENCES, max_length=0)

    def is_about_self_harm(self, text: str) -> bool:
        """Report whether the author of a plain text may need help, if that is told apart."""
        return self._in_need(text) is not None

    def _in_need(self, text: str) -> Judgment | None:
        rest = rest_of_self_harm(text) if self._cares else None
        if rest is None:
            return None
        # Whoever else is threatened is not forgotten.
        return Judgment(Outcome.SELF_HARM, urgent=_urgent(self._classifier.classify(rest)))

    def on_lists(self, text: str) -> ListReading:
        """Return what the channel's lists make of a plain text."""
        return self._lists.read(text)


def _judgment(verdict: Verdict, reading: ListReading) -> Judgment:
    outcome = Outcome.of(verdict)
    if reading.always:
        return Judgment(Outcome.TOXIC, verdict.score, verdict.kinds, True, _urgent(verdict))
    if reading.never and outcome is Outcome.EMPTY:
        # There were words, and none of them counts.
        outcome = Outcome.FINE
    return Judgment(outcome, verdict.score, verdict.kinds, urgent=_urgent(verdict))


def _urgent(verdict: Verdict) -> tuple[str, ...]:
    likely = verdict.probabilities
    return tuple(
        kind
        for kind, least in LIKELY_FROM.items()
        if verdict.toxic and (kind in verdict.kinds or likely.get(kind, 0.0) >= least)
    )
