"""How many texts a key may have judged: a token bucket for each key.

A long text counts as the windows that the model reads of it.
"""

from __future__ import annotations

import math
import multiprocessing
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from toxic_bot.service.request_errors import RequestError

MINUTE = 60.0


class Bucket:
    """Tokens that refill steadily, up to a minute's worth.

    Parameters
    ----------
    per_minute
        Tokens that a minute adds, and the most that the bucket holds.
    clock
        Seconds from any point in time, the same for all processes.
    shared
        Whether the processes that are started with this bucket all take from it.
    """

    def __init__(
        self,
        per_minute: int,
        clock: Callable[[], float] = time.monotonic,
        *,
        shared: bool = False,
    ) -> None:
        self.per_minute = per_minute
        self._clock = clock
        # Tokens, and when they were counted.
        self._state: Any = [float(per_minute), clock()]
        self._lock: AbstractContextManager[Any] = threading.Lock()
        if shared:
            array = multiprocessing.get_context("spawn").Array("d", self._state)
            self._state, self._lock = array, array.get_lock()

    def take(self, count: int) -> None:
        """Take tokens; from a full bucket, even more than it holds, as a debt.

        Raises
        ------
        RequestError
            When there are not enough; it says when there will be.
        """
        with self._lock:
            now = self._clock()
            tokens, updated = self._state
            tokens = min(self.per_minute, tokens + (now - updated) * self.per_minute / MINUTE)
            missing = min(count, self.per_minute) - tokens
            self._state[:] = [tokens if missing > 0 else tokens - count, now]
        if missing <= 0:
            return
        wait = max(1, math.ceil(missing * MINUTE / self.per_minute))
        message = f"more than {self.per_minute} texts a minute: try again in {wait} seconds"
        raise RequestError(429, message, "rate_limited", wait)
