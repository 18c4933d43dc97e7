"""How the settings of a channel are put into words."""

from __future__ import annotations

from typing import Any

from handler.channel_settings import ChannelSettings
from handler.settings import AnswerMode, BotSettings
from handler.slack.message import Post
from handler.slack.settings_form import OPEN_ACTION
from judge.config import OperatingPoint

WHO_SEES = {
    AnswerMode.THREAD: "everybody in the channel sees the answer, in the message's thread",
    AnswerMode.EPHEMERAL: "only the person who asks sees the answer",
    AnswerMode.NUDGE: "only the author sees a note, and only if the message reads as toxic",
}
"""Who sees what a reaction asks for."""

EXEMPT = "I do not judge messages of this person in this channel."
DELAY = "Changes take effect within a minute. Verdicts that were given stay as they are."

_LIMITS = {
    OperatingPoint.BALANCED: "at the balanced limit",
    OperatingPoint.CAUTIOUS: "at the cautious limit",
}


def describe_channel(own: ChannelSettings, defaults: BotSettings, channel: str) -> str:
    """Describe how the bot answers in a channel, as a sentence without its full stop.

    Parameters
    ----------
    own
        What is set for the channel.
    defaults
        The settings of the environment.
    channel
        Its ID.
    """
    if not own.listens:
        return "I do not listen"
    parts = [WHO_SEES[own.apply(defaults).answer_in(channel)]]
    if own.reactions:
        parts.append(f"the emoji is {' or '.join(f':{name}:' for name in sorted(own.reactions))}")
    if own.limit is not None:
        parts.append(f"messages are flagged {describe_limit(own.limit)}")
    return "; ".join(parts)


def describe_limit(limit: OperatingPoint | float) -> str:
    """Describe the limit of a channel."""
    return _LIMITS[limit] if isinstance(limit, OperatingPoint) else f"from {limit:.0%}"


def settings_post(
    own: ChannelSettings, defaults: BotSettings, channel: str, *, again: bool = False
) -> Post:
    """Return the answer to those who may change the settings, with a button that opens the form.

    Parameters
    ----------
    own, defaults, channel
        See `describe_channel`.
    again
        Whether they have pressed the button already, but Slack no longer let the form open.
    """
    lines = [f"*In <#{channel}>*, {describe_channel(own, defaults, channel)}."]
    if own.exempt:
        people = " ".join(f"<@{user}>" for user in sorted(own.exempt))
        lines.append(f"I do not judge messages of {people}.")
    if again:
        lines.insert(0, "That took too long for Slack. I am awake now: please press once more.")
    button = {
        "type": "button",
        "action_id": OPEN_ACTION,
        "text": {"type": "plain_text", "text": "Open settings"},
    }
    return Post(
        text="The settings of this channel.",
        blocks=[_mrkdwn("\n".join(lines)), {"type": "actions", "elements": [button]}],
    )


def saved_post(own: ChannelSettings, defaults: BotSettings, channel: str) -> Post:
    """Return the note to the person who has changed the settings."""
    text = f"Saved. In <#{channel}>, {describe_channel(own, defaults, channel)}. {DELAY}"
    return Post(text, [_mrkdwn(text)])


def not_allowed_post(creator: str) -> Post:
    """Return the answer to those who may not change the settings.

    Parameters
    ----------
    creator
        ID of the person who created the channel; empty if Slack does not say.
    """
    who = "the admins and owners of this workspace"
    if creator:
        who += f" and <@{creator}>, who created this channel,"
    text = f"Only {who} may change the settings here."
    return Post(text, [_mrkdwn(text)])


def exempt_post() -> Post:
    """Return the line to somebody who asks about a message of a person who is exempt."""
    return Post(EXEMPT, [_mrkdwn(EXEMPT)])


def _mrkdwn(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}
