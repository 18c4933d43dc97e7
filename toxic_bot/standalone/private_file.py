"""A file that only its owner can read, whatever the umask."""

from __future__ import annotations

import os
from pathlib import Path

from toxic_bot.slack.telemetry import logger

COMPANIONS = ("", "-wal", "-shm", "-journal")
"""What SQLite appends to a file's name for the files beside it."""


def keep_private(path: Path) -> None:
    """Create a database file and its folder if they are missing, and shut others out of it.

    A folder that was there before stays as it is: others may have their files in it.

    Raises
    ------
    OSError
        When the file cannot be created.
    """
    missing = [folder for folder in path.parents if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(exist_ok=True)
        folder.chmod(0o700)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    for suffix in COMPANIONS:
        # SQLite gives those that it makes from now on the permissions of the first.
        _shut(path.with_name(path.name + suffix))


def _shut(path: Path) -> None:
    try:
        path.chmod(0o600)
    except FileNotFoundError:
        return
    except PermissionError:
        if path.stat().st_mode & 0o077:
            logger.warning(f"others can read {path}: make the bot's user its owner")
