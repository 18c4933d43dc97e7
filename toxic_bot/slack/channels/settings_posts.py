"""How the settings of a channel are put into words."""

from __future__ import annotations

from typing import Any

from toxic_bot.judge.config import OperatingPoint
from toxic_bot.slack.channel_settings import ChannelSettings
from toxic_bot.slack.i18n import numbers
from toxic_bot.slack.i18n.texts import Texts
from toxic_bot.slack.i18n.translation import choose
from toxic_bot.slack.requests.settings_form import OPEN_ACTION
from toxic_bot.slack.settings import BotSettings
from toxic_bot.slack.web_api.message import Post


def describe_channel(
    own: ChannelSettings, defaults: BotSettings, channel: str, texts: Texts
) -> str:
    """Describe how the bot answers in a channel, as a sentence without its full stop.

    Parameters
    ----------
    own
        What is set for the channel.
    defaults
        The settings of the environment.
    channel
        Its ID.
    texts
        In the language of those who read it.
    """
    words = texts["channel"]
    if not own.listens:
        return words["not_listening"]
    parts = [choose(words["who_sees"], own.apply(defaults).answer_in(channel))]
    if own.reactions:
        emoji = words["alternative"].join(f":{name}:" for name in sorted(own.reactions))
        parts.append(words["emoji"].format(emoji=emoji))
    if own.threshold is not None:
        parts.append(words["flagged"].format(threshold=describe_threshold(own.threshold, texts)))
    return "; ".join(parts)


def describe_threshold(threshold: OperatingPoint | float, texts: Texts) -> str:
    """Describe the threshold of a channel."""
    words = texts["channel"]
    if isinstance(threshold, OperatingPoint):
        return choose(words["thresholds"], threshold)
    return words["threshold_from"].format(percent=numbers.percent(threshold, texts))


def settings_post(
    own: ChannelSettings,
    defaults: BotSettings,
    channel: str,
    texts: Texts,
    *,
    again: bool = False,
) -> Post:
    """Return the answer to those who may change the settings, with a button that opens the form.

    Parameters
    ----------
    own, defaults, channel, texts
        See `describe_channel`.
    again
        Whether they have pressed the button already, but Slack no longer let the form open.
    """
    words = texts["channel"]
    how = describe_channel(own, defaults, channel, texts)
    lines = [words["in_channel"].format(channel=channel, how=how)]
    if own.exempt:
        people = " ".join(f"<@{user}>" for user in sorted(own.exempt))
        lines.append(words["not_judged"].format(people=people))
    if again:
        lines.insert(0, words["press_again"])
    button = {
        "type": "button",
        "action_id": OPEN_ACTION,
        "text": {"type": "plain_text", "text": words["open"]},
    }
    return Post(
        text=words["summary"],
        blocks=[_mrkdwn("\n".join(lines)), {"type": "actions", "elements": [button]}],
    )


def saved_post(own: ChannelSettings, defaults: BotSettings, channel: str, texts: Texts) -> Post:
    """Return the note to the person who has changed the settings."""
    words = texts["channel"]
    how = describe_channel(own, defaults, channel, texts)
    text = words["saved"].format(channel=channel, how=how, delay=words["delay"])
    return Post(text, [_mrkdwn(text)])


def not_allowed_post(creator: str, texts: Texts) -> Post:
    """Return the answer to those who may not change the settings.

    Parameters
    ----------
    creator
        ID of the person who created the channel; empty if Slack does not say.
    texts
        In the language of the person who asks.
    """
    words = texts["channel"]
    text = words["only_admins"]
    if creator:
        text = words["only_admins_and_creator"].format(creator=creator)
    return Post(text, [_mrkdwn(text)])


def exempt_post(texts: Texts) -> Post:
    """Return the line to somebody who asks about a message of a person who is exempt."""
    line = texts["channel"]["exempt"]
    return Post(line, [_mrkdwn(line)])


def _mrkdwn(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}
