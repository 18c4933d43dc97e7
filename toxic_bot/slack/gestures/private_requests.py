"""What somebody asks in private: about a message, or about a text that they have typed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toxic_bot.slack.fields import (
    ID,
    TIMESTAMP,
    read_edited,
    read_field,
    read_optional,
    read_text,
)
from toxic_bot.slack.gestures.gesture import RESPONSE_URL, Gesture

TEXT_LIFETIME = 10 * 60
"""Seconds for which a text waits for its verdict; nobody is still looking after that."""


@dataclass(frozen=True, slots=True)
class Shortcut(Gesture):
    """Somebody chose "Is this toxic?" in a message's menu.

    Parameters
    ----------
    channel, ts
        Which message.
    thread
        Timestamp of the thread that the message is a reply in, if any.
    author
        Who wrote it, if Slack says so.
    text
        What it says, in mrkdwn; this is judged where the bot cannot read the message.
    response_url
        Where Slack takes the answer.
    edited
        When the message was last edited; empty if never.
    """

    NAME = "shortcut"
    LIFETIME = TEXT_LIFETIME
    HOLDS_TEXT = True

    channel: str
    ts: str
    thread: str | None
    author: str | None
    text: str
    response_url: str
    edited: str = ""

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> Shortcut:
        """Read a parsed body."""
        return cls(
            **cls._common(raw),
            channel=read_field(raw, "channel", ID),
            ts=read_field(raw, "ts", TIMESTAMP),
            thread=read_optional(raw, "thread", TIMESTAMP),
            author=read_optional(raw, "author", ID),
            # Those that an earlier version has queued hold none.
            text=read_text(raw, "text") if "text" in raw else "",
            response_url=read_field(raw, "response_url", RESPONSE_URL),
            edited=read_edited(raw),
        )


@dataclass(frozen=True, slots=True)
class Command(Gesture):
    """Somebody typed the slash command with a text.

    Parameters
    ----------
    channel
        Where.
    text
        What is to be judged, in mrkdwn.
    response_url
        Where Slack takes the answer.
    """

    NAME = "command"
    LIFETIME = TEXT_LIFETIME
    HOLDS_TEXT = True

    channel: str
    text: str
    response_url: str

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> Command:
        """Read a parsed body."""
        return cls(
            **cls._common(raw),
            channel=read_field(raw, "channel", ID),
            text=read_text(raw, "text"),
            response_url=read_field(raw, "response_url", RESPONSE_URL),
        )


@dataclass(frozen=True, slots=True)
class Trial(Gesture):
    """Somebody tried a text on the Home tab.

    Parameters
    ----------
    text
        What is to be judged, as it was typed.
    """

    NAME = "trial"
    LIFETIME = TEXT_LIFETIME
    HOLDS_TEXT = True

    text: str

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> Trial:
        """Read a parsed body."""
        return cls(**cls._common(raw), text=read_text(raw, "text"))
