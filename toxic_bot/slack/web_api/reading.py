"""Messages as the bot reads them, and its own among them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from toxic_bot.slack.web_api.calls import Calls
from toxic_bot.slack.web_api.identity import OwnIdentity
from toxic_bot.slack.web_api.message import EarlierAnswer, Message
from toxic_bot.slack.web_api.metadata import (
    answer_metadata,
    find_answers,
    has_metadata,
    own_metadata,
)
from toxic_bot.slack.web_api.remedies import GONE, SlackRefusedError
from toxic_bot.slack.web_api.responses import object_of, objects_of, text_of

MAX_SEARCH = 5.0
"""Seconds after which no further page is read: a slow Slack must not use up the invocation."""

PAGE_SIZE = 200
"""Messages per page of a thread; Slack recommends no more."""

MAX_PAGES = 5
"""Pages of a thread that are searched for an earlier answer."""


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
        pages = self._pages("conversations_history", channel=channel, oldest=f"{since:.6f}")
        return any(has_metadata(page or [], metadata, self._identity) for page in pages)

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
