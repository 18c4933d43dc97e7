"""Messages: one that is read from Slack, and one that is posted to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class EarlierAnswer:
    """An answer of this bot to an earlier version of a message, not yet marked as such.

    Parameters
    ----------
    ts
        Which post.
    edited
        The version that it is about; empty for the first one.
    text
        What it says, without its blocks.
    """

    ts: str
    edited: str
    text: str


@dataclass(frozen=True, slots=True)
class Message:
    """A message as it is in Slack right now.

    Parameters
    ----------
    channel, ts
        Which message.
    thread
        Timestamp of the thread that an answer belongs to: the parent's, or the message's own.
    edited
        When it was last edited; empty if never. With ``ts`` it identifies a version.
    text
        Slack mrkdwn.
    author
        The user who wrote it, if there is one.
    has_files
        Whether files are attached.
    deleted
        Whether only its tombstone is left.
    is_answer
        Whether it is itself one of this bot's answers.
    answered
        Whether this bot has already answered this version in the thread; None if the thread
        was not searched, or is too long to search.
    earlier_answers
        What this bot has said there about earlier versions, as far as that is not marked.
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
    earlier_answers: tuple[EarlierAnswer, ...] = ()


@dataclass(frozen=True, slots=True)
class Post:
    """A message to post: blocks, and plain text for clients that cannot show them."""

    text: str
    blocks: list[dict[str, Any]]
