"""A message of an archive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

Advance = Callable[[int], None]
"""Called with the bytes of an archive that have been read."""


@dataclass(frozen=True, slots=True)
class Archived:
    """A message of an archive.

    Parameters
    ----------
    source
        The file that it is in, below the archive's folder.
    id
        What tells it from the others there: its own ID, or the number of its row.
    channel, month
        Where and when it was written, as far as the archive says; the month as ``2026-11``.
    user
        Who wrote it.
    text
        Plain text.
    """

    source: str
    id: str
    channel: str
    month: str
    user: str
    text: str


def month_of(time: str) -> str:
    """Return the month of a time: seconds since 1970, or ISO 8601; empty if it is neither."""
    try:
        moment = datetime.fromtimestamp(float(time), UTC)
    except (ValueError, OverflowError, OSError):
        try:
            moment = datetime.fromisoformat(time)
        except ValueError:
            return ""
    return f"{moment:%Y-%m}"
