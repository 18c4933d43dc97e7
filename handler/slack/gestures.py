"""What people do to ask the bot something, as it travels from the receiver to the worker.

A gesture holds IDs and times. Only a `Command` and a `Trial` hold a text, because it stands in
no message; those take a queue of their own, which keeps nothing for long.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, ClassVar, Self

from handler.slack.fields import (
    ID,
    TIMESTAMP,
    MalformedEventError,
    read_field,
    read_object,
    read_optional,
    read_text,
)

RESPONSE_LIFETIME = 30 * 60
"""Seconds for which Slack takes answers to a gesture at its response URL.

Source: https://docs.slack.dev/interactivity/handling-user-interaction
"""

TEXT_LIFETIME = 10 * 60
"""Seconds for which a text waits for its verdict; nobody is still looking after that."""

REACTION = re.compile(r"[^\s:]{1,100}")
# Slack calls its IDs of interactions trigger IDs: "13345224609.738474920.8088930838d88f008e0".
TRIGGER = re.compile(r"[A-Za-z0-9_.-]{1,150}")
RESPONSE_URL = re.compile(r"https?://[^\s<>|]{1,500}")
_MODEL = re.compile(r"[A-Za-z0-9_.-]{1,100}")
_KINDS = re.compile(r"([a-z_]{1,30}(,[a-z_]{1,30}){0,9})?")


class Action(StrEnum):
    """The buttons below an answer, or below a note to the moderators."""

    WHY = "why"
    RIGHT = "right"
    WRONG = "wrong"
    SEEN = "seen"


@dataclass(frozen=True, slots=True)
class Subject:
    """The verdict that a button is about, as the button's value holds it.

    Parameters
    ----------
    ts, edited
        The version of the message: its timestamp, and that of its last edit or nothing.
    verdict
        ``toxic`` or ``fine``.
    score
        Its score.
    kinds
        The kinds that it named, comma-separated.
    model
        Version of the model.
    channel
        Where the message is, if the button is elsewhere: below a note to the moderators.
    """

    ts: str
    edited: str
    verdict: str
    score: float
    kinds: str
    model: str
    channel: str = ""

    def to_value(self) -> str:
        """Return the button's value."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> Self:
        """Read the parsed value of a button.

        Raises
        ------
        MalformedEventError
            When ``to_value`` did not write it.
        """
        score = raw.get("score")
        if not isinstance(score, int | float) or not 0 <= score <= 1:
            raise MalformedEventError("the field 'score' is not a score")
        return cls(
            ts=read_field(raw, "ts", TIMESTAMP),
            edited=read_field(raw, "edited", TIMESTAMP) if raw.get("edited") else "",
            verdict=read_field(raw, "verdict", re.compile("toxic|fine")),
            score=float(score),
            kinds=read_field(raw, "kinds", _KINDS),
            model=read_field(raw, "model", _MODEL),
            channel=read_field(raw, "channel", ID) if raw.get("channel") else "",
        )


@dataclass(frozen=True, slots=True)
class Gesture:
    """What every gesture has.

    Parameters
    ----------
    event_id
        Slack's ID; every retry has the same one.
    event_ts
        When it happened: Unix seconds with a fraction.
    team
        The workspace.
    user
        Who made it.
    """

    NAME: ClassVar[str]
    LIFETIME: ClassVar[float | None] = RESPONSE_LIFETIME
    HOLDS_TEXT: ClassVar[bool] = False

    event_id: str
    event_ts: str
    team: str
    user: str

    def to_json(self) -> str:
        """Return the body of this gesture's SQS message."""
        return json.dumps({"gesture": self.NAME} | asdict(self))

    def log_keys(self) -> dict[str, str]:
        """Return the keys that every log line about this gesture carries."""
        keys = ("event_id", "event_ts", "channel", "ts")
        named = {key: str(getattr(self, key)) for key in keys if hasattr(self, key)}
        return {"gesture": self.NAME} | named

    def is_expired(self, now: float) -> bool:
        """Report whether nobody can be answered any more."""
        return self.LIFETIME is not None and now - float(self.event_ts) > self.LIFETIME

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> Gesture:
        """Read a parsed body.

        Raises
        ------
        MalformedEventError
            When `to_json` did not write it.
        """
        # Each gesture has fields of its own.
        raise NotImplementedError

    @classmethod
    def _common(cls, raw: dict[str, Any]) -> dict[str, str]:
        return {
            "event_id": read_field(raw, "event_id", TRIGGER),
            "event_ts": read_field(raw, "event_ts", TIMESTAMP),
            "team": read_field(raw, "team", ID),
            "user": read_field(raw, "user", ID),
        }


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
class Shortcut(Gesture):
    """Somebody chose "Is this toxic?" in a message's menu.

    Parameters
    ----------
    channel, ts
        Which message.
    thread
        Timestamp of the thread that the message is a reply in, if any.
    response_url
        Where Slack takes the answer.
    """

    NAME = "shortcut"

    channel: str
    ts: str
    thread: str | None
    response_url: str

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> Shortcut:
        """Read a parsed body."""
        return cls(
            **cls._common(raw),
            channel=read_field(raw, "channel", ID),
            ts=read_field(raw, "ts", TIMESTAMP),
            thread=read_optional(raw, "thread", TIMESTAMP),
            response_url=read_field(raw, "response_url", RESPONSE_URL),
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
class Click(Gesture):
    """Somebody clicked a button below an answer.

    Parameters
    ----------
    channel
        Where the message is that was judged.
    action
        Which button.
    subject
        The verdict that the answer is about.
    thread
        Timestamp of the thread that the answer is in, if any.
    response_url
        Where Slack takes the answer.
    note
        Timestamp of the note to the moderators that the button is below, if it is one.
    """

    NAME = "click"

    channel: str
    action: Action
    subject: Subject
    thread: str | None
    response_url: str
    note: str | None = None

    @property
    def ts(self) -> str:
        """The timestamp of the message that was judged."""
        return self.subject.ts

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> Click:
        """Read a parsed body."""
        return cls(
            **cls._common(raw),
            channel=read_field(raw, "channel", ID),
            action=Action(read_field(raw, "action", re.compile("|".join(Action)))),
            subject=Subject.from_dict(read_object(raw, "subject")),
            thread=read_optional(raw, "thread", TIMESTAMP),
            response_url=read_field(raw, "response_url", RESPONSE_URL),
            note=read_optional(raw, "note", TIMESTAMP),
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


@dataclass(frozen=True, slots=True)
class SettingsRequest(Gesture):
    """Somebody wants to see or to change the settings of a channel.

    Its event ID is Slack's trigger ID, with which a modal can be opened for three seconds.

    Parameters
    ----------
    channel
        The channel.
    pressed
        Whether they pressed the button that opens the form; otherwise they typed the command.
    response_url
        Where Slack takes the answer.
    """

    NAME = "settings_request"

    channel: str
    pressed: bool
    response_url: str

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> SettingsRequest:
        """Read a parsed body."""
        return cls(
            **cls._common(raw),
            channel=read_field(raw, "channel", ID),
            pressed=raw.get("pressed") is True,
            response_url=read_field(raw, "response_url", RESPONSE_URL),
        )


@dataclass(frozen=True, slots=True)
class SettingsChange(Gesture):
    """Somebody submitted the settings of a channel.

    Parameters
    ----------
    channel
        The channel.
    settings
        `handler.channel_settings.ChannelSettings` in the form in which they are stored.
    """

    NAME = "settings_change"

    channel: str
    settings: str

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> SettingsChange:
        """Read a parsed body."""
        return cls(
            **cls._common(raw),
            channel=read_field(raw, "channel", ID),
            settings=read_text(raw, "settings"),
        )


_TYPES: dict[str, type[Gesture]] = {
    one.NAME: one
    for one in (
        Reaction,
        Shortcut,
        Command,
        Click,
        HomeVisit,
        Trial,
        Invitation,
        SettingsRequest,
        SettingsChange,
    )
}


def read_gesture(raw: dict[str, Any]) -> Gesture:
    """Read the parsed body of an SQS message.

    Raises
    ------
    MalformedEventError
        When no gesture wrote the body.
    """
    # Reactions of earlier versions do not say what they are.
    name = raw.get("gesture", Reaction.NAME)
    kind = _TYPES.get(name) if isinstance(name, str) else None
    if kind is None:
        raise MalformedEventError("the field 'gesture' names no known gesture")
    return kind.from_dict(raw)
