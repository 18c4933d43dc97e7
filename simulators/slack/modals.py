"""Modals: the triggers that open them, and the one that each person has open.

Source: https://docs.slack.dev/surfaces/modals
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from typing import Any

from simulators.slack.workspace import APP, TEAM, SlackError

TRIGGER_LIFETIME = 3.0
"""Seconds in which a trigger opens a modal."""


class Modals:
    """Opens modals, and knows which are open.

    Parameters
    ----------
    clock
        Returns seconds that never run backward.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        # Trigger to the person who may open one, and until when; used ones stay, without a time.
        self._triggers: dict[str, tuple[str, float | None]] = {}
        self._watchers: list[Callable[[str], None]] = []
        self._open: dict[str, dict[str, Any]] = {}

    def new_trigger(self, user: str) -> str:
        """Return the trigger ID of a gesture."""
        trigger = f"{time.time_ns() // 1000}.{secrets.randbelow(10**10)}.{secrets.token_hex(16)}"
        with self._lock:
            self._triggers[trigger] = user, self._clock() + TRIGGER_LIFETIME
        return trigger

    def expire_triggers(self) -> None:
        """Let three seconds pass for all triggers."""
        with self._lock:
            self._triggers = {one: (user, 0.0) for one, (user, _) in self._triggers.items()}

    def open(self, trigger: str, view: dict[str, Any]) -> dict[str, Any]:
        """Open a modal for the person who made a gesture, and return it with its ID.

        Raises
        ------
        SlackError
            ``invalid_trigger_id``, ``exchanged_trigger_id`` or ``expired_trigger_id``.
        """
        with self._lock:
            if trigger not in self._triggers:
                raise SlackError("invalid_trigger_id")
            user, until = self._triggers[trigger]
            if until is None:
                raise SlackError("exchanged_trigger_id")
            if until < self._clock():
                raise SlackError("expired_trigger_id")
            self._triggers[trigger] = user, None
            identity = {"id": f"V{secrets.token_hex(5).upper()}", "team_id": TEAM, "app_id": APP}
            self._open[user] = opened = identity | view
        self._notify(user)
        return opened

    def of(self, user: str) -> dict[str, Any] | None:
        """Return the modal that somebody has open, if any."""
        return self._open.get(user)

    def replace(self, user: str, view: dict[str, Any]) -> None:
        """Show another view in the modal that somebody has open, as an app responds to a form."""
        identity = {"id": f"V{secrets.token_hex(5).upper()}", "team_id": TEAM, "app_id": APP}
        self._open[user] = identity | view
        self._notify(user)

    def close(self, user: str) -> None:
        """Close the modal that somebody has open."""
        if self._open.pop(user, None) is not None:
            self._notify(user)

    def watch(self, watcher: Callable[[str], None]) -> Callable[[], None]:
        """Call a function with whose modal was opened or closed; return one to stop that."""
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher)

    def _notify(self, user: str) -> None:
        for watcher in list(self._watchers):
            watcher(user)
