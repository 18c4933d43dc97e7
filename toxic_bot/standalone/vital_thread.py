"""Threads without which the bot is deaf."""

from __future__ import annotations

import threading
from collections.abc import Callable

from toxic_bot.slack.telemetry import logger


class VitalThread(threading.Thread):
    """A thread that must live as long as the bot; if it ends by an error, it says so.

    Parameters
    ----------
    work
        What it does.
    name
        Its name in the log.
    """

    def __init__(self, work: Callable[[], object], name: str) -> None:
        super().__init__(name=name, daemon=True)
        self._work = work

    def run(self) -> None:
        """Work, and report what ends it."""
        try:
            self._work()
        except BaseException as error:
            # Python would print the error's message, which may quote a text.
            logger.critical(f"the thread '{self.name}' has ended", error=type(error).__name__)
