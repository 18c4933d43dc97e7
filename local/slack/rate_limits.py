"""Slack's rate limits: so many calls of a method in so many seconds.

Source: https://docs.slack.dev/apis/web-api/rate-limits
"""

from __future__ import annotations

import math
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from local.slack.workspace import SlackError


@dataclass(frozen=True, slots=True)
class Limit:
    """How often a method may be called.

    Parameters
    ----------
    calls
        Calls within ``seconds``.
    seconds
        Length of the sliding window.
    by_channel
        Whether each channel has a window of its own.
    """

    calls: int
    seconds: float = 60.0
    by_channel: bool = False


TIER_3 = Limit(50)
TIER_4 = Limit(100)

SLACK_LIMITS: Mapping[str, Limit] = {
    "auth.test": Limit(600),
    "conversations.info": TIER_3,
    "conversations.replies": TIER_3,
    # "Generally one message a second for each channel", short bursts allowed.
    "chat.postMessage": Limit(60, by_channel=True),
    "chat.postEphemeral": TIER_4,
}
"""What Slack documents, for an internal app."""

NO_LIMITS: Mapping[str, Limit] = {}


class RateLimiter:
    """Counts calls, and refuses what is too much.

    Parameters
    ----------
    limits
        Of each method; a method without one is never refused.
    clock
        Seconds, monotonic.
    """

    def __init__(
        self, limits: Mapping[str, Limit], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._limits = limits
        self._clock = clock
        self._calls: defaultdict[tuple[str, ...], deque[float]] = defaultdict(deque)
        self._lock = threading.Lock()

    def count(self, method: str, token: str, channel: str) -> None:
        """Count a call.

        Raises
        ------
        SlackError
            ``ratelimited``, with status 429 and ``Retry-After``.
        """
        limit = self._limits.get(method)
        if limit is None:
            return
        key = (method, token, channel) if limit.by_channel else (method, token)
        now = self._clock()
        with self._lock:
            calls = self._calls[key]
            while calls and calls[0] <= now - limit.seconds:
                calls.popleft()
            if len(calls) >= limit.calls:
                # Rounding may leave a hair over the window's length.
                wait = min(max(calls[0] + limit.seconds - now, 1), limit.seconds)
                raise SlackError(
                    "ratelimited", status=429, headers={"Retry-After": str(math.ceil(wait))}
                )
            calls.append(now)
