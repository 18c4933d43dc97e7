"""The queue of gestures: those that wait for their answer, in the bot's file."""

from __future__ import annotations

import json
import threading
import time

from toxic_bot.slack.fields import MalformedEventError
from toxic_bot.slack.gestures.case_gestures import CaseForm
from toxic_bot.slack.gestures.gesture import Gesture
from toxic_bot.slack.gestures.report_gestures import Report
from toxic_bot.slack.telemetry import logger
from toxic_bot.slack.waiting import MAX_DELAY, QueuedGesture
from toxic_bot.standalone.database import Database

_NEXT = """
SELECT event_id, body FROM gesture
WHERE due <= ? AND event_id NOT IN (SELECT value FROM json_each(?))
ORDER BY due LIMIT 1
"""
_ASTRAY = """
SELECT event_id, body FROM gesture
WHERE due > ? AND event_id NOT IN (SELECT value FROM json_each(?))
ORDER BY due LIMIT 1
"""
"""Nothing waits for so long: the clock has been set back."""


class GestureQueue:
    """The gestures that wait. Safe to share between threads, one of which takes them.

    A gesture that is taken stays in the file until it is removed, so a crash loses none.

    Parameters
    ----------
    database
        Holds them.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._taken: set[str] = set()

    def put(self, gesture: Gesture) -> None:
        """Queue a gesture; one that is already queued stays as it is."""
        self._database.change(
            "INSERT OR IGNORE INTO gesture (event_id, body, due) VALUES (?, ?, ?)",
            (gesture.event_id, QueuedGesture(gesture).to_json(), time.time()),
        )

    def take(self) -> QueuedGesture | None:
        """Return the gesture that has been due the longest, and to nobody else until `release`.

        Returns
        -------
        QueuedGesture or None
            None when none is due.
        """
        while True:
            with self._lock:
                taken = json.dumps(list(self._taken))
            now = time.time()
            rows = self._database.query(_NEXT, (now, taken)) or self._database.query(
                _ASTRAY, (now + MAX_DELAY + 1, taken)
            )
            if not rows:
                return None
            event_id, body = map(str, rows[0])
            with self._lock:
                self._taken.add(event_id)
            try:
                return QueuedGesture.from_json(body)
            except MalformedEventError as error:
                # A later version may have written it, and can still answer it.
                logger.error(f"a queued gesture is left alone: {error}", event_id=event_id)

    def release(self, gesture: Gesture) -> None:
        """Let a gesture be taken again if it is still queued."""
        with self._lock:
            self._taken.discard(gesture.event_id)

    def put_back(self, entry: QueuedGesture, seconds: float) -> None:
        """Let a gesture wait."""
        self._database.change(
            "UPDATE gesture SET body = ?, due = ? WHERE event_id = ?",
            (entry.to_json(), time.time() + seconds, entry.gesture.event_id),
        )

    def remove(self, gesture: Gesture) -> None:
        """Remove a gesture from the queue."""
        self._database.change("DELETE FROM gesture WHERE event_id = ?", (gesture.event_id,))
        self.forget(gesture)

    def forget(self, gesture: Gesture) -> None:
        """Leave nothing of a gesture in the file that was removed from it, or replaced in it."""
        is_written = gesture.HOLDS_TEXT or isinstance(gesture, (Report, CaseForm))
        if is_written or hasattr(gesture, "response_url"):
            self.erase_traces()

    def erase_traces(self) -> None:
        """Leave nothing in the file of texts and response URLs that were removed.

        Call it again now and then: nothing can be erased while another process reads the file.
        """
        self._database.erase()
