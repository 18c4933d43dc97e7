"""Gestures that Slack sends as events: reactions, edits, visits to the Home tab, invitations."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from toxic_bot.slack.fields import ID, TIMESTAMP, read_field, read_optional
from toxic_bot.slack.gestures.gesture import Gesture

REACTION = re.compile(r"[^\s:]{1,100}")


@dataclass(frozen=True, slots=True)
class Reaction(Gesture):
    """Somebody reacted to a message to ask for a verdict.

    Parameters
    ----------
    channel, ts
        Which message: conversation and the message's own timestamp.
    author
        Who wrote the message, if Slack says so.
    reaction
        The emoji's short name without skin tone.
    """

    NAME = "reaction"
    LIFETIME = None

    channel: str
    ts: str
    author: str | None
    reaction: str

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> Reaction:
        """Read a parsed body."""
        return cls(
            **cls._common(raw),
            channel=read_field(raw, "channel", ID),
            ts=read_field(raw, "ts", TIMESTAMP),
            author=read_optional(raw, "author", ID),
            reaction=read_field(raw, "reaction", REACTION),
        )


@dataclass(frozen=True, slots=True)
class Edit(Gesture):
    """Somebody edited a message that was asked about.

    Parameters
    ----------
    channel, ts
        Which message.
    """

    NAME = "edit"
    LIFETIME = None

    channel: str
    ts: str

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> Edit:
        """Read a parsed body."""
        return cls(
            **cls._common(raw),
            channel=read_field(raw, "channel", ID),
            ts=read_field(raw, "ts", TIMESTAMP),
        )


@dataclass(frozen=True, slots=True)
class Deletion(Gesture):
    """Somebody deleted a message that was asked about.

    Parameters
    ----------
    channel, ts
        Which message.
    thread
        Timestamp of the thread that answers to it are in: the parent's, or the message's own.
    """

    NAME = "deletion"
    LIFETIME = None

    channel: str
    ts: str
    thread: str

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> Deletion:
        """Read a parsed body."""
        return cls(
            **cls._common(raw),
            channel=read_field(raw, "channel", ID),
            ts=read_field(raw, "ts", TIMESTAMP),
            thread=read_field(raw, "thread", TIMESTAMP),
        )


@dataclass(frozen=True, slots=True)
class HomeVisit(Gesture):
    """Somebody opened the app's Home tab."""

    NAME = "home_visit"

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> HomeVisit:
        """Read a parsed body."""
        return cls(**cls._common(raw))


@dataclass(frozen=True, slots=True)
class Invitation(Gesture):
    """Somebody invited the bot to a channel.

    Parameters
    ----------
    channel
        The channel.
    """

    NAME = "invitation"

    channel: str

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> Invitation:
        """Read a parsed body."""
        return cls(**cls._common(raw), channel=read_field(raw, "channel", ID))
