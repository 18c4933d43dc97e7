"""Faults that a test, or a curious person, puts into the Web API."""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong with one call.

    Parameters
    ----------
    error
        Slack's error name that is answered in place of the call; None lets it happen.
    status
        HTTP status of that answer.
    retry_after
        Seconds, for its header ``Retry-After``.
    delay
        Seconds that the answer takes.
    after
        Called when the call has had its effect and before the caller hears of it: the
        moment at which a crash loses the most.
    """

    error: str | None = None
    status: int = 200
    retry_after: int | None = None
    delay: float = 0.0
    after: Callable[[], None] | None = None


class Faults:
    """Faults waiting for the next calls of each method."""

    def __init__(self) -> None:
        self._waiting: defaultdict[str, deque[Fault]] = defaultdict(deque)
        self._lock = threading.Lock()

    def add(self, method: str, fault: Fault, times: int = 1) -> None:
        """Let the next calls of a method meet a fault."""
        with self._lock:
            self._waiting[method].extend([fault] * times)

    def clear(self) -> None:
        """Forget all faults that have not been met."""
        with self._lock:
            self._waiting.clear()

    def next(self, method: str) -> Fault | None:
        """Take the fault that the next call of a method meets."""
        with self._lock:
            waiting = self._waiting[method]
            return waiting.popleft() if waiting else None
