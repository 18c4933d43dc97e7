"""What the Home tab shows, and what the bot says when it is invited to a channel.

Source: https://docs.slack.dev/surfaces/app-home
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toxic_bot.slack.cases.case import Case
from toxic_bot.slack.cases.case_post import home_blocks
from toxic_bot.slack.channel_settings import ChannelSettings
from toxic_bot.slack.channels.settings_posts import describe_channel
from toxic_bot.slack.i18n.texts import HomeTexts, Texts
from toxic_bot.slack.i18n.translation import choose
from toxic_bot.slack.requests.events import MAX_TEXT
from toxic_bot.slack.requests.interactions import (
    COMMAND,
    TRY_ACTION,
    TRY_BLOCK,
    TRY_INPUT,
)
from toxic_bot.slack.settings import BotSettings, GestureName
from toxic_bot.slack.web_api.message import Post

MAX_CHANNELS = 30
"""Channels that are listed."""
MAX_TYPED = min(MAX_TEXT, 3000)
"""Characters that Slack's input takes."""


def home_view(
    settings: BotSettings,
    texts: Texts,
    *,
    channels: Sequence[str] | None,
    own: Mapping[str, ChannelSettings],
    figures: Mapping[str, int],
    result: Sequence[dict[str, Any]] = (),
    cases: Sequence[Case] | None = None,
) -> dict[str, Any]:
    """Return the Home tab's view.

    Parameters
    ----------
    settings
        How the bot behaves.
    texts
        In the language of the person who sees it.
    channels
        IDs of the channels that it is in; None if Slack does not say.
    own
        What is set for single channels, by ID.
    figures
        Today's verdicts in this workspace, by outcome.
    result
        The blocks of the verdict on the text that was tried.
    cases
        Those that are not closed; None for who is no moderator.
    """
    ways = "\n".join(f"• {way}" for way in ways_to_ask(settings, texts))
    words = texts["home"]
    blocks: list[dict[str, Any]] = [
        {"type": "header", "text": {"type": "plain_text", "text": words["title"]}},
        _mrkdwn(f"{words['purpose']}\n{ways}"),
        _mrkdwn(f"*{words['where']}*\n{_places(settings, texts, channels, own)}"),
        _mrkdwn(f"*{words['today']}*\n{_counts(figures, words)}"),
        *([] if cases is None else home_blocks(cases, texts)),
        _mrkdwn(f"*{words['method']}*\n{_method(settings, words)}"),
        {"type": "divider"},
        {
            "type": "input",
            "block_id": TRY_BLOCK,
            "optional": True,
            "label": {"type": "plain_text", "text": words["try_label"]},
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
                    "text": {"type": "plain_text", "text": words["try_button"]},
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
    texts: Texts,
    channels: Sequence[str] | None,
    own: Mapping[str, ChannelSettings],
) -> str:
    words = texts["home"]
    if channels is None:
        return words["places_unknown"]
    places = listening(settings, channels)
    if not places:
        return words["no_places"]
    ways: dict[str, list[str]] = {}
    for channel in places[:MAX_CHANNELS]:
        way = describe_channel(own.get(channel, ChannelSettings()), settings, channel, texts)
        ways.setdefault(way, []).append(f"<#{channel}>")
    lines = [
        words["place"].format(channels=" ".join(named), how=way) for way, named in ways.items()
    ]
    if len(places) > MAX_CHANNELS:
        lines.append(words["more_places"].format(number=len(places) - MAX_CHANNELS))
    return "\n".join(lines)


def _counts(figures: Mapping[str, int], words: HomeTexts) -> str:
    toxic, fine = figures.get("toxic", 0), figures.get("fine", 0)
    if not toxic + fine:
        return words["nobody_asked"]
    return words["counts"].format(judged=toxic + fine, toxic=toxic)


def _method(settings: BotSettings, words: HomeTexts) -> str:
    text = words["method_text"].format(stored=words["stored"])
    if settings.wording.about:
        text += f" {words['more_about'].format(url=settings.wording.about)}"
    return text


def _mrkdwn(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def ways_to_ask(settings: BotSettings, texts: Texts) -> list[str]:
    """Return the ways to ask that are switched on, each as a sentence in mrkdwn."""
    gestures, words = settings.subscription.gestures, texts["home"]
    ways = []
    if GestureName.REACTION in gestures:
        names = sorted(settings.subscription.reactions)
        emoji = texts["channel"]["alternative"].join(f":{name}:" for name in names)
        who_sees = choose(texts["channel"]["who_sees"], settings.answer)
        ways.append(words["ask_reaction"].format(emoji=emoji, who_sees=who_sees))
    if GestureName.SHORTCUT in gestures:
        ways.append(words["ask_shortcut"])
    if GestureName.COMMAND in gestures:
        ways.append(words["ask_command"].format(command=COMMAND))
    return ways


def welcome_post(settings: BotSettings, texts: Texts) -> Post:
    """Return the message to a channel that the bot was invited to."""
    ways = "\n".join(f"• {way}" for way in ways_to_ask(settings, texts))
    text = f"{texts['home']['hello']}\n{ways}\n{texts['home']['stored']}"
    return Post(text, [{"type": "section", "text": {"type": "mrkdwn", "text": text}}])
