"""How the settings of a channel are put into words."""

from __future__ import annotations

from typing import Any

from toxic_bot.judge.config import OperatingPoint
from toxic_bot.slack.channel_settings import ChannelSettings, Watch
from toxic_bot.slack.i18n import numbers
from toxic_bot.slack.i18n.texts import Texts
from toxic_bot.slack.i18n.translation import choose
from toxic_bot.slack.requests.settings_form import OPEN_ACTION
from toxic_bot.slack.settings import BotSettings, GestureName
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
    if own.watch is not None and GestureName.WATCH in defaults.subscription.gestures:
        parts.append(describe_watch(own.watch, texts))
    if own.lists:
        parts.append(words["lists"])
    if own.urgent is not None:
        parts.append(words["urgent"].format(channel=own.urgent.channel))
    return "; ".join(parts)


def describe_watch(watch: Watch, texts: Texts) -> str:
    """Describe how a channel is watched, as a part of a sentence."""
    words = texts["channel"]
    how = choose(words["watched"], watch.action)
    if watch.quiet is None:
        return how
    quiet = words["quiet"].format(
        start=f"{watch.quiet.start}:00", end=f"{watch.quiet.end}:00", zone=watch.quiet.zone
    )
    return f"{how} {quiet}"


def watch_post(watch: Watch | None, user: str, texts: Texts) -> Post:
    """Return the announcement in a channel that it is watched from now on, or no longer is.

    Parameters
    ----------
    watch
        How it is watched; None if it is not.
    user
        Who has decided that.
    texts
        In the language of everybody.
    """
    words = texts["channel"]
    if watch is None:
        text = words["watch_off"].format(user=user)
    else:
        text = words["watch_on"].format(user=user, how=describe_watch(watch, texts))
    return Post(text, [_mrkdwn(f":eyes: {text}")])


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


def saved_post(
    own: ChannelSettings,
    defaults: BotSettings,
    channel: str,
    texts: Texts,
    *,
    reaches_urgent: bool = True,
) -> Post:
    """Return the note to the person who has changed the settings.

    Parameters
    ----------
    own, defaults, channel, texts
        See `describe_channel`.
    reaches_urgent
        Whether the bot is in the channel that is to hear of what is urgent.
    """
    words = texts["channel"]
    how = describe_channel(own, defaults, channel, texts)
    text = words["saved"].format(channel=channel, how=how, delay=words["delay"])
    if own.urgent is not None and not reaches_urgent:
        text = f"{text}\n:warning: {words['invite_urgent'].format(channel=own.urgent.channel)}"
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
