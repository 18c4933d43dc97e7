"""The few Slack calls that the worker makes.

Slack's errors are sorted into those that a retry can fix and those that it cannot.

Source: https://docs.slack.dev/reference/methods
"""

from __future__ import annotations

import logging
import re
import ssl
import time
from collections.abc import Callable, Iterator
from http.client import HTTPException
from typing import Any, Protocol

from slack_sdk.errors import SlackApiError, SlackClientError
from urllib3.exceptions import HTTPError

from handler.retry import TryAgainError
from handler.slack.connection import KeepAliveClient
from handler.slack.message import Message, Post
from handler.slack.remedies import GONE, REMEDIES, TOKEN_ERRORS, SlackRefusedError
from handler.telemetry import measure

BOT_SCOPES = frozenset({"reactions:read", "channels:history", "groups:history", "chat:write"})
"""OAuth scopes that the calls below and the subscribed events need; the manifest lists them."""

ANSWER_TYPE = "toxic_verdict"
"""The metadata event type of every answer that this bot posts."""

TIMEOUT = 5
"""Seconds that a call may take."""

PAGE_SIZE = 200
"""Messages per page of a thread; Slack recommends no more."""

MAX_PAGES = 5
"""Pages of a thread that are searched for an earlier answer."""

_MARGIN = 2.0
"""Seconds that must remain after a wait, to make the call and to complete the claim."""


# slack_sdk logs any body that it cannot parse, and that body may contain message text.
_SILENT = logging.Logger("slack_sdk", logging.CRITICAL + 1)

# Anything else is not one of Slack's error names but a body that slack_sdk could not parse.
_ERROR_NAME = re.compile(r"[a-z][a-z0-9_]{1,80}")


class TokenSource(Protocol):
    """Returns the bot token."""

    def __call__(self, *, fresh: bool) -> str:
        """Return the token; with ``fresh``, bypass any cache."""


class SlackClient:
    """The workspace as the worker sees it.

    Parameters
    ----------
    token
        Returns the bot token. When Slack rejects a token, a fresh one is requested, so that
        rotating the token loses no event.
    api_url
        Base URL of Slack's Web API.
    """

    def __init__(self, token: TokenSource, api_url: str) -> None:
        self._token = token
        self._api_url = api_url
        # One context for all calls: creating one reads every root certificate.
        self._ssl = ssl.create_default_context() if api_url.startswith("https") else None
        self._client: KeepAliveClient | None = None

    def fetch(
        self, channel: str, ts: str, *, find_answer: bool, seconds_left: Callable[[], float]
    ) -> Message | None:
        """Read a message, whether it is in a channel or in a thread.

        Parameters
        ----------
        channel, ts
            Which message.
        find_answer
            Whether to search its thread for an earlier answer by this bot.
        seconds_left
            Returns the seconds left for waiting.

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
        pages = self._thread_pages(seconds_left, channel=channel, ts=ts)
        try:
            page = next(pages) or []
        except SlackRefusedError as error:
            if error.error in GONE:
                return None
            raise
        raw = next((one for one in page if one.get("ts") == ts), None)
        if raw is None:
            return None
        thread = str(raw.get("thread_ts") or ts)
        edited = str((raw.get("edited") or {}).get("ts") or "")
        answered = None
        if find_answer:
            if thread != ts:
                page = []
                pages = self._thread_pages(seconds_left, channel=channel, ts=thread, oldest=ts)
            answered = _find_answer(page, pages, answer_payload(channel, ts, edited))
        return Message(
            channel=channel,
            ts=ts,
            thread=thread,
            edited=edited,
            text=str(raw.get("text") or ""),
            author=raw.get("user"),
            has_files=bool(raw.get("files")),
            deleted=raw.get("subtype") == "tombstone",
            is_answer=(raw.get("metadata") or {}).get("event_type") == ANSWER_TYPE,
            answered=answered,
        )

    def post_in_thread(
        self,
        channel: str,
        ts: str,
        post: Post,
        *,
        thread: str,
        edited: str,
        seconds_left: Callable[[], float],
    ) -> None:
        """Answer a message in its thread, with metadata that identifies the version judged.

        Raises
        ------
        TryAgainError
            When Slack fails in a way that will pass, or cannot be reached.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        self._call(
            "chat_postMessage",
            seconds_left,
            channel=channel,
            thread_ts=thread,
            text=post.text,
            blocks=post.blocks,
            metadata={
                "event_type": ANSWER_TYPE,
                "event_payload": answer_payload(channel, ts, edited),
            },
            unfurl_links=False,
            unfurl_media=False,
        )

    def post_privately(
        self,
        channel: str,
        user: str,
        post: Post,
        *,
        thread: str | None,
        seconds_left: Callable[[], float],
    ) -> None:
        """Show a post to one member of the channel only.

        Raises
        ------
        TryAgainError
            When Slack fails in a way that will pass, or cannot be reached.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        where = {"thread_ts": thread} if thread else {}
        self._call(
            "chat_postEphemeral",
            seconds_left,
            channel=channel,
            user=user,
            text=post.text,
            blocks=post.blocks,
            **where,
        )

    def _thread_pages(
        self, seconds_left: Callable[[], float], **arguments: Any
    ) -> Iterator[list[dict[str, Any]] | None]:
        """Yield a thread page by page; a final None means that the rest was not read."""
        for _ in range(MAX_PAGES):
            response = self._call(
                "conversations_replies",
                seconds_left,
                limit=PAGE_SIZE,
                include_all_metadata=True,
                **arguments,
            )
            yield response.get("messages") or []
            cursor = (response.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                return
            arguments["cursor"] = cursor
        yield None

    def _call(
        self, method: str, seconds_left: Callable[[], float], **arguments: Any
    ) -> dict[str, Any]:
        renewed = False
        while True:
            try:
                return self._request(method, arguments)
            except SlackApiError as error:
                name = _error_name(error)
                if name in TOKEN_ERRORS and not renewed:
                    renewed = True
                    self._client = self._connect(fresh=True)
                elif name == "ratelimited":
                    _wait(error, seconds_left)
                elif name in REMEDIES:
                    raise SlackRefusedError(name, REMEDIES[name]) from None
                else:
                    raise TryAgainError(f"Slack answered {name} to {method}", reason=name) from None

    def _request(self, method: str, arguments: dict[str, Any]) -> dict[str, Any]:
        client = self._connected()
        started = time.perf_counter()
        try:
            data: dict[str, Any] = getattr(client, method)(**arguments).data
        except SlackApiError:
            raise
        except (OSError, HTTPException, HTTPError, SlackClientError, ValueError) as error:
            kind = type(error).__name__
            raise TryAgainError(
                f"Slack could not be reached for {method} ({kind})", reason="network"
            ) from None
        finally:
            measure("SlackMilliseconds", (time.perf_counter() - started) * 1e3, method=method)
        return data

    def _connected(self) -> KeepAliveClient:
        if self._client is None or self._client.token != self._token(fresh=False):
            self._client = self._connect(fresh=False)
        return self._client

    def _connect(self, *, fresh: bool) -> KeepAliveClient:
        # No retry handlers: by default a lost connection is retried at once, and a
        # chat.postMessage that had already arrived would be posted twice.
        return KeepAliveClient(
            token=self._token(fresh=fresh),
            base_url=self._api_url,
            timeout=TIMEOUT,
            ssl=self._ssl,
            retry_handlers=[],
            logger=_SILENT,
        )


def answer_payload(channel: str, ts: str, edited: str) -> dict[str, str]:
    """Return the metadata payload that identifies the message version an answer judges."""
    return {"channel": channel, "ts": ts, "edited": edited}


def _find_answer(
    first_page: list[dict[str, Any]],
    pages: Iterator[list[dict[str, Any]] | None],
    payload: dict[str, str],
) -> bool | None:
    if _has_answer(first_page, payload):
        return True
    for page in pages:
        if page is None:
            return None
        if _has_answer(page, payload):
            return True
    return False


def _has_answer(page: list[dict[str, Any]], payload: dict[str, str]) -> bool:
    metadata = ((one.get("metadata") or {}) for one in page)
    return any(
        one.get("event_type") == ANSWER_TYPE and one.get("event_payload") == payload
        for one in metadata
    )


def _error_name(error: SlackApiError) -> str:
    response: Any = error.response
    status = getattr(response, "status_code", 200)
    if status == 429:
        return "ratelimited"
    name = response.get("error") if hasattr(response, "get") else None
    return name if isinstance(name, str) and _ERROR_NAME.fullmatch(name) else f"http_{status}"


def _wait(error: SlackApiError, seconds_left: Callable[[], float]) -> None:
    response: Any = error.response
    try:
        delay = float(response.headers.get("Retry-After", 1))
    except (AttributeError, ValueError):
        delay = 1.0
    if delay + _MARGIN > seconds_left():
        raise TryAgainError(
            f"Slack asked us to wait {delay:.0f} seconds", reason="ratelimited", delay=delay
        ) from None
    time.sleep(delay)
