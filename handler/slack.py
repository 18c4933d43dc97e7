"""The few Slack calls the worker makes, with Slack's errors sorted into 'again' and 'never'.

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

from handler.connection import LastingClient
from handler.errors import SlackRefusedError, TryAgainError
from handler.message import Message, Post
from handler.refusal import GONE, REMEDIES, TOKEN_ERRORS
from handler.telemetry import measure

ANSWER_TYPE = "toxic_verdict"
"""The event type in the metadata of every answer of this bot's."""

TIMEOUT = 5
"""Seconds a call may take."""

PAGE = 200
"""Messages of a thread that one call brings; Slack advises against more."""

MOST_PAGES = 5
"""Pages of a thread searched for an earlier answer."""

_MARGIN = 2.0
"""Seconds that must be left after a wait, to make the call and to close the claim."""


# slack_sdk logs a body it cannot read, and that body may hold the text of messages.
_SILENT = logging.Logger("slack_sdk", logging.CRITICAL + 1)

# What is not of this form is no name of Slack's but a body that slack_sdk could not read.
_ERROR_NAME = re.compile(r"[a-z][a-z0-9_]{1,80}")


class Token(Protocol):
    """Gives the bot token; a fresh one on demand."""

    def __call__(self, *, fresh: bool) -> str:
        """Return the token."""


class Slack:
    """The workspace, as the worker sees it.

    Parameters
    ----------
    token
        Gives the bot token. When Slack no longer accepts it, it is asked for a fresh
        one, so that a rotation loses no event.
    api_url
        Slack's Web API.
    """

    def __init__(self, token: Token, api_url: str) -> None:
        self._token = token
        self._api_url = api_url
        # One context for all calls: to make one, OpenSSL reads every root certificate.
        self._ssl = ssl.create_default_context() if api_url.startswith("https") else None
        self._client: LastingClient | None = None

    def fetch(
        self, channel: str, ts: str, *, with_answer: bool, seconds_left: Callable[[], float]
    ) -> Message | None:
        """Read a message, be it in the channel or in a thread.

        Parameters
        ----------
        channel, ts
            Where it is.
        with_answer
            Whether to look in its thread for an earlier answer of this bot's.
        seconds_left
            Seconds left for waiting.

        Returns
        -------
        Message or None
            None when there is no such message any more.

        Raises
        ------
        TryAgainError, SlackRefusedError
            As Slack's error is one that passes, or not.
        """
        pages = self._pages(seconds_left, channel=channel, ts=ts)
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
        if with_answer:
            if thread != ts:
                page, pages = [], self._pages(seconds_left, channel=channel, ts=thread, oldest=ts)
            answered = _searched(page, pages, answer_payload(channel, ts, edited))
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
        """Answer a message in a thread, with metadata that names the version judged.

        Raises
        ------
        TryAgainError, SlackRefusedError
            As Slack's error is one that passes, or not.
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

    def post_to_one(
        self,
        channel: str,
        user: str,
        post: Post,
        *,
        thread: str | None,
        seconds_left: Callable[[], float],
    ) -> None:
        """Show something to one member of the channel alone.

        Raises
        ------
        TryAgainError, SlackRefusedError
            As Slack's error is one that passes, or not.
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

    def _pages(
        self, seconds_left: Callable[[], float], **arguments: Any
    ) -> Iterator[list[dict[str, Any]] | None]:
        """Give out a thread page by page; None stands for what is not read any more."""
        for _ in range(MOST_PAGES):
            answer = self._call(
                "conversations_replies",
                seconds_left,
                limit=PAGE,
                include_all_metadata=True,
                **arguments,
            )
            yield answer.get("messages") or []
            cursor = (answer.get("response_metadata") or {}).get("next_cursor")
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

    def _connected(self) -> LastingClient:
        if self._client is None or self._client.token != self._token(fresh=False):
            self._client = self._connect(fresh=False)
        return self._client

    def _connect(self, *, fresh: bool) -> LastingClient:
        # No retry handlers: by default a lost connection is tried again at once, and a
        # chat.postMessage that had arrived would be posted twice.
        return LastingClient(
            token=self._token(fresh=fresh),
            base_url=self._api_url,
            timeout=TIMEOUT,
            ssl=self._ssl,
            retry_handlers=[],
            logger=_SILENT,
        )


def answer_payload(channel: str, ts: str, edited: str) -> dict[str, str]:
    """Return the metadata payload that names the version of a message an answer judges."""
    return {"channel": channel, "ts": ts, "edited": edited}


def _searched(
    first: list[dict[str, Any]],
    pages: Iterator[list[dict[str, Any]] | None],
    payload: dict[str, str],
) -> bool | None:
    if _holds(first, payload):
        return True
    for page in pages:
        if page is None:
            return None
        if _holds(page, payload):
            return True
    return False


def _holds(page: list[dict[str, Any]], payload: dict[str, str]) -> bool:
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
            f"Slack asks to wait {delay:.0f} seconds", reason="ratelimited", delay=delay
        ) from None
    time.sleep(delay)
