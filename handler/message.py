"""Messages: one that is read in Slack, and one that is posted there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Message:
    """A message as it stands in Slack now.

    Parameters
    ----------
    channel, ts
        Where it is.
    thread
        The timestamp under which an answer goes: the parent's, or the message's own.
    edited
        When it was last edited; empty if never. Together with ``ts`` it names a version.
    text
        Slack mrkdwn.
    author
        The user who wrote it, where there is one.
    has_files
        Whether files hang on it.
    deleted
        Whether only its tombstone is left.
    is_answer
        Whether it is itself an answer of this bot's.
    answered
        Whether this bot has answered this version in the thread; None where that was not
        looked for, or the thread is too long to be sure.
    """

    channel: str
    ts: str
    thread: str
    edited: str
    text: str
    author: str | None
    has_files: bool
    deleted: bool
    is_answer: bool
    answered: bool | None


@dataclass(frozen=True, slots=True)
class Post:
    """What is posted: blocks, and the plain text that stands in where they cannot."""

    text: str
    blocks: list[dict[str, Any]]
