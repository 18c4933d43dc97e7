"""Fault injection for the Web API."""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault in one call.

    Parameters
    ----------
    error
        Slack's error code to return instead of making the call; None makes the call,
        unless ``status`` is not 200.
    status
        HTTP status of the error response; any other than 200 fails the call.
    retry_after
        The ``Retry-After`` header of the error response: seconds, or what Slack should not send.
    before
        Called before anything else happens.
    delay
        Seconds to wait before the call; longer than the client waits, the call takes effect late.
    hang
        Seconds to wait after the call has taken effect, before the response.
    content
        Body to respond with instead of JSON: HTML, or JSON that Slack should not send.
    cut
        Whether the response breaks off in the middle.
    after
        Called after the call has taken effect but before the caller gets the response:
        the moment at which a crash does the most damage.
    """

    error: str | None = None
    status: int = 200
    retry_after: int | str | None = None
    delay: float = 0.0
    hang: float = 0.0
    content: str | None = None
    cut: bool = False
    before: Callable[[], object] | None = None
    after: Callable[[], object] | None = None


class Faults:
    """Faults for the next calls to each method."""

    def __init__(self) -> None:
        self._pending: defaultdict[str, deque[Fault]] = defaultdict(deque)
        self._lock = threading.Lock()

    def add(self, method: str, fault: Fault, times: int = 1) -> None:
        """Inject a fault into the next ``times`` calls to a method."""
        with self._lock:
            self._pending[method].extend([fault] * times)

    def clear(self) -> None:
        """Remove all faults that have not occurred yet."""
        with self._lock:
            self._pending.clear()

    def next(self, method: str) -> Fault | None:
        """Remove and return the fault for the next call to a method, if any."""
        with self._lock:
            pending = self._pending[method]
            return pending.popleft() if pending else None
