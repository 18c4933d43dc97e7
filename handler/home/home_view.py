"""The app's Home tab.

Source: https://docs.slack.dev/surfaces/app-home
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from handler.channel_settings import ChannelSettings
from handler.channels.settings_posts import describe_channel
from handler.home.welcome import STORED, ways_to_ask
from handler.settings import BotSettings
from handler.slack.interactions import MAX_TEXT, TRY_ACTION, TRY_BLOCK, TRY_INPUT

MAX_CHANNELS = 30
"""Channels that are listed."""
MAX_TYPED = min(MAX_TEXT, 3000)
"""Characters that Slack's input takes."""


def home_view(
    settings: BotSettings,
    *,
    channels: Sequence[str] | None,
    own: Mapping[str, ChannelSettings],
    figures: Mapping[str, int],
    result: Sequence[dict[str, Any]] = (),
) -> dict[str, Any]:
    """Return the Home tab's view.

    Parameters
    ----------
    settings
        How the bot behaves.
    channels
        IDs of the channels that it is in; None if Slack does not say.
    own
        What is set for single channels, by ID.
    figures
        Today's verdicts in this workspace, by outcome.
    result
        The blocks of the verdict on the text that was tried.
    """
    ways = "\n".join(f"• {way}" for way in ways_to_ask(settings))
    blocks: list[dict[str, Any]] = [
        {"type": "header", "text": {"type": "plain_text", "text": "Is this message toxic?"}},
        _mrkdwn(
            "I say whether a message reads as abusive, insulting, threatening, hateful, obscene or "
            f"demeaning toward a person or a group, when somebody asks.\n{ways}"
        ),
        _mrkdwn(f"*Where I am*\n{_places(settings, channels, own)}"),
        _mrkdwn(f"*Today in this workspace*\n{_counts(figures)}"),
        _mrkdwn(f"*How I judge*\n{_method(settings)}"),
        {"type": "divider"},
        {
            "type": "input",
            "block_id": TRY_BLOCK,
            "optional": True,
            "label": {"type": "plain_text", "text": "Try a text"},
            "element": {
                "type": "plain_text_input",
                "action_id": TRY_INPUT,
                "multiline": True,
                "max_length": MAX_TYPED,
            },
        },
        {
            "type": "actions",
            "elements": [
                {
                    "type": "button",
                    "action_id": TRY_ACTION,
                    "style": "primary",
                    "text": {"type": "plain_text", "text": "Is this toxic?"},
                }
            ],
        },
        *result,
    ]
    return {"type": "home", "blocks": blocks}


def listening(settings: BotSettings, channels: Sequence[str]) -> list[str]:
    """Return those of the channels that the environment lets the bot answer in."""
    allowed = settings.subscription.channels
    return [channel for channel in channels if not allowed or channel in allowed]


def _places(
    settings: BotSettings,
    channels: Sequence[str] | None,
    own: Mapping[str, ChannelSettings],
) -> str:
    if channels is None:
        return "Slack does not tell me."
    places = listening(settings, channels)
    if not places:
        return "In no channel yet. Invite me to one."
    ways: dict[str, list[str]] = {}
    for channel in places[:MAX_CHANNELS]:
        way = describe_channel(own.get(channel, ChannelSettings()), settings, channel)
        ways.setdefault(way, []).append(f"<#{channel}>")
    lines = [f"{' '.join(named)}: {way}." for way, named in ways.items()]
    if len(places) > MAX_CHANNELS:
        lines.append(f"And {len(places) - MAX_CHANNELS} more.")
    return "\n".join(lines)


def _counts(figures: Mapping[str, int]) -> str:
    toxic, fine = figures.get("toxic", 0), figures.get("fine", 0)
    if not toxic + fine:
        return "Nobody has asked yet."
    return f"{toxic + fine} judged, {toxic} of them toxic."


def _method(settings: BotSettings) -> str:
    text = (
        "A small language model on your company's own servers reads the text and gives it a "
        f"score. It reads English only, knows nothing about the people, and can be wrong. {STORED}"
    )
    if settings.wording.about:
        text += f" <{settings.wording.about}|More about how I judge>."
    return text


def _mrkdwn(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}
