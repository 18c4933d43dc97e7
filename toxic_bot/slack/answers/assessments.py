"""The assessments of a message, one after another, each under a claim.

An assessment reads and judges a message; it covers every reaction that happened before it, and
those cost no further Slack call.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict

from toxic_bot.slack.answers.assessment import Assessment
from toxic_bot.slack.answers.claims import Claims
from toxic_bot.slack.gestures.event_gestures import Deletion, Edit, Reaction
from toxic_bot.slack.gestures.watched_messages import JudgedMessage
from toxic_bot.slack.lookups import ASKED, WATCHED, assessment_claim
from toxic_bot.slack.retry import TryAgainError
from toxic_bot.slack.telemetry import logger

ASSESSMENT_EXPIRY = 15 * 60
"""Seconds for which an assessment is kept; Slack's last retry comes after five minutes. The first
one is kept as long as an answer: it says that the message was asked about."""

ANSWER_EXPIRY = 7 * 24 * 3600
"""Seconds for which a version of a message counts as answered."""

COOLDOWNS = (2.0, 8.0, 20.0, 30.0)
"""Seconds between one assessment of a message and the next; the last value repeats. Fifty
people who react within a minute cause at most four assessments, and somebody who edits a
message and reacts again right away waits two seconds."""

Cause = Reaction | Edit | JudgedMessage
"""Why a message is judged."""


class Assessments:
    """Lets each assessment of a message be made once.

    Parameters
    ----------
    claims
        Prevent a second one.
    clock
        Returns Unix seconds.
    chain
        Returns the chain of assessments that a channel's messages have here.
    """

    def __init__(
        self,
        claims: Claims,
        clock: Callable[[], float] = time.time,
        chain: Callable[[str], str] = lambda _: ASKED,
    ) -> None:
        self._claims = claims
        self._clock = clock
        self._chain = chain

    def covering(
        self, cause: Cause, assess: Callable[[], Assessment], deadline: float
    ) -> Assessment:
        """Return the assessment that covers a cause, made now if there is none.

        Parameters
        ----------
        cause
            Why the message is judged.
        assess
            Makes an assessment.
        deadline
            Unix seconds at which this invocation ends, and the claim lapses.

        Raises
        ------
        TryAgainError
            When it should be tried again later.
        """
        number, chain = 0, self._chain(cause.channel)
        while True:
            done = self._claims.once(
                assessment_claim(cause.channel, cause.ts, number, chain=chain),
                lambda: asdict(assess()),
                deadline=deadline,
                expires_after=_expiry(number),
            )
            assessment = Assessment.from_dict(done.result)
            if assessment.event_id == cause.event_id:
                if not done.by_us:
                    logger.info("this event was already answered")
                return assessment
            if float(cause.event_ts) <= assessment.covers_until:
                return assessment
            cooldown = COOLDOWNS[min(number, len(COOLDOWNS) - 1)]
            wait = assessment.covers_until + cooldown - self._clock()
            if wait > 0:
                raise TryAgainError(
                    "the message was assessed just now", reason="cooldown", delay=wait
                )
            number += 1

    def after_all(
        self, deletion: Deletion, work: Callable[[], Assessment], deadline: float
    ) -> None:
        """Do something once, after every assessment that may still post.

        Parameters
        ----------
        deletion
            Which message was deleted. No assessment covers that.
        work
            Does it.
        deadline
            Unix seconds at which this invocation ends, and the claim lapses.

        Raises
        ------
        TryAgainError
            When it should be tried again later.
        """
        for chain in (ASKED, WATCHED):
            number = 0
            while True:
                done = self._claims.once(
                    assessment_claim(deletion.channel, deletion.ts, number, chain=chain),
                    lambda: asdict(work()),
                    deadline=deadline,
                    expires_after=_expiry(number),
                )
                if done.result["event_id"] == deletion.event_id:
                    break
                number += 1


def _expiry(number: int) -> int:
    return ASSESSMENT_EXPIRY if number else ANSWER_EXPIRY
