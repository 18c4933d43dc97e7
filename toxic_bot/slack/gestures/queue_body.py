"""The body of an SQS message, as the gesture that it holds."""

from __future__ import annotations

from typing import Any

from toxic_bot.slack.fields import MalformedEventError
from toxic_bot.slack.gestures.clicks import Click
from toxic_bot.slack.gestures.event_gestures import HomeVisit, Invitation, Reaction
from toxic_bot.slack.gestures.gesture import Gesture
from toxic_bot.slack.gestures.private_requests import Command, Shortcut, Trial
from toxic_bot.slack.gestures.settings_gestures import SettingsChange, SettingsRequest

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
