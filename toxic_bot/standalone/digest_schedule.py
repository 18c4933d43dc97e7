"""When the standalone bot posts the weekly digest: on Mondays at eight (UTC), or once it can."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from toxic_bot.slack.moderators.weekly_digest import WeeklyDigest
from toxic_bot.slack.retry import TryAgainError
from toxic_bot.slack.telemetry import logger
from toxic_bot.slack.web_api.remedies import SlackRefusedError

HOUR = 8
"""The hour of Monday (UTC) from which a week's digest is due: the template's default."""
TIMEOUT = 60.0
"""Seconds that a digest may take: the Lambda function's timeout."""
PAUSE = 60.0
"""Seconds before a retry after a transient error."""
LONG_PAUSE = 3600.0
"""Seconds before a retry after an error that somebody must fix."""


class DigestSchedule:
    """Posts each week's digest once, however often the bot is started.

    Parameters
    ----------
    digest
        Posts it, under a claim.
    clock
        Returns Unix seconds.
    """

    def __init__(self, digest: WeeklyDigest, clock: Callable[[], float] = time.time) -> None:
        self._digest = digest
        self._clock = clock
        self._next = 0.0

    def run_if_due(self) -> None:
        """Post the digest if it is due."""
        now = self._clock()
        if now < self._next:
            return
        due = _due(now)
        if now < due:
            self._next = due
            return
        try:
            self._digest.post(now, deadline=now + TIMEOUT)
        except TryAgainError as error:
            logger.warning(f"the digest waits: {error}", reason=error.reason)
            self._next = now + max(PAUSE, error.delay or 0.0)
        except SlackRefusedError as error:
            logger.error(f"no digest: {error}", slack_error=error.error)
            self._next = now + LONG_PAUSE
        except Exception as error:
            # The bot keeps answering.
            logger.error("no digest", error=type(error).__name__)
            self._next = now + LONG_PAUSE
        else:
            self._next = due + timedelta(weeks=1).total_seconds()


def _due(now: float) -> float:
    """Return when the digest of this week is due, in Unix seconds."""
    today = datetime.fromtimestamp(now, UTC)
    monday = today - timedelta(days=today.weekday())
    return monday.replace(hour=HOUR, minute=0, second=0, microsecond=0).timestamp()
