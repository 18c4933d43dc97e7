"""The file that tells a container's probe whether the bot is ready."""

from __future__ import annotations

import os
import time
from pathlib import Path

from toxic_bot.judge.errors import ToxicBotError
from toxic_bot.slack.telemetry import logger

INTERVAL = 5.0
"""Seconds between two touches; a probe takes a file that is a minute old for a dead bot's."""


class ReadyFileError(ToxicBotError):
    """The file of READY_FILE cannot be written."""


class ReadyFile:
    """A file that exists, and is touched every few seconds, while the bot is ready.

    Parameters
    ----------
    path
        Its path; None for no file.

    Raises
    ------
    ReadyFileError
        When nothing can be written there.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._was_ready = False
        self._touched = 0.0
        if path is not None:
            try:
                # An earlier process may have been killed while it was ready.
                path.unlink(missing_ok=True)
                if not os.access(path.parent, os.W_OK):
                    raise PermissionError(f"the folder {path.parent} cannot be written to")
            except OSError as error:
                raise ReadyFileError(
                    f"{path} cannot be written ({error}): set READY_FILE to another file"
                ) from error

    def tell(self, *, is_ready: bool) -> None:
        """Touch the file, or remove it."""
        now = time.monotonic()
        if self._path is None or (
            is_ready == self._was_ready and (not is_ready or now - self._touched < INTERVAL)
        ):
            return
        try:
            if is_ready:
                self._path.touch()
            else:
                self._path.unlink(missing_ok=True)
        except OSError as error:
            # A probe sees an old file, and the bot keeps answering.
            logger.error("READY_FILE cannot be written", error=type(error).__name__)
        self._was_ready, self._touched = is_ready, now
