"""The errors that send a reaction back to be tried again, and the delay that Slack asks for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from toxic_bot.judge.errors import ToxicBotError

MIN_RETRY_AFTER, MAX_RETRY_AFTER = 1.0, 60.0
"""Bounds on the seconds that Slack asks to wait. After a minute, one call asks whether it still
means it: a single long ``Retry-After`` must not hold up every reaction that comes later."""


class TryAgainError(ToxicBotError):
    """The work failed for a reason that will pass, so the reaction waits and is tried again.

    Parameters
    ----------
    message
        What happened, in one line.
    reason
        A short name for metrics, such as ``in_progress``.
    delay
        Seconds to wait before the next try, if known.

    Attributes
    ----------
    rest
        What is left of the gesture to be done, if that is another one.
    """

    def __init__(self, message: str, *, reason: str, delay: float | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.delay = delay
        # A gesture; Any, because gestures stand above this module.
        self.rest: Any = None


class InProgressError(TryAgainError):
    """Another invocation is doing the same work; ``delay`` is the time until its claim lapses."""


class OutcomeUnknownError(TryAgainError):
    """A post may or may not have taken effect, or may still do so.

    Its claim is kept until it lapses, so that nobody posts the same again in the meantime.
    """


class RateLimitedError(TryAgainError):
    """Slack limits the rate of a call.

    Parameters
    ----------
    bucket
        What the limit applies to: a method, or a method in one channel.
    interval
        Seconds between two calls at the rate that Slack allows.
    delay
        Seconds until Slack takes the next call.
    """

    def __init__(self, bucket: str, *, interval: float, delay: float) -> None:
        method = bucket.partition("#")[0]
        super().__init__(
            f"Slack asked to wait {math.ceil(delay)} seconds before the next {method}",
            reason=f"ratelimited_{method}",
            delay=delay,
        )
        self.bucket = bucket
        self.interval = interval


def retry_after(headers: Mapping[str, str]) -> float:
    """Return how many seconds Slack asks to wait in the headers of a 429, within bounds."""
    try:
        delay = float(headers.get("Retry-After", MIN_RETRY_AFTER))
    except (TypeError, ValueError):
        return MIN_RETRY_AFTER
    if math.isnan(delay):
        return MIN_RETRY_AFTER
    return min(max(delay, MIN_RETRY_AFTER), MAX_RETRY_AFTER)
