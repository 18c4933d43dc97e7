"""The metadata of what this bot posts, by which it finds that again.

Source: https://docs.slack.dev/messaging/message-metadata
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toxic_bot.slack.web_api.message import EarlierAnswer
from toxic_bot.slack.web_api.responses import object_of, text_of

ANSWER_TYPE = "toxic_verdict"
"""The metadata event type of every answer that this bot posts."""

OUTDATED = "outdated"
"""Stands in the metadata of an answer that says that it is about an earlier version."""
NOTE_TYPE, DIGEST_TYPE = "toxic_note", "toxic_digest"
"""Those of its notes and digests for moderators."""


def answer_metadata(channel: str, ts: str, edited: str) -> dict[str, Any]:
    """Return the metadata that identifies the message version an answer judges."""
    payload = {"channel": channel, "ts": ts, "edited": edited}
    return {"event_type": ANSWER_TYPE, "event_payload": payload}


def find_answers(
    first_page: list[dict[str, Any]],
    pages: Iterator[list[dict[str, Any]] | None],
    sought: dict[str, Any],
) -> tuple[bool | None, tuple[EarlierAnswer, ...]]:
    """Return whether a version was answered, and the unmarked answers to earlier ones."""
    earlier = _earlier_answers(first_page, sought)
    if has_metadata(first_page, sought):
        return True, earlier
    for page in pages:
        if page is None:
            return None, earlier
        earlier += _earlier_answers(page, sought)
        if has_metadata(page, sought):
            return True, earlier
    return False, earlier


def _earlier_answers(
    page: list[dict[str, Any]], sought: dict[str, Any]
) -> tuple[EarlierAnswer, ...]:
    payload = sought["event_payload"]
    found = []
    for one in page:
        metadata = object_of(one, "metadata")
        if metadata.get("event_type") != ANSWER_TYPE:
            continue
        about = object_of(metadata, "event_payload")
        edited = text_of(about, "edited")
        is_same_message = about == payload | {"edited": edited}  # and no mark
        if is_same_message and edited < payload["edited"]:
            found.append(EarlierAnswer(text_of(one, "ts"), edited, text_of(one, "text")))
    return tuple(found)


def has_metadata(page: list[dict[str, Any]], sought: dict[str, Any]) -> bool:
    """Report whether one of some messages has certain metadata."""
    metadata = (object_of(one, "metadata") for one in page)
    return any(sought.items() <= one.items() for one in metadata)
