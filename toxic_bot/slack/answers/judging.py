"""From a message, or a text on its own, to a judgment."""

from __future__ import annotations

import time

from toxic_bot.judge.classifier import Classifier
from toxic_bot.judge.explanation import Explanation, explain
from toxic_bot.judge.verdict import Verdict
from toxic_bot.slack.answers.assessment import Judgment, Outcome
from toxic_bot.slack.telemetry import measure
from toxic_bot.slack.web_api.message import Message
from toxic_bot.slack.web_api.mrkdwn import plain_text

MAX_INFERENCES = 40
"""Inferences that an explanation costs at most: a fifth of a second. A word costs two."""


class Judge:
    """Judges what is in Slack.

    Parameters
    ----------
    classifier
        Judges the text.
    """

    def __init__(self, classifier: Classifier) -> None:
        self._classifier = classifier

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
        started = time.perf_counter()
        verdict = self._classifier.classify(text)
        if verdict.judged:
            measure("ClassifyMilliseconds", (time.perf_counter() - started) * 1e3)
        return _judgment(verdict)

    def explained_text(self, text: str) -> tuple[Judgment, Explanation]:
        """Judge a plain text and explain what drove its score, in one go."""
        explanation = self.explain(text)
        return _judgment(explanation.verdict), explanation

    def explain(self, text: str) -> Explanation:
        """Explain what drove the score of a plain text; of a long one, the part that decided."""
        return explain(self._classifier, text, max_inferences=MAX_INFERENCES, max_length=0)


def _judgment(verdict: Verdict) -> Judgment:
    return Judgment(Outcome.of(verdict), verdict.score, verdict.kinds)
