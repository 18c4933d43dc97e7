"""Fault injection for AWS: what goes wrong in the n-th call of an operation."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from simulators.aws.callers import kill_caller

logger = logging.getLogger(__name__)
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
    KILLED_BEFORE = "killed before"
    """The function's process is killed, and the call takes no effect."""
    KILLED_AFTER = "killed after"
    """The call takes effect, and the function's process is killed."""


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
    caller
        Access key of the role that calls; only its calls are counted.
    """

    operation: str
    occurrence: int
    fault: AwsFault
    caller: str


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
        self._calls: Counter[tuple[str, str]] = Counter()
        self._faults: dict[tuple[str, str, int], PlannedFault] = {}
        self._played: list[PlannedFault] = []

    def plan(self, faults: Iterable[PlannedFault]) -> None:
        """Replace the plan, and count calls from 0 again."""
        with self._lock:
            self._calls.clear()
            self._played = []
            self._faults = {(one.caller, one.operation, one.occurrence): one for one in faults}

    def played(self) -> list[PlannedFault]:
        """Return the faults that have met their call."""
        with self._lock:
            return list(self._played)

    def __call__(
        self, environment: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Respond to a call, or fail as planned."""
        operation = environment.get("HTTP_X_AMZ_TARGET", "").rpartition(".")[2]
        caller = _access_key(environment.get("HTTP_AUTHORIZATION", ""))
        fault = self._next(caller, operation) if operation and caller else None
        if fault is AwsFault.THROTTLED:
            return _error(start_response, "400 Bad Request", "ThrottlingException")
        if fault is AwsFault.UNAVAILABLE:
            return _error(start_response, "503 Service Unavailable", "ServiceUnavailable")
        if fault is AwsFault.SLOW:
            time.sleep(SLOW)
        if fault is AwsFault.KILLED_BEFORE:
            _kill_caller(environment)
            return _error(start_response, "503 Service Unavailable", "ServiceUnavailable")
        if fault in (AwsFault.LOST, AwsFault.KILLED_AFTER):
            b"".join(self._application(environment, lambda *_: None))
            if fault is AwsFault.KILLED_AFTER:
                _kill_caller(environment)
            return _error(start_response, "500 Internal Server Error", "InternalFailure")
        return self._application(environment, start_response)

    def _next(self, caller: str, operation: str) -> AwsFault | None:
        with self._lock:
            occurrence = self._calls[caller, operation]
            self._calls[caller, operation] += 1
            planned = self._faults.get((caller, operation, occurrence))
            if planned is None:
                return None
            self._played.append(planned)
            return planned.fault


def _kill_caller(environment: dict[str, Any]) -> None:
    ports = int(environment["REMOTE_PORT"]), int(environment["SERVER_PORT"])
    if not kill_caller(*ports):
        logger.warning("no function calls from port %d: its fault kills nobody", ports[0])


def _access_key(authorization: str) -> str:
    """Return the access key that a call of a role is signed with; empty for anybody else's."""
    start = authorization.find(ROLE_SESSION)
    if start < 0:
        return ""
    return authorization[start:].partition("=")[2].partition("/")[0]


def _error(start_response: Callable[..., Any], status: str, kind: str) -> Iterable[bytes]:
    body = json.dumps({"__type": kind, "message": "planned"}).encode()
    start_response(
        status,
        [("Content-Type", "application/x-amz-json-1.0"), ("Content-Length", str(len(body)))],
    )
    return [body]
