"""How many texts a key may have judged: a token bucket for each key."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

from service.request_errors import RequestError

MINUTE = 60.0


class Bucket:
    """Tokens that refill steadily, up to a minute's worth.

    Parameters
    ----------
    per_minute
        Tokens that a minute adds, and the most that the bucket holds.
    clock
        Seconds from any point in time.
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._lock = threading.Lock()
        self._tokens = float(per_minute)
        self._updated = clock()

    def take(self, count: int) -> None:
        """Take tokens.

        Raises
        ------
        RequestError
            When there are not enough; it says when there will be.
        """
        with self._lock:
            now = self._clock()
            added = (now - self._updated) * self._per_minute / MINUTE
            self._tokens = min(self._per_minute, self._tokens + added)
            self._updated = now
            missing = count - self._tokens
            if missing <= 0:
                self._tokens -= count
                return
        wait = max(1, math.ceil(missing * MINUTE / self._per_minute))
        message = f"more than {self._per_minute} texts a minute: try again in {wait} seconds"
        raise RequestError(429, message, "rate_limited", wait)
