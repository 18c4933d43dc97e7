"""What can go wrong on this machine, in one line each."""

from __future__ import annotations

from handler.errors import ToxicBotError


class LocalError(ToxicBotError):
    """Something this machine's workspace or AWS needs is missing or does not start."""


class InvocationError(LocalError):
    """A function ended an invocation with an error, a crash or a time-out.

    Parameters
    ----------
    kind
        Lambda's name for it, such as ``Runtime.ExitError`` or ``Sandbox.Timedout``.
    message
        What the function or its runtime says of it.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
