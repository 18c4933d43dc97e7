"""An account of every reaction of a load: asked, answered once, or not."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable

from simulators.slack.workspace import Message, Workspace

Key = tuple[str, str]
"""A message: its channel and timestamp."""


class Accounting:
    """Counts answers as the workspace gets them.

    Parameters
    ----------
    workspace
        Where the bot posts.
    clock
        Returns monotonic time in seconds.
    """

    def __init__(self, workspace: Workspace, clock: Callable[[], float] = time.monotonic) -> None:
        self._bot = workspace.bot.id
        self._clock = clock
        self._lock = threading.Lock()
        # In the order in which people reacted, so that the first one waits the longest.
        self._waiting: dict[Key, float] = {}
        self._answers: Counter[Key] = Counter()
        self._asked = 0
        self.latencies: list[float] = []
        """Milliseconds from each reaction to its answer."""
        self.last_answer = clock()
        """When the last answer came, in the clock's seconds."""
        self.stop = workspace.watch(self._on_message)

    def ask(self, message: Message, due: float) -> None:
        """Expect an answer to a message that somebody was due to react to at a moment."""
        with self._lock:
            self._asked += 1
            self._waiting[message.channel, message.ts] = due

    @property
    def asked(self) -> int:
        """Reactions so far."""
        return self._asked

    @property
    def answered(self) -> int:
        """Reactions that have an answer."""
        return len(self._answers)

    @property
    def doubled(self) -> int:
        """Reactions that have more than one answer."""
        return sum(times > 1 for times in self._answers.values())

    @property
    def waiting(self) -> int:
        """Reactions that have no answer yet."""
        return len(self._waiting)

    def unanswered(self) -> list[Key]:
        """Return the messages whose reaction has no answer."""
        with self._lock:
            return list(self._waiting)

    def oldest_age(self) -> float:
        """Return for how many seconds the oldest waiting reaction has waited; 0 without one."""
        with self._lock:
            oldest = next(iter(self._waiting.values()), None)
        return 0.0 if oldest is None else max(0.0, self._clock() - oldest)

    def _on_message(self, message: Message) -> None:
        if message.user != self._bot or message.edited:
            return
        payload = (message.metadata or {}).get("event_payload") or {}
        key = (str(payload.get("channel")), str(payload.get("ts")))
        with self._lock:
            due = self._waiting.pop(key, None)
            if due is not None:
                self.latencies.append((self._clock() - due) * 1e3)
            elif key not in self._answers:
                return
            self._answers[key] += 1
            self.last_answer = self._clock()
