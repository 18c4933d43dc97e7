"""What people do to ask the bot something, as it travels from the receiver to the worker.

A gesture holds IDs and times. Only a `Command`, a `Trial`, a `Shortcut` and a `WatchedMessage`
hold a text, because the bot may not be able to read it anywhere else, or not fast enough; those use
a separate queue, which keeps nothing for long.
"""

from typing import Any

from toxic_bot.slack.fields import MalformedEventError
from toxic_bot.slack.gestures.case_gestures import CaseClick, CaseForm, CaseOutcome, Step
from toxic_bot.slack.gestures.clicks import Action, Click, Subject
from toxic_bot.slack.gestures.event_gestures import (
    REACTION,
    Deletion,
    Edit,
    HomeVisit,
    Invitation,
    Reaction,
)
from toxic_bot.slack.gestures.gesture import RESPONSE_URL, TRIGGER, Gesture
from toxic_bot.slack.gestures.private_requests import TEXT_LIFETIME, Command, Shortcut, Trial
from toxic_bot.slack.gestures.report_gestures import Report, ReportedMessage, ReportRequest
from toxic_bot.slack.gestures.settings_gestures import SettingsChange, SettingsRequest
from toxic_bot.slack.gestures.watched_messages import JudgedMessage, WatchedMessage

__all__ = [
    "REACTION",
    "RESPONSE_URL",
    "TEXT_LIFETIME",
    "TRIGGER",
    "Action",
    "CaseClick",
    "CaseForm",
    "CaseOutcome",
    "Click",
    "Command",
    "Deletion",
    "Edit",
    "Gesture",
    "HomeVisit",
    "Invitation",
    "JudgedMessage",
    "Reaction",
    "Report",
    "ReportRequest",
    "ReportedMessage",
    "SettingsChange",
    "SettingsRequest",
    "Shortcut",
    "Step",
    "Subject",
    "Trial",
    "WatchedMessage",
    "read_gesture",
]

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
