"""Signals as exceptions, so that whatever ends a command also cleans up after it."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
CLEANUP = 3.0
"""Seconds for cleaning up, during which further signals are ignored."""
PATIENCE = 3.0
"""Seconds that a signal waits for the end of an import."""


class Interrupt(KeyboardInterrupt):
    """Ctrl-C.

    A class of its own: Python kills itself by SIGINT at the end of ``python -m`` if a plain
    KeyboardInterrupt ever left ``exec(text)``, as in dataclasses, even if it was caught
    (``unhandled_keyboard_interrupt`` in CPython's ``Python/pythonrun.c``).
    """


class Ending:
    """Signal handling of one command: raises exceptions and remembers the first signal.

    Attributes
    ----------
    status
        Exit status for the first signal, as a shell reports it; None before any.
    """

    def __init__(self) -> None:
        self.status: int | None = None
        self._came_at: float | None = None
        self._raised_at: float | None = None
        self._report = sys.unraisablehook

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Raise Interrupt for SIGINT, and SystemExit for the others."""
        now = time.monotonic()
        if self._raised_at is not None and now - self._raised_at < CLEANUP:
            return
        self.status = self.status or 128 + number
        self._came_at = self._came_at or now
        if now - self._came_at < PATIENCE and _is_importing(frame):
            # An extension module that imports others would print the exception itself.
            self._send_again()
            return
        self._raised_at = now
        if number == signal.SIGINT:
            raise Interrupt
        raise SystemExit(self.status)

    def report_unraisable(self, unraisable: UnraisableHookArgs) -> None:
        """Send the signal again if its exception was raised in a finalizer, where it is lost."""
        if self.status is not None and not issubclass(unraisable.exc_type, Exception):
            self._raised_at = None
            self._send_again()
        else:
            self._report(unraisable)

    def _send_again(self) -> None:
        assert self.status is not None
        timer = threading.Timer(0.01, os.kill, (os.getpid(), self.status - 128))
        timer.daemon = True
        timer.start()


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


@contextmanager
def raised(ending: Ending) -> Iterator[None]:
    """Raise an exception for each signal that asks the process to end.

    Signals that were ignored before stay ignored.

    Parameters
    ----------
    ending
        Remembers which signal came first.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = {
        number: signal.signal(number, ending.handle)
        for number in ENDING
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    report, sys.unraisablehook = sys.unraisablehook, ending.report_unraisable
    try:
        yield
    finally:
        sys.unraisablehook = report
        for number, handler in previous.items():
            signal.signal(number, handler)


def wait_for_interrupt() -> None:
    """Wait until somebody presses Ctrl-C."""
    try:
        while True:
            # Not signal.pause: a signal right before that call would go unnoticed in it.
            time.sleep(0.2)
    except Interrupt:
        return
