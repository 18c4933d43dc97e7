"""Messages of a watched channel: as they come, and once they have been judged."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from toxic_bot.slack.fields import (
    ID,
    TIMESTAMP,
    MalformedEventError,
    read_edited,
    read_field,
    read_text,
)
from toxic_bot.slack.gestures.event_gestures import Edit
from toxic_bot.slack.gestures.gesture import Gesture

_KINDS = re.compile(r"([a-z_]{1,30}(,[a-z_]{1,30}){0,9})?")


@dataclass(frozen=True, slots=True)
class WatchedMessage(Gesture):
    """Somebody wrote or edited a message in a channel that is watched.

    Slack allows 50 reads a minute, which is less than a busy channel has messages, so the text
    that came with the event is judged. It waits for that, and for nothing else.

    Parameters
    ----------
    channel, ts
        Which message.
    thread
        Timestamp of the thread that it is in: the parent's, or its own.
    edited
        When it was edited; empty for a new one.
    asked
        Whether it may have an answer already.
    text
        What it says, in mrkdwn.
    """

    NAME = "watched_message"
    LIFETIME = None
    HOLDS_TEXT = True

    channel: str
    ts: str
    thread: str
    edited: str
    asked: bool
    text: str

    def as_edit(self) -> Edit:
        """Return the edit alone, for a channel that is not watched."""
        return Edit(self.event_id, self.event_ts, self.team, self.user, self.channel, self.ts)

    def judged(
        self,
        *,
        toxic: bool,
        score: float,
        kinds: tuple[str, ...],
        listed: bool = False,
        self_harm: bool = False,
        urgent: tuple[str, ...] = (),
    ) -> JudgedMessage:
        """Return what is left of it once it is judged."""
        return JudgedMessage(
            event_id=self.event_id,
            event_ts=self.event_ts,
            team=self.team,
            user=self.user,
            channel=self.channel,
            ts=self.ts,
            thread=self.thread,
            edited=self.edited,
            asked=self.asked,
            toxic=toxic,
            score=round(score, 4),
            kinds=",".join(kinds),
            listed=listed,
            self_harm=self_harm,
            urgent=",".join(urgent),
        )

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> WatchedMessage:
        """Read a parsed body."""
        return cls(
            **cls._common(raw),
            channel=read_field(raw, "channel", ID),
            ts=read_field(raw, "ts", TIMESTAMP),
            thread=read_field(raw, "thread", TIMESTAMP),
            edited=read_edited(raw),
            asked=raw.get("asked") is True,
            text=read_text(raw, "text"),
        )


@dataclass(frozen=True, slots=True)
class JudgedMessage(Gesture):
    """A message of a watched channel that has been judged: what follows from it is still to do.

    Parameters
    ----------
    channel, ts, thread, edited, asked
        See `WatchedMessage`.
    toxic, score, kinds, listed
        The verdict; the kinds are comma-separated.
    self_harm
        Whether its author may need help, and is not judged.
    urgent
        The kinds for which somebody has to see it at once, comma-separated.
    """

    NAME = "judged_message"
    LIFETIME = None

    channel: str
    ts: str
    thread: str
    edited: str
    asked: bool
    toxic: bool
    score: float
    kinds: str
    listed: bool = False
    self_harm: bool = False
    urgent: str = ""

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> JudgedMessage:
        """Read a parsed body."""
        score = raw.get("score")
        if not isinstance(score, int | float) or not 0 <= score <= 1:
            raise MalformedEventError("the field 'score' is not a score")
        return cls(
            **cls._common(raw),
            channel=read_field(raw, "channel", ID),
            ts=read_field(raw, "ts", TIMESTAMP),
            thread=read_field(raw, "thread", TIMESTAMP),
            edited=read_edited(raw),
            asked=raw.get("asked") is True,
            toxic=raw.get("toxic") is True,
            score=float(score),
            kinds=read_field(raw, "kinds", _KINDS),
            listed=raw.get("listed") is True,
            self_harm=raw.get("self_harm") is True,
            urgent=read_field(raw, "urgent", _KINDS) if raw.get("urgent") else "",
        )
