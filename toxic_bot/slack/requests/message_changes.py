"""What Slack's message events say: a text that is new or edited, or a message that is gone.

Source: https://docs.slack.dev/reference/events/message
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toxic_bot.slack.fields import ID, TIMESTAMP, read_field, read_object, read_optional

WRITTEN = (None, "file_share", "me_message", "thread_broadcast")
"""Subtypes of messages that people write."""
_SLACKBOT = "USLACKBOT"


@dataclass(frozen=True, slots=True)
class MessageChange:
    """What happened to a message.

    Parameters
    ----------
    ts
        Which message.
    thread
        Timestamp of the thread that it is in: the parent's, or its own.
    user
        Who wrote it.
    is_by_app
        Whether an app did.
    edited
        When it was edited; empty for a new one.
    text
        What it says now; empty if it is gone.
    is_gone
        Whether it was deleted.
    """

    ts: str
    thread: str
    user: str
    is_by_app: bool
    edited: str = ""
    text: str = ""
    is_gone: bool = False


def read_change(event: dict[str, Any]) -> MessageChange | str:
    """Return what a message event says, or the reason why it says nothing about any text.

    Raises
    ------
    MalformedEventError
        When it is not in a shape that Slack sends.
    """
    subtype, before = event.get("subtype"), event.get("previous_message")
    before = before if isinstance(before, dict) else {}
    if subtype == "message_deleted":
        return _gone(before, read_field(event, "deleted_ts", TIMESTAMP))
    if subtype == "message_changed":
        now = read_object(event, "message")
        ts = read_field(now, "ts", TIMESTAMP)
        # What is left of a deleted message that has replies.
        return _gone(before, ts) if now.get("subtype") == "tombstone" else _edited(now, before, ts)
    text = event.get("text")
    if subtype not in WRITTEN or not isinstance(text, str) or not text.strip():
        return "message"
    return _written(event, event, read_field(event, "ts", TIMESTAMP), text=text)


def _edited(now: dict[str, Any], before: dict[str, Any], ts: str) -> MessageChange | str:
    edited, text = now.get("edited"), now.get("text")
    if not isinstance(edited, dict) or not isinstance(text, str) or text == before.get("text"):
        # A link's preview, a reply in the thread, a pin.
        return "same_text"
    return _written(now, edited, ts, text=text, edited=read_field(edited, "ts", TIMESTAMP))


def _gone(before: dict[str, Any], ts: str) -> MessageChange | str:
    return _written(before, before, ts, is_gone=True)


def _written(
    message: dict[str, Any], by: dict[str, Any], ts: str, **change: Any
) -> MessageChange | str:
    user = message.get("user") or by.get("user")
    if not isinstance(user, str) or not ID.fullmatch(user) or user == _SLACKBOT:
        return "by_nobody"
    return MessageChange(
        ts=ts,
        thread=read_optional(message, "thread_ts", TIMESTAMP) or ts,
        user=user,
        is_by_app=message.get("bot_id") is not None,
        **change,
    )
