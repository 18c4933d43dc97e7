"""Slack's rate limits: the number of calls to a method in a sliding window.

Source: https://docs.slack.dev/apis/web-api/rate-limits
"""

from __future__ import annotations

import math
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from simulators.slack.workspace import SlackError


@dataclass(frozen=True, slots=True)
class Limit:
    """A rate limit.

    Parameters
    ----------
    calls
        Maximum number of calls in the window.
    seconds
        Length of the sliding window.
    per_channel
        Whether the limit applies to each channel separately.
    """

    calls: int
    seconds: float = 60.0
    per_channel: bool = False


TIER_3 = Limit(50)
TIER_4 = Limit(100)

SLACK_LIMITS: Mapping[str, Limit] = {
    "auth.test": Limit(600),
    # Slack says "hundreds of requests per minute".
    "chat.getPermalink": Limit(100),
    "chat.update": TIER_3,
    "chat.delete": TIER_3,
    "conversations.history": TIER_3,
    "conversations.info": TIER_3,
    "conversations.replies": TIER_3,
    "conversations.members": TIER_4,
    # Slack allows about one message per second per channel, with short bursts.
    "chat.postMessage": Limit(60, per_channel=True),
    "chat.postEphemeral": TIER_4,
    "users.conversations": TIER_3,
    "users.info": TIER_4,
    "views.open": TIER_4,
    "views.publish": TIER_4,
}
"""The limits that Slack documents for internal apps."""

NO_LIMITS: Mapping[str, Limit] = {}


class RateLimiter:
    """Counts calls and rejects those over the limit.

    Parameters
    ----------
    limits
        The limit of each method; other methods have none.
    clock
        Returns monotonic time in seconds.
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
        key = (method, token, channel) if limit.per_channel else (method, token)
        now = self._clock()
        with self._lock:
            calls = self._calls[key]
            while calls and calls[0] <= now - limit.seconds:
                calls.popleft()
            if len(calls) >= limit.calls:
                # Floating-point rounding can make it slightly longer than the window.
                wait = min(max(calls[0] + limit.seconds - now, 1), limit.seconds)
                raise SlackError(
                    "ratelimited", status=429, headers={"Retry-After": str(math.ceil(wait))}
                )
            calls.append(now)
