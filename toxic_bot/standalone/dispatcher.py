"""Has the queued gestures answered, several at a time."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable

from toxic_bot.slack.gesture_router import GestureRouter
from toxic_bot.slack.retry import TryAgainError
from toxic_bot.slack.telemetry import KeyedExecutor, count, keyed, logger, metered
from toxic_bot.slack.waiting import QueuedGesture, Waiting
from toxic_bot.standalone.gesture_queue import GestureQueue
from toxic_bot.standalone.vital_thread import VitalThread

THREADS = 8
"""Gestures that are answered at the same time: most of that time, they wait for Slack."""
GESTURE_TIMEOUT = 30.0
"""Seconds that one gesture may take: the worker's timeout."""
POLL_INTERVAL = 0.5
"""Seconds between two looks at the queue when nothing arrives."""
FILE_PAUSE = 5.0
"""Seconds before polling the queue again after its file has failed."""


class Dispatcher:
    """Takes from the queue what is due, and has it answered.

    Parameters
    ----------
    queue
        The queue.
    router
        Answers one gesture.
    waiting
        Says how long a gesture waits that could not be answered.
    when_idle
        Called now and then, while nothing is due.
    """

    def __init__(
        self,
        queue: GestureQueue,
        router: GestureRouter,
        waiting: Waiting,
        when_idle: Callable[[], None],
    ) -> None:
        self._queue = queue
        self._router = router
        self._waiting = waiting
        self._when_idle = when_idle
        self._arrived = threading.Event()
        self._stopping = threading.Event()
        self._free = threading.Semaphore(THREADS)
        self._answers = KeyedExecutor(THREADS, thread_name_prefix="answer")
        self._thread = VitalThread(self._work, "dispatcher")

    def start(self) -> None:
        """Start, beginning with what is still queued."""
        self._thread.start()

    def wake(self) -> None:
        """Look at the queue now: something has arrived."""
        self._arrived.set()

    def stop(self) -> None:
        """Finish what has begun, and begin nothing more."""
        self._stopping.set()
        self._arrived.set()
        if self._thread.is_alive():
            self._thread.join(GESTURE_TIMEOUT)
        self._answers.shutdown()

    @property
    def is_alive(self) -> bool:
        """Whether somebody still looks at the queue."""
        return self._thread.is_alive()

    def _work(self) -> None:
        while not self._stopping.is_set():
            self._arrived.clear()
            try:
                if not self._begin_next():
                    self._when_idle()
                    # Not at once: what was begun just now still writes, and would wait for it.
                    if not self._arrived.wait(POLL_INTERVAL):
                        self._queue.erase_traces()
            except Exception as error:
                self._pause(error)

    def _begin_next(self) -> bool:
        """Begin with what is due, once a thread is free; return whether there was anything."""
        self._free.acquire()
        entry = None
        try:
            entry = None if self._stopping.is_set() else self._queue.take()
            if entry is not None:
                self._answers.submit(self._answer_and_free, entry)
                return True
        except Exception:
            if entry is not None:
                self._queue.release(entry.gesture)
            self._free.release()
            raise
        self._free.release()
        return False

    def _answer_and_free(self, entry: QueuedGesture) -> None:
        try:
            self._answer(entry)
        except sqlite3.Error as error:
            # It stays queued. If it has its answer, the claim says so.
            self._pause(error)
        finally:
            self._queue.release(entry.gesture)
            self._free.release()

    @metered
    def _answer(self, entry: QueuedGesture) -> None:
        gesture = entry.gesture
        with keyed(**gesture.log_keys()):
            try:
                self._router.answer(gesture, deadline=time.time() + GESTURE_TIMEOUT)
            except TryAgainError as error:
                self._try_again(entry, error)
            except Exception as error:
                # Its message may quote a text.
                kind = type(error).__name__
                self._try_again(entry, TryAgainError(f"unexpected {kind}", reason="failed"))
            else:
                self._queue.remove(gesture)

    def _try_again(self, entry: QueuedGesture, error: TryAgainError) -> None:
        count("EventReturned", reason=error.reason)
        if entry.is_exhausted(time.time()):
            logger.error(f"gave up waiting: {error}", reason=error.reason)
            self._queue.remove(entry.gesture)
            return
        delay = self._waiting.delay(entry, error)
        logger.warning(f"gesture waits: {error}", reason=error.reason, delay=round(delay, 1))
        self._queue.put_back(entry.put_back(delay, error), delay)
        if error.rest is not None:
            self._queue.forget(entry.gesture)

    def _pause(self, error: Exception) -> None:
        what = "the queue's file" if isinstance(error, sqlite3.Error) else "the dispatcher"
        logger.error(f"{what} failed", error=type(error).__name__)
        self._stopping.wait(FILE_PAUSE)
