"""Who was told to wait, and until when.

To refuse a request of a megabyte once more takes as long as to judge several short texts: it has
to arrive, be parsed and be counted. So who comes back with a large one before the time is over is
refused unread, and only after a while, so that no number of attempts takes much of the event loop.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from toxic_bot.service.request_errors import RequestError

LARGE = 16_384
"""Bytes of a body from which on it is not read while its client has to wait."""
DELAY = 1.0
"""Seconds after which such a request is refused."""
_MOST = 10_000


class Patience:
    """The clients that have to wait.

    Parameters
    ----------
    clock
        Seconds from any point in time.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until: dict[str, tuple[float, int]] = {}

    def told(self, client: str, status: int, seconds: float) -> None:
        """Remember that a client was refused and told to wait."""
        now = self._clock()
        if len(self._until) >= _MOST:
            self._until = {c: entry for c, entry in self._until.items() if entry[0] > now}
        if len(self._until) < _MOST or client in self._until:
            self._until[client] = (now + seconds, status)

    def refusal(self, client: str, length: int | None) -> RequestError | None:
        """Return the refusal of a request that is not to be read; None for any other.

        Parameters
        ----------
        client
            Whose it is.
        length
            Bytes of its body; None if that is not known.
        """
        if client not in self._until or (length is not None and length < LARGE):
            return None
        until, status = self._until[client]
        wait = until - self._clock()
        if wait <= 0:
            del self._until[client]
            return None
        code = "rate_limited" if status == 429 else "overloaded"
        seconds = max(1, math.ceil(wait))
        message = f"the time of Retry-After is not over: try again in {seconds} seconds"
        return RequestError(status, message, code, seconds)
