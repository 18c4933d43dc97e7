"""Which gesture a message of the queue holds."""

from __future__ import annotations

from typing import Any

from toxic_bot.slack.fields import MalformedEventError
from toxic_bot.slack.gestures.case_gestures import CaseClick, CaseForm
from toxic_bot.slack.gestures.clicks import Click
from toxic_bot.slack.gestures.event_gestures import (
    Deletion,
    Edit,
    HomeVisit,
    Invitation,
    Reaction,
)
from toxic_bot.slack.gestures.gesture import Gesture
from toxic_bot.slack.gestures.private_requests import Command, Shortcut, Trial
from toxic_bot.slack.gestures.report_gestures import Report, ReportRequest
from toxic_bot.slack.gestures.settings_gestures import SettingsChange, SettingsRequest
from toxic_bot.slack.gestures.watched_messages import JudgedMessage, WatchedMessage

_TYPES: dict[str, type[Gesture]] = {
    one.NAME: one
    for one in (
        Reaction,
        Edit,
        Deletion,
        WatchedMessage,
        JudgedMessage,
        Shortcut,
        Command,
        Click,
        HomeVisit,
        Trial,
        Invitation,
        SettingsRequest,
        SettingsChange,
        ReportRequest,
        Report,
        CaseClick,
        CaseForm,
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
