"""Slack's callbacks as typed events: the ones we answer, and why the others are dropped.

Sources: https://docs.slack.dev/apis/events-api,
https://docs.slack.dev/reference/events/reaction_added and
https://docs.slack.dev/reference/events/message
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from toxic_bot.slack.fields import (
    ID,
    TIMESTAMP,
    read_field,
    read_json,
    read_object,
    read_optional,
    read_text,
)
from toxic_bot.slack.gestures.event_gestures import (
    REACTION,
    Deletion,
    Edit,
    HomeVisit,
    Invitation,
    Reaction,
)
from toxic_bot.slack.gestures.gesture import Gesture
from toxic_bot.slack.gestures.watched_messages import WatchedMessage
from toxic_bot.slack.lookups import NO_LOOKUPS, Lookups
from toxic_bot.slack.requests.message_changes import read_change
from toxic_bot.slack.settings import GestureName, Subscription

MAX_TEXT = 10_000
"""Characters of a text that is judged on its own; with them, a queue's message has room."""

_ANY_REACTION = re.compile(r".{1,300}")
_MICROSECONDS = re.compile(r"(\d{10})(\d{6})")


@dataclass(frozen=True, slots=True)
class Challenge:
    """Slack's check that a request URL is ours; the challenge is echoed back unchanged."""

    challenge: str


@dataclass(frozen=True, slots=True)
class Dropped:
    """An event that the bot does not answer.

    Parameters
    ----------
    reason
        A short name for metrics, such as ``other_reaction``.
    notice
        What the person is told, where Slack shows the response; empty for nothing.
    """

    reason: str
    notice: str = ""


def parse_callback(
    body: bytes, subscription: Subscription, lookups: Lookups = NO_LOOKUPS
) -> Challenge | Gesture | Dropped:
    """Classify a callback from Slack's Events API.

    Parameters
    ----------
    body
        The raw request body.
    subscription
        What the bot answers.
    lookups
        What is looked up about what the event alone does not tell.

    Returns
    -------
    Challenge, Gesture or Dropped
        What to echo, what to enqueue, or why it is neither.

    Raises
    ------
    MalformedEventError
        When the body is not JSON, or not in a shape that Slack sends.
    """
    callback = read_json(body, "a callback")
    kind = read_text(callback, "type")
    if kind == "url_verification":
        return Challenge(read_text(callback, "challenge"))
    if kind == "app_rate_limited":
        # Instead of the events that Slack withholds: more than 30,000 an hour in a workspace.
        return Dropped(kind)
    if kind != "event_callback":
        return Dropped("other_callback_type")
    event = read_object(callback, "event")
    parse = PARSERS.get(read_text(event, "type"))
    if parse is None:
        return Dropped("other_event_type")
    if subscription.app_id and callback.get("api_app_id") != subscription.app_id:
        return Dropped("other_app")
    parsed = parse(callback, event, subscription)
    if isinstance(parsed, Reaction) and parsed.reaction not in subscription.reactions:
        # Only now: an emoji of a single channel may have to be looked up.
        is_name = REACTION.fullmatch(parsed.reaction)
        if not is_name or not lookups.asks(parsed.channel, parsed.reaction):
            return Dropped("other_reaction")
    if isinstance(parsed, (WatchedMessage, Edit, Deletion)):
        return _look_up(parsed, subscription, lookups)
    return parsed


def _look_up(
    message: WatchedMessage | Edit | Deletion, subscription: Subscription, lookups: Lookups
) -> Gesture | Dropped:
    """Return what a new or changed message is to the bot: usually nothing."""
    gestures, channel = subscription.gestures, message.channel
    is_watched = (
        isinstance(message, WatchedMessage)
        and GestureName.WATCH in gestures
        and lookups.watches(channel)
    )
    if isinstance(message, WatchedMessage) and not message.edited:
        return message if is_watched else Dropped("message")
    if not is_watched and GestureName.EDIT not in gestures:
        return Dropped("switched_off")
    asked = GestureName.EDIT in gestures and lookups.was_asked(channel, message.ts)
    if isinstance(message, WatchedMessage):
        if is_watched:
            return replace(message, asked=asked)
        message = message.as_edit()
    return message if asked else Dropped("nobody_asked")


def refuse(subscription: Subscription, gesture: GestureName | None, team: str, channel: str) -> str:
    """Return why a subscription leaves out a gesture, or nothing if it does not.

    Parameters
    ----------
    subscription
        What the bot answers.
    gesture
        What somebody did; None for what has no switch of its own.
    team, channel
        Where; the channel is empty if it was in none.
    """
    if gesture is not None and gesture not in subscription.gestures:
        return "switched_off"
    if subscription.workspaces and team not in subscription.workspaces:
        return "other_workspace"
    if subscription.channels and channel and channel not in subscription.channels:
        return "other_channel"
    return ""


def _parse_reaction(
    callback: dict[str, Any], event: dict[str, Any], subscription: Subscription
) -> Reaction | Dropped:
    item = read_object(event, "item")
    if read_text(item, "type") != "message":
        return Dropped("other_item_type")
    reaction = read_field(event, "reaction", _ANY_REACTION).partition("::skin-tone-")[0]
    bots = _bot_users(callback)
    user = read_field(event, "user", ID)
    if user in bots:
        return Dropped("by_the_bot")
    author = read_optional(event, "item_user", ID)
    if author in bots:
        return Dropped("on_the_bots_message")
    team, channel = read_field(callback, "team_id", ID), read_field(item, "channel", ID)
    if reason := refuse(subscription, GestureName.REACTION, team, channel):
        return Dropped(reason)
    return Reaction(
        event_id=read_field(callback, "event_id", ID),
        event_ts=_read_event_ts(event),
        team=team,
        channel=channel,
        ts=read_field(item, "ts", TIMESTAMP),
        user=user,
        author=author,
        reaction=reaction,
    )


def _parse_message(
    callback: dict[str, Any], event: dict[str, Any], subscription: Subscription
) -> WatchedMessage | Edit | Deletion | Dropped:
    change = read_change(event)
    if isinstance(change, str):
        return Dropped(change)
    if change.user in _bot_users(callback):
        return Dropped("by_the_bot")
    team, channel = read_field(callback, "team_id", ID), read_field(event, "channel", ID)
    if reason := refuse(subscription, None, team, channel):
        return Dropped(reason)
    event_id, event_ts = read_field(callback, "event_id", ID), _read_event_ts(event)
    who = (event_id, event_ts, team, change.user, channel, change.ts)
    if change.is_gone:
        return Deletion(*who, change.thread)
    if change.is_by_app:
        return Edit(*who) if change.edited else Dropped("by_an_app")
    text = change.text[:MAX_TEXT]
    return WatchedMessage(*who, change.thread, change.edited, asked=False, text=text)


def _parse_home_visit(
    callback: dict[str, Any], event: dict[str, Any], subscription: Subscription
) -> HomeVisit | Dropped:
    if read_text(event, "tab") != "home":
        return Dropped("other_tab")
    team = read_field(callback, "team_id", ID)
    if reason := refuse(subscription, GestureName.HOME, team, ""):
        return Dropped(reason)
    return HomeVisit(
        event_id=read_field(callback, "event_id", ID),
        event_ts=_read_event_ts(event),
        team=team,
        user=read_field(event, "user", ID),
    )


def _parse_invitation(
    callback: dict[str, Any], event: dict[str, Any], subscription: Subscription
) -> Invitation | Dropped:
    user = read_field(event, "user", ID)
    if user not in _bot_users(callback):
        return Dropped("somebody_joined")
    team, channel = read_field(callback, "team_id", ID), read_field(event, "channel", ID)
    if reason := refuse(subscription, GestureName.WELCOME, team, channel):
        return Dropped(reason)
    return Invitation(
        event_id=read_field(callback, "event_id", ID),
        event_ts=_read_event_ts(event),
        team=team,
        user=user,
        channel=channel,
    )


def _read_event_ts(event: dict[str, Any]) -> str:
    """Return when an event happened; Slack writes it without the point now and then.

    Source: the payload at https://docs.slack.dev/reference/events/app_home_opened
    """
    microseconds = _MICROSECONDS.fullmatch(read_text(event, "event_ts"))
    if microseconds:
        return ".".join(microseconds.groups())
    return read_field(event, "event_ts", TIMESTAMP)


def _bot_users(callback: dict[str, Any]) -> frozenset[str]:
    """Return the bot users that this callback is delivered to: this bot and no other."""
    authorizations = callback.get("authorizations")
    if not isinstance(authorizations, list):
        return frozenset()
    return frozenset(
        str(one.get("user_id"))
        for one in authorizations
        if isinstance(one, dict) and one.get("is_bot") is True
    )


PARSERS = {
    "reaction_added": _parse_reaction,
    "message": _parse_message,
    "app_home_opened": _parse_home_visit,
    "member_joined_channel": _parse_invitation,
}
"""The events that the manifest subscribes to, by their types in a callback."""
