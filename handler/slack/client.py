"""The few Slack calls that the worker makes.

Slack's errors are sorted into those that a retry can fix and those that it cannot.

Source: https://docs.slack.dev/reference/methods
"""

from __future__ import annotations

import logging
import re
import ssl
import time
from collections.abc import Iterator
from http.client import HTTPException
from typing import Any, Protocol

from slack_sdk.errors import SlackApiError, SlackClientError
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NewConnectionError

from handler.retry import (
    OutcomeUnknownError,
    RateLimitedError,
    TryAgainError,
    retry_after,
)
from handler.slack.connection import KeepAliveClient
from handler.slack.fields import ID
from handler.slack.message import Message, Post
from handler.slack.remedies import GONE, REMEDIES, TOKEN_ERRORS, SlackRefusedError
from handler.slack.response_url import ResponseUrls
from handler.telemetry import measure

BOT_SCOPES = frozenset(
    {
        "reactions:read",
        "channels:history",
        "groups:history",
        "chat:write",
        "commands",
        "channels:read",
        "groups:read",
        "users:read",
    }
)
"""OAuth scopes that the calls below and the subscribed events need; the manifest lists them."""

ANSWER_TYPE = "toxic_verdict"
"""The metadata event type of every answer that this bot posts."""

TIMEOUT = 5
"""Seconds that a call may take, from the request's first byte to the response's last."""

INTERVALS = {
    "conversations_replies": 1.2,
    "chat_postMessage": 1.0,
    "chat_postEphemeral": 0.6,
    "users_conversations": 1.2,
    "views_publish": 0.6,
    "views_open": 0.6,
    "users_info": 0.6,
    "conversations_info": 1.2,
}
"""Seconds between two calls at the rate that Slack allows.

Source: https://docs.slack.dev/apis/web-api/rate-limits
"""

POSTS = frozenset({"chat_postMessage", "chat_postEphemeral"})
"""Methods whose effect a person sees."""

MAX_SEARCH = 5.0
"""Seconds after which no further page is read: a slow Slack must not use up the invocation."""

AMBIGUOUS_ERRORS = frozenset({"internal_error", "fatal_error"})
"""Of these, Slack says that some of the call may have taken effect."""

PAGE_SIZE = 200
"""Messages per page of a thread; Slack recommends no more."""

MAX_PAGES = 5
"""Pages of a thread that are searched for an earlier answer."""


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
        self._response_urls = ResponseUrls(TIMEOUT, self._ssl)
        # Bucket to the time on the monotonic clock until which Slack refuses its calls.
        self._braked_until: dict[str, float] = {}

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
        pages = self._thread_pages(channel=channel, ts=ts)
        try:
            page = next(pages) or []
        except SlackRefusedError as error:
            if error.error in GONE:
                return None
            raise
        raw = next((one for one in page if one.get("ts") == ts), None)
        if raw is None:
            return None
        thread = _text(raw, "thread_ts") or ts
        edited = _text(_object(raw, "edited"), "ts")
        answered = None
        if find_answer:
            if thread != ts:
                page = []
                pages = self._thread_pages(channel=channel, ts=thread, oldest=ts)
            answered = _find_answer(page, pages, answer_payload(channel, ts, edited))
        return Message(
            channel=channel,
            ts=ts,
            thread=thread,
            edited=edited,
            text=_text(raw, "text"),
            author=_text(raw, "user") or None,
            has_files=bool(raw.get("files")),
            deleted=raw.get("subtype") == "tombstone",
            is_answer=_object(raw, "metadata").get("event_type") == ANSWER_TYPE,
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
    ) -> None:
        """Answer a message in its thread, with metadata that identifies the version judged.

        Raises
        ------
        OutcomeUnknownError
            When the post may have taken effect.
        TryAgainError
            When it has not, and a later try may succeed.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        self._call(
            "chat_postMessage",
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
    ) -> None:
        """Show a post to one member of the channel only.

        Raises
        ------
        OutcomeUnknownError
            When the post may have taken effect.
        TryAgainError
            When it has not, and a later try may succeed.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        where = {"thread_ts": thread} if thread else {}
        self._call(
            "chat_postEphemeral",
            channel=channel,
            user=user,
            text=post.text,
            blocks=post.blocks,
            **where,
        )

    def respond(self, url: str, post: Post, *, thread: str | None = None) -> None:
        """Show a post to the person who made a gesture; see `ResponseUrls.post`."""
        self._response_urls.post(url, post, thread=thread)

    def post_message(self, channel: str, post: Post) -> None:
        """Post a message to a channel; raises as `post_in_thread` does."""
        self._call(
            "chat_postMessage",
            channel=channel,
            text=post.text,
            blocks=post.blocks,
            unfurl_links=False,
            unfurl_media=False,
        )

    def publish_home(self, user: str, view: dict[str, Any]) -> None:
        """Replace the Home tab that somebody sees.

        Raises
        ------
        TryAgainError
            When a later try may succeed.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        self._call("views_publish", user_id=user, view=view)

    def open_modal(self, trigger: str, view: dict[str, Any]) -> None:
        """Open a modal for somebody who has just made a gesture.

        Parameters
        ----------
        trigger
            The gesture's trigger ID, which is good for one modal within three seconds.
        view
            The modal.

        Raises
        ------
        TryAgainError
            When a later try may succeed.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        self._call("views_open", trigger_id=trigger, view=view)

    def is_admin(self, user: str, team: str) -> bool:
        """Report whether somebody is an admin or owner of a workspace.

        Parameters
        ----------
        user
            Who.
        team
            The workspace. Somebody who is an admin of another one, and here only in a shared
            channel, is none.

        Raises
        ------
        TryAgainError
            When a later try may succeed.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        found = _object(self._call("users_info", user=user), "user")
        has_role = any(found.get(role) is True for role in ("is_admin", "is_owner"))
        return has_role and found.get("team_id") == team

    def creator(self, channel: str) -> str:
        """Return the ID of the person who created a channel; empty if Slack does not say.

        Raises
        ------
        TryAgainError
            When a later try may succeed.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        response = self._call("conversations_info", channel=channel)
        creator = _text(_object(response, "channel"), "creator")
        return creator if ID.fullmatch(creator) else ""

    def channels(self) -> list[str]:
        """Return the IDs of the channels that the bot is in; of very many, the first thousand.

        Raises
        ------
        TryAgainError
            When a later try may succeed.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        channels: list[str] = []
        cursor = ""
        for _ in range(MAX_PAGES):
            response = self._call(
                "users_conversations",
                types="public_channel,private_channel",
                exclude_archived=True,
                limit=PAGE_SIZE,
                **({"cursor": cursor} if cursor else {}),
            )
            channels += [_text(one, "id") for one in _objects(response, "channels")]
            cursor = _text(_object(response, "response_metadata"), "next_cursor")
            if not cursor:
                break
        return channels

    def _thread_pages(self, **arguments: Any) -> Iterator[list[dict[str, Any]] | None]:
        """Yield a thread page by page; a final None means that the rest was not read."""
        started = time.monotonic()
        for _ in range(MAX_PAGES):
            response = self._call(
                "conversations_replies",
                limit=PAGE_SIZE,
                include_all_metadata=True,
                **arguments,
            )
            yield _objects(response, "messages")
            cursor = _text(_object(response, "response_metadata"), "next_cursor")
            if not cursor:
                return
            arguments["cursor"] = cursor
            if time.monotonic() - started > MAX_SEARCH:
                break
        yield None

    def _call(self, method: str, **arguments: Any) -> dict[str, Any]:
        bucket = _bucket(method, arguments)
        self._brake(bucket, method)
        renewed = False
        while True:
            try:
                return self._request(method, arguments)
            except SlackApiError as error:
                name = _error_name(error)
                if name in TOKEN_ERRORS and not renewed:
                    renewed = True
                    self._client = self._connect(fresh=True)
                    continue
                if name == "ratelimited":
                    delay = retry_after(getattr(error.response, "headers", {}))
                    self._braked_until[bucket] = time.monotonic() + delay
                    raise RateLimitedError(
                        bucket, interval=INTERVALS[method], delay=delay
                    ) from None
                if name in TOKEN_ERRORS:
                    # The secret may be about to be rotated: the reaction waits.
                    message = f"Slack answered {name} to {method}: {REMEDIES[name]}"
                    raise TryAgainError(message, reason=name) from None
                if name in REMEDIES:
                    raise SlackRefusedError(name, REMEDIES[name]) from None
                kind = _failure(method, ambiguous=_is_ambiguous(name))
                raise kind(f"Slack answered {name} to {method}", reason=name) from None

    def _brake(self, bucket: str, method: str) -> None:
        """Refuse a call that Slack would refuse, as it has refused an earlier one."""
        now = time.monotonic()
        self._braked_until = {b: until for b, until in self._braked_until.items() if until > now}
        if bucket in self._braked_until:
            delay = self._braked_until[bucket] - now
            raise RateLimitedError(bucket, interval=INTERVALS[method], delay=delay)

    def _request(self, method: str, arguments: dict[str, Any]) -> dict[str, Any]:
        client = self._connected()
        started = time.perf_counter()
        try:
            data = getattr(client, method)(**arguments).data
        except SlackApiError:
            raise
        except (OSError, HTTPException, HTTPError, SlackClientError, ValueError) as error:
            sent = not isinstance(error, (NewConnectionError, ConnectTimeoutError))
            kind = _failure(method, ambiguous=sent)
            raise kind(
                f"Slack could not be reached for {method} ({type(error).__name__})",
                reason="network",
            ) from None
        # slack_sdk expects an object with certain fields, and fails on anything else.
        except (AttributeError, KeyError, TypeError):
            data = None
        finally:
            measure("SlackMilliseconds", (time.perf_counter() - started) * 1e3, method=method)
        if not isinstance(data, dict):
            raise _failure(method, ambiguous=True)(
                f"Slack's answer to {method} is not an object", reason="odd_answer"
            )
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
    metadata = (_object(one, "metadata") for one in page)
    return any(
        one.get("event_type") == ANSWER_TYPE and one.get("event_payload") == payload
        for one in metadata
    )


def _objects(response: dict[str, Any], name: str) -> list[dict[str, Any]]:
    objects = response.get(name)
    if objects is None:
        return []
    if not isinstance(objects, list) or not all(isinstance(one, dict) for one in objects):
        raise _odd(name)
    return objects


def _object(raw: dict[str, Any], name: str) -> dict[str, Any]:
    value = raw.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _odd(name)
    return value


def _text(raw: dict[str, Any], name: str) -> str:
    value = raw.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _odd(name)
    return value


def _odd(name: str) -> TryAgainError:
    return TryAgainError(
        f"the field '{name}' of Slack's answer has an unexpected type", reason="odd_answer"
    )


def _bucket(method: str, arguments: dict[str, Any]) -> str:
    """Return what Slack's rate limit of a call applies to."""
    return f"{method}#{arguments['channel']}" if method == "chat_postMessage" else method


def _failure(method: str, *, ambiguous: bool) -> type[TryAgainError]:
    return OutcomeUnknownError if ambiguous and method in POSTS else TryAgainError


def _is_ambiguous(error: str) -> bool:
    return error in AMBIGUOUS_ERRORS or error.startswith("http_")


def _error_name(error: SlackApiError) -> str:
    response: Any = error.response
    status = getattr(response, "status_code", 200)
    if status == 429:
        return "ratelimited"
    data = getattr(response, "data", response)
    name = data.get("error") if isinstance(data, dict) else None
    return name if isinstance(name, str) and _ERROR_NAME.fullmatch(name) else f"http_{status}"
