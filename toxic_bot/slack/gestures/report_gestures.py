"""Reports to the moderators: somebody asks for the form, and submits it."""

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
    read_object,
    read_optional,
    read_text,
)
from toxic_bot.slack.gestures.gesture import Gesture
from toxic_bot.slack.gestures.private_requests import Shortcut
from toxic_bot.slack.i18n.translation import Language

_LANGUAGE = re.compile("|".join(Language))
_NAME = re.compile(r"[a-z_]{1,30}")
_KINDS = re.compile(r"([a-z_]{1,30}(,[a-z_]{1,30}){0,9})?")


@dataclass(frozen=True, slots=True)
class ReportRequest(Shortcut):
    """Somebody chose "Report to moderators" in a message's menu.

    Its event ID is Slack's trigger ID, with which the form can be opened for three seconds.
    """

    NAME = "report_request"


@dataclass(frozen=True, slots=True)
class ReportedMessage:
    """The message that a report is about, and the verdict on it: no text.

    Parameters
    ----------
    channel, ts
        Which message.
    author
        Who wrote it, if Slack says so.
    outcome, score, kinds
        The verdict, as `toxic_bot.slack.answers.assessment.Judgment` has it; the kinds are
        comma-separated.
    edited
        When the version that was reported was written; empty if the message was never edited.
    urgent
        The kinds for which somebody has to see it at once, comma-separated.
    """

    channel: str
    ts: str
    author: str | None
    outcome: str
    score: float
    kinds: str
    edited: str = ""
    urgent: str = ""

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> ReportedMessage:
        """Read the result of ``asdict``.

        Raises
        ------
        MalformedEventError
            When it is not one.
        """
        score = raw.get("score")
        if not isinstance(score, int | float) or not 0 <= score <= 1:
            raise MalformedEventError("the field 'score' is not a score")
        return cls(
            channel=read_field(raw, "channel", ID),
            ts=read_field(raw, "ts", TIMESTAMP),
            author=read_optional(raw, "author", ID),
            outcome=read_field(raw, "outcome", _NAME),
            score=float(score),
            kinds=read_field(raw, "kinds", _KINDS),
            edited=read_edited(raw),
            urgent=read_field(raw, "urgent", _KINDS) if raw.get("urgent") else "",
        )


@dataclass(frozen=True, slots=True)
class Report(Gesture):
    """Somebody submitted a report.

    Parameters
    ----------
    channel
        Where the message is.
    message
        The message.
    reason
        One of `toxic_bot.slack.requests.report_form.Reason`.
    word
        What they say about it; it is for the moderators.
    anonymous
        Whether the moderators are not told who reports.
    language
        In which the reporter is thanked.
    """

    NAME = "report"
    LIFETIME = None

    channel: str
    message: ReportedMessage
    reason: str
    word: str
    anonymous: bool
    language: Language

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> Report:
        """Read a parsed body."""
        message = ReportedMessage.from_dict(read_object(raw, "message"))
        return cls(
            **cls._common(raw),
            channel=message.channel,
            message=message,
            reason=read_field(raw, "reason", _NAME),
            word=read_text(raw, "word"),
            # Whoever has not said so is not named.
            anonymous=raw.get("anonymous") is not False,
            language=Language(read_field(raw, "language", _LANGUAGE)),
        )
