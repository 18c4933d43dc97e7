"""What somebody does to see or to change the settings of a channel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toxic_bot.slack.fields import ID, read_field, read_text
from toxic_bot.slack.gestures.gesture import RESPONSE_URL, Gesture


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
        `toxic_bot.slack.channel_settings.ChannelSettings` in the form in which they are stored.
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
