"""Messages as the bot reads them, and its own among them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from toxic_bot.slack.web_api.calls import Calls
from toxic_bot.slack.web_api.identity import OwnIdentity
from toxic_bot.slack.web_api.message import EarlierAnswer, Message, Post
from toxic_bot.slack.web_api.metadata import (
    answer_metadata,
    find_answers,
    find_answers_about,
    find_metadata,
    own_metadata,
)
from toxic_bot.slack.web_api.mrkdwn import unescape
from toxic_bot.slack.web_api.remedies import GONE, SlackRefusedError
from toxic_bot.slack.web_api.responses import object_of, objects_of, text_of

MAX_SEARCH = 5.0
"""Seconds after which no further page is read: a slow Slack must not use up the invocation."""

PAGE_SIZE = 200
"""Messages per page of a thread; Slack recommends no more."""

MAX_PAGES = 5
"""Pages of a thread that are searched for an earlier answer."""


def as_sent(part: Any) -> Any:
    """Return a part of a message's blocks without the escapes that Slack puts into plain texts.

    To send it back with them would show them.
    """
    if isinstance(part, list):
        return [as_sent(one) for one in part]
    if not isinstance(part, dict):
        return part
    if part.get("type") == "plain_text":
        return part | {"text": unescape(text_of(part, "text"))}
    return {name: as_sent(value) for name, value in part.items()}


class Reading:
    """Reads messages.

    Parameters
    ----------
    calls
        Makes the calls.
    identity
        Who the bot is, to tell its own messages from those of others.
    """

    def __init__(self, calls: Calls, identity: OwnIdentity) -> None:
        self._calls = calls
        self._identity = identity

    def fetch(self, channel: str, ts: str, *, find_answer: bool) -> Message | None:
        """Read a message, whether it is in a channel or in a thread.

        Parameters
        ----------
        channel, ts
            Which message.
        find_answer
            Whether to search its thread for an earlier answer by this bot.

        Returns
        -------
        Message or None
            None when the message no longer exists.

        Raises
        ------
        TryAgainError
            When Slack fails in a way that will pass, or cannot be reached.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        pages = self._pages("conversations_replies", channel=channel, ts=ts)
        try:
            page = next(pages) or []
        except SlackRefusedError as error:
            if error.error in GONE:
                return None
            raise
        raw = next((one for one in page if one.get("ts") == ts), None)
        if raw is None:
            return None
        thread = text_of(raw, "thread_ts") or ts
        edited = text_of(object_of(raw, "edited"), "ts")
        answered: bool | None = None
        earlier: tuple[EarlierAnswer, ...] = ()
        if find_answer:
            if thread != ts:
                page = []
                pages = self._pages("conversations_replies", channel=channel, ts=thread, oldest=ts)
            answered, earlier = find_answers(
                page, pages, answer_metadata(channel, ts, edited), self._identity
            )
        return Message(
            channel=channel,
            ts=ts,
            thread=thread,
            edited=edited,
            text=text_of(raw, "text"),
            author=text_of(raw, "user") or None,
            has_files=bool(raw.get("files")),
            deleted=raw.get("subtype") == "tombstone",
            is_answer=own_metadata(raw, self._identity) is not None,
            answered=answered,
            earlier_answers=earlier,
        )

    def answers_about(self, channel: str, ts: str, thread: str) -> list[str]:
        """Return the timestamps of this bot's answers about a message that may be gone.

        Parameters
        ----------
        channel, ts
            The message.
        thread
            Timestamp of the thread that they are in.

        Raises
        ------
        TryAgainError
            When a later try may succeed.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        pages = self._pages("conversations_replies", channel=channel, ts=thread, oldest=ts)
        try:
            return [
                found
                for page in pages
                for found in find_answers_about(page or [], channel, ts, self._identity)
            ]
        except SlackRefusedError as error:
            if error.error in GONE:
                return []
            raise

    def has_posted(self, channel: str, metadata: dict[str, Any], *, since: float) -> bool:
        """Report whether a channel's latest thousand messages contain one with this metadata.

        Parameters
        ----------
        channel
            Where to look; not in threads.
        metadata
            What `post_message` was given.
        since
            Unix seconds; earlier messages are not looked at.

        Raises
        ------
        TryAgainError
            When a later try may succeed.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        return self.posted_at(channel, metadata, since=since) is not None

    def posted_at(self, channel: str, metadata: dict[str, Any], *, since: float) -> str | None:
        """Return the timestamp of the message that `has_posted` looks for, if there is one."""
        pages = self._pages("conversations_history", channel=channel, oldest=f"{since:.6f}")
        return self._find(pages, metadata)

    def has_replied(self, channel: str, thread: str, metadata: dict[str, Any]) -> bool:
        """Report whether the first thousand messages of a thread contain one with this metadata.

        Parameters
        ----------
        channel, thread
            Where to look.
        metadata
            What `post_message` was given.

        Raises
        ------
        TryAgainError
            When a later try may succeed.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        pages = self._pages("conversations_replies", channel=channel, ts=thread)
        return self._find(pages, metadata) is not None

    def post_at(self, channel: str, ts: str) -> Post | None:
        """Return what the bot has posted, as it is now; None if it is gone; raises as `fetch`.

        Parameters
        ----------
        channel, ts
            Which message; not in a thread.
        """
        response = self._calls.call(
            "conversations_history", channel=channel, oldest=ts, latest=ts, inclusive=True, limit=1
        )
        for raw in objects_of(response, "messages"):
            if raw.get("ts") == ts and raw.get("subtype") != "tombstone":
                return Post(text_of(raw, "text"), as_sent(objects_of(raw, "blocks")))
        return None

    def _find(
        self, pages: Iterator[list[dict[str, Any]] | None], metadata: dict[str, Any]
    ) -> str | None:
        found = (find_metadata(page or [], metadata, self._identity) for page in pages)
        return next((ts for ts in found if ts is not None), None)

    def _pages(self, method: str, **arguments: Any) -> Iterator[list[dict[str, Any]] | None]:
        """Yield messages page by page; a final None means that the rest was not read."""
        started = time.monotonic()
        for _ in range(MAX_PAGES):
            response = self._calls.call(
                method,
                limit=PAGE_SIZE,
                include_all_metadata=True,
                **arguments,
            )
            yield objects_of(response, "messages")
            cursor = text_of(object_of(response, "response_metadata"), "next_cursor")
            if not cursor:
                return
            arguments["cursor"] = cursor
            if time.monotonic() - started > MAX_SEARCH:
                break
        yield None
