"""The error that sends an event back to be tried again."""

from __future__ import annotations

from judge.errors import ToxicBotError


class TryAgainError(ToxicBotError):
    """The work failed for a reason that will pass, so the event goes back to the queue.

    Parameters
    ----------
    message
        What happened, in one line.
    reason
        A short name for metrics, such as ``ratelimited``.
    delay
        Seconds to wait before the next try, if known.
    """

    def __init__(self, message: str, *, reason: str, delay: float | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.delay = delay
