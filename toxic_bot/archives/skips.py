"""What of an archive could not be read: counted and named, without a word of its content."""

from __future__ import annotations

from toxic_bot.archives import ArchiveError

MOST_NAMED = 1000
"""Items that are named; all of them are counted."""


class Skips:
    """The items that a reader has left out.

    Parameters
    ----------
    strict
        Whether the first one ends the reading.

    Attributes
    ----------
    count
        How many there are.
    named
        The first of them: where each is, and why it was left out.
    notes
        What else there is to know about how the archive was read.
    """

    def __init__(self, *, strict: bool = False) -> None:
        self.count = 0
        self.named: list[str] = []
        self.notes: list[str] = []
        self._strict = strict

    def skip(self, place: str, reason: str) -> None:
        """Leave an item out.

        Raises
        ------
        ArchiveError
            When nothing may be left out.
        """
        line = f"{place}: {reason}"
        if self._strict:
            raise ArchiveError(line)
        self.count += 1
        if self.count <= MOST_NAMED:
            self.named.append(line)

    def note(self, text: str) -> None:
        """Say something about how the archive was read."""
        self.notes.append(text)
