"""The metadata of what this bot posts, by which it finds that again.

Any app, and any person with a token, can post any metadata. So only that of messages counts that
Slack itself says are the bot's own.

Source: https://docs.slack.dev/messaging/message-metadata
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from toxic_bot.slack.telemetry import logger
from toxic_bot.slack.web_api.identity import Identity
from toxic_bot.slack.web_api.message import EarlierAnswer
from toxic_bot.slack.web_api.responses import text_of

ANSWER_TYPE = "toxic_verdict"
"""The metadata event type of every answer that this bot posts."""

OUTDATED = "outdated"
"""Stands in the metadata of an answer that says that it is about an earlier version."""
NOTE_TYPE, DIGEST_TYPE = "toxic_note", "toxic_digest"
"""Those of its notes and digests for moderators."""

WATCH_TYPE = "toxic_watch"
"""That of what it says in a channel that is watched from now on, or no longer is."""

REPORT_TYPE = "toxic_report"
"""That of a report in the moderators' channel."""

FLAG_TYPE = "toxic_flag"
"""That of what it says in a thread because moderators have flagged the message."""

URGENT_TYPE = "toxic_urgent"
"""Type of the metadata of a note about a message that somebody has to see at once."""

OWN_TYPES = frozenset(
    {ANSWER_TYPE, NOTE_TYPE, DIGEST_TYPE, WATCH_TYPE, REPORT_TYPE, FLAG_TYPE, URGENT_TYPE}
)


@dataclass(frozen=True, slots=True)
class Metadata:
    """Metadata that the bot has written: an event type, and texts by name."""

    event_type: str
    payload: dict[str, str]


def answer_metadata(channel: str, ts: str, edited: str) -> dict[str, Any]:
    """Return the metadata that identifies the message version an answer judges."""
    payload = {"channel": channel, "ts": ts, "edited": edited}
    return {"event_type": ANSWER_TYPE, "event_payload": payload}


def own_metadata(raw: dict[str, Any], identity: Callable[[], Identity]) -> Metadata | None:
    """Return the metadata of a message that the bot has posted itself.

    Parameters
    ----------
    raw
        The message, as Slack returns it.
    identity
        Returns who the bot is; asked only about a message that looks like the bot's.

    Returns
    -------
    Metadata or None
        None if there is none of the bot's types, if it is malformed, or if somebody else has
        posted it.
    """
    metadata = raw.get("metadata")
    kind = metadata.get("event_type") if isinstance(metadata, dict) else None
    if not isinstance(metadata, dict) or not isinstance(kind, str) or kind not in OWN_TYPES:
        return None
    if raw.get("user") != identity().user:
        logger.warning("ignored metadata that imitates the bot's: somebody else posted it")
        return None
    payload = metadata.get("event_payload")
    if not isinstance(payload, dict) or not all(isinstance(one, str) for one in payload.values()):
        logger.warning("ignored the bot's own metadata: it is malformed")
        return None
    return Metadata(kind, payload)


def find_answers(
    first_page: list[dict[str, Any]],
    pages: Iterator[list[dict[str, Any]] | None],
    sought: dict[str, Any],
    identity: Callable[[], Identity],
) -> tuple[bool | None, tuple[EarlierAnswer, ...]]:
    """Return whether a version was answered, and the unmarked answers to earlier ones."""
    earlier = _earlier_answers(first_page, sought, identity)
    if has_metadata(first_page, sought, identity):
        return True, earlier
    for page in pages:
        if page is None:
            return None, earlier
        earlier += _earlier_answers(page, sought, identity)
        if has_metadata(page, sought, identity):
            return True, earlier
    return False, earlier


def _earlier_answers(
    page: list[dict[str, Any]], sought: dict[str, Any], identity: Callable[[], Identity]
) -> tuple[EarlierAnswer, ...]:
    payload = sought["event_payload"]
    found = []
    for one in page:
        about = own_metadata(one, identity)
        if about is None or about.event_type != ANSWER_TYPE:
            continue
        edited = about.payload.get("edited", "")
        is_same_message = about.payload == payload | {"edited": edited}  # and no mark
        if is_same_message and edited < payload["edited"]:
            found.append(EarlierAnswer(text_of(one, "ts"), edited, text_of(one, "text")))
    return tuple(found)


def find_answers_about(
    page: list[dict[str, Any]], channel: str, ts: str, identity: Callable[[], Identity]
) -> list[str]:
    """Return the timestamps of the answers to any version of a message."""
    found = []
    for one in page:
        about = own_metadata(one, identity)
        if about is None or about.event_type != ANSWER_TYPE:
            continue
        if (about.payload.get("channel"), about.payload.get("ts")) == (channel, ts):
            found.append(text_of(one, "ts"))
    return found


def has_metadata(
    page: list[dict[str, Any]], sought: dict[str, Any], identity: Callable[[], Identity]
) -> bool:
    """Report whether the bot has posted one of some messages with certain metadata."""
    return find_metadata(page, sought, identity) is not None


def find_metadata(
    page: list[dict[str, Any]], sought: dict[str, Any], identity: Callable[[], Identity]
) -> str | None:
    """Return the timestamp of what the bot has posted with certain metadata, if it is there."""
    wanted = Metadata(sought["event_type"], sought["event_payload"])
    found = (text_of(one, "ts") for one in page if own_metadata(one, identity) == wanted)
    return next(found, None)
