"""Slack's callbacks as typed events: the ones we answer, and why the others are dropped.

Sources: https://docs.slack.dev/apis/events-api and
https://docs.slack.dev/reference/events/reaction_added
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import Any

from handler.settings import Subscription
from judge.errors import ToxicBotError

_ID = re.compile(r"[A-Za-z0-9]{1,64}")
_TIMESTAMP = re.compile(r"\d{1,12}\.\d{1,9}")
_REACTION = re.compile(r"[^\s:]{1,100}")
_ANY_REACTION = re.compile(r".{1,300}")


class MalformedEventError(ToxicBotError):
    """A body is not JSON, or not in the shape that Slack or the receiver gives it."""


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
    """

    reason: str


@dataclass(frozen=True, slots=True)
class Reaction:
    """Somebody reacted to a message to ask for a verdict.

    Parameters
    ----------
    event_id
        Slack's id; every retry of the event has the same one.
    event_ts
        When it happened: Unix seconds with a fraction, as Slack writes them.
    team, channel, ts
        Which message: workspace, conversation and the message's own timestamp.
    user
        Who reacted.
    author
        Who wrote the message, if Slack says so.
    reaction
        The emoji's short name without skin tone.
    """

    event_id: str
    event_ts: str
    team: str
    channel: str
    ts: str
    user: str
    author: str | None
    reaction: str

    def to_json(self) -> str:
        """Return the body of this reaction's SQS message."""
        return json.dumps(asdict(self))

    def log_keys(self) -> dict[str, str]:
        """Return the keys that every log line about this reaction carries."""
        return {
            "event_id": self.event_id,
            "event_ts": self.event_ts,
            "channel": self.channel,
            "ts": self.ts,
        }

    @classmethod
    def from_json(cls, body: str) -> Reaction:
        """Read the body of an SQS message.

        Raises
        ------
        MalformedEventError
            When ``to_json`` did not write the body.
        """
        raw = _object(body, "an SQS message")
        return cls(
            event_id=_field(raw, "event_id", _ID),
            event_ts=_field(raw, "event_ts", _TIMESTAMP),
            team=_field(raw, "team", _ID),
            channel=_field(raw, "channel", _ID),
            ts=_field(raw, "ts", _TIMESTAMP),
            user=_field(raw, "user", _ID),
            author=_field(raw, "author", _ID) if raw.get("author") is not None else None,
            reaction=_field(raw, "reaction", _REACTION),
        )


def parse_callback(body: bytes, subscription: Subscription) -> Challenge | Reaction | Dropped:
    """Classify a callback from Slack's Events API.

    Parameters
    ----------
    body
        The raw request body.
    subscription
        Which reactions the bot answers.

    Returns
    -------
    Challenge, Reaction or Dropped
        What to echo, what to enqueue, or why it is neither.

    Raises
    ------
    MalformedEventError
        When the body is not JSON, or not in a shape that Slack sends.
    """
    callback = _object(body, "a callback")
    kind = _text(callback, "type")
    if kind == "url_verification":
        return Challenge(_text(callback, "challenge"))
    if kind == "app_rate_limited":
        # Instead of the events that Slack withholds: more than 30,000 an hour in a workspace.
        return Dropped(kind)
    if kind != "event_callback":
        return Dropped("other_callback_type")
    event = callback.get("event")
    if not isinstance(event, dict):
        raise MalformedEventError("the callback's 'event' is not an object")
    if _text(event, "type") != "reaction_added":
        return Dropped("other_event_type")
    if subscription.app_id and callback.get("api_app_id") != subscription.app_id:
        return Dropped("other_app")
    return _parse_reaction(callback, event, subscription)


def _parse_reaction(
    callback: dict[str, Any], event: dict[str, Any], subscription: Subscription
) -> Reaction | Dropped:
    item = event.get("item")
    if not isinstance(item, dict):
        raise MalformedEventError("the event's 'item' is not an object")
    if _text(item, "type") != "message":
        return Dropped("other_item_type")
    reaction = _field(event, "reaction", _ANY_REACTION).partition("::skin-tone-")[0]
    if reaction not in subscription.reactions:
        return Dropped("other_reaction")
    bots = _bot_users(callback)
    user = _field(event, "user", _ID)
    if user in bots:
        return Dropped("by_the_bot")
    author = _field(event, "item_user", _ID) if event.get("item_user") is not None else None
    if author in bots:
        return Dropped("on_the_bots_message")
    team, channel = _field(callback, "team_id", _ID), _field(item, "channel", _ID)
    if subscription.workspaces and team not in subscription.workspaces:
        return Dropped("other_workspace")
    if subscription.channels and channel not in subscription.channels:
        return Dropped("other_channel")
    return Reaction(
        event_id=_field(callback, "event_id", _ID),
        event_ts=_field(event, "event_ts", _TIMESTAMP),
        team=team,
        channel=channel,
        ts=_field(item, "ts", _TIMESTAMP),
        user=user,
        author=author,
        reaction=reaction,
    )


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


def _object(body: bytes | str, what: str) -> dict[str, Any]:
    try:
        raw = json.loads(body)
    # Deeply nested JSON overflows the parser's stack: malformed like any other.
    except (ValueError, RecursionError) as error:
        raise MalformedEventError(f"{what} is not JSON") from error
    if not isinstance(raw, dict):
        raise MalformedEventError(f"{what} is not a JSON object")
    return raw


def _text(raw: dict[str, Any], name: str) -> str:
    value = raw.get(name)
    if not isinstance(value, str):
        raise MalformedEventError(f"the field '{name}' is missing or is not a string")
    return value


def _field(raw: dict[str, Any], name: str, pattern: re.Pattern[str]) -> str:
    value = _text(raw, name)
    if not pattern.fullmatch(value):
        raise MalformedEventError(f"the field '{name}' does not have Slack's format")
    return value
