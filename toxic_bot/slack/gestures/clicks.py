"""Clicks on the buttons below an answer, and the verdicts that they are about."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Self

from toxic_bot.slack.fields import (
    ID,
    TIMESTAMP,
    MalformedEventError,
    read_field,
    read_object,
    read_optional,
)
from toxic_bot.slack.gestures.gesture import RESPONSE_URL, Gesture

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
    listed
        Whether the channel's list decided.
    """

    ts: str
    edited: str
    verdict: str
    score: float
    kinds: str
    model: str
    channel: str = ""
    listed: bool = False

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
            listed=raw.get("listed") is True,
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
