"""Fault injection for AWS: what goes wrong in the n-th call of an operation."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

SLOW = 4.0
"""Seconds by which a slow call is delayed: longer than the functions wait."""

ROLE_SESSION = "Credential=ASIA"
"""Marks the calls of a role, and so of a function; the administrator's never fail."""

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class AwsFault(StrEnum):
    """What goes wrong."""

    THROTTLED = "throttled"
    UNAVAILABLE = "unavailable"
    LOST = "lost"
    """The call takes effect, and its response is lost."""
    SLOW = "slow"
    """The call takes effect after the caller has given up."""


@dataclass(frozen=True, slots=True)
class PlannedFault:
    """A fault in one call.

    Parameters
    ----------
    operation
        The operation, such as ``PutItem``.
    occurrence
        Which call of the operation, counted from 0 when the plan is set.
    fault
        What goes wrong.
    """

    operation: str
    occurrence: int
    fault: AwsFault


class FaultyApplication:
    """A WSGI application whose calls fail as planned.

    Parameters
    ----------
    application
        The application that responds to the calls.
    """

    def __init__(self, application: Application) -> None:
        self._application = application
        self._lock = threading.Lock()
        self._calls: Counter[str] = Counter()
        self._faults: dict[tuple[str, int], AwsFault] = {}

    def plan(self, faults: Iterable[PlannedFault]) -> None:
        """Replace the plan, and count calls from 0 again."""
        with self._lock:
            self._calls.clear()
            self._faults = {(one.operation, one.occurrence): one.fault for one in faults}

    def __call__(
        self, environment: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Respond to a call, or fail as planned."""
        operation = environment.get("HTTP_X_AMZ_TARGET", "").rpartition(".")[2]
        by_role = ROLE_SESSION in environment.get("HTTP_AUTHORIZATION", "")
        fault = self._next(operation) if operation and by_role else None
        if fault is AwsFault.THROTTLED:
            return _error(start_response, "400 Bad Request", "ThrottlingException")
        if fault is AwsFault.UNAVAILABLE:
            return _error(start_response, "503 Service Unavailable", "ServiceUnavailable")
        if fault is AwsFault.SLOW:
            time.sleep(SLOW)
        if fault is AwsFault.LOST:
            b"".join(self._application(environment, lambda *_: None))
            return _error(start_response, "500 Internal Server Error", "InternalFailure")
        return self._application(environment, start_response)

    def _next(self, operation: str) -> AwsFault | None:
        with self._lock:
            occurrence = self._calls[operation]
            self._calls[operation] += 1
            return self._faults.get((operation, occurrence))


def _error(start_response: Callable[..., Any], status: str, kind: str) -> Iterable[bytes]:
    body = json.dumps({"__type": kind, "message": "planned"}).encode()
    start_response(
        status,
        [("Content-Type", "application/x-amz-json-1.0"), ("Content-Length", str(len(body)))],
    )
    return [body]
