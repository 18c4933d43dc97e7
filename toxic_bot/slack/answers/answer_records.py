"""What is counted, measured and logged about an answer."""

from __future__ import annotations

import time
from collections.abc import Callable

from toxic_bot.slack.answers.assessment import Judgment, Outcome
from toxic_bot.slack.answers.assessments import Cause
from toxic_bot.slack.answers.verdict_counts import VerdictCounts
from toxic_bot.slack.telemetry import count, logger, measure
from toxic_bot.slack.web_api.remedies import SlackRefusedError


class AnswerRecords:
    """Records answers.

    Parameters
    ----------
    verdict_counts
        Count the verdicts.
    clock
        Returns Unix seconds.
    """

    def __init__(
        self, verdict_counts: VerdictCounts, clock: Callable[[], float] = time.time
    ) -> None:
        self._verdict_counts = verdict_counts
        self._clock = clock

    def count(self, cause: Cause, judgment: Judgment) -> None:
        """Count a verdict for the Home tab and the digest."""
        if judgment.is_verdict:
            self._verdict_counts.add(
                cause.team,
                cause.channel,
                judgment.outcome.value,
                judgment.kinds,
                self._clock(),
            )

    def record(self, judgment: Judgment, cause: Cause, *, posted: bool) -> None:
        """Measure and log an answer, or that none was due."""
        if judgment.outcome is Outcome.SELF_HARM:
            # The log names messages, and is not to say of one that its author is unwell.
            return
        milliseconds = (self._clock() - float(cause.event_ts)) * 1e3
        if not judgment.is_verdict:
            count("NothingToJudge", reason=judgment.outcome)
        elif posted:
            count("VerdictPosted", verdict=judgment.outcome)
            measure("AnswerMilliseconds", milliseconds)
        logger.info(
            "answered" if posted else "judged without an answer",
            verdict=judgment.outcome.value,
            score=round(judgment.score, 4),
            kinds=list(judgment.kinds),
            latency_ms=round(milliseconds),
        )


def record_refusal(error: SlackRefusedError) -> None:
    """Count and log that Slack has refused a call for good."""
    count("SlackRefused", error=error.error)
    logger.error(str(error), slack_error=error.error)
