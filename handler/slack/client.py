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
from handler.slack.message import EarlierAnswer, Message, Post
from handler.slack.remedies import (
    GONE,
    OUT_OF_REACH,
    REMEDIES,
    TOKEN_ERRORS,
    SlackRefusedError,
)
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

_OUTDATED = "outdated"
"""Stands in the metadata of an answer that says that it is about an earlier version."""
NOTE_TYPE, DIGEST_TYPE = "toxic_note", "toxic_digest"
"""Those of its notes and digests for moderators."""

TIMEOUT = 5
"""Seconds that a call may take, from the request's first byte to the response's last."""

INTERVALS = {
    "conversations_history": 1.2,
    "conversations_replies": 1.2,
    "chat_getPermalink": 0.6,
    "chat_postMessage": 1.0,
    "chat_update": 1.2,
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


_URL = re.compile(r"https?://[^\s<>|]+")


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
        thread = _text(raw, "thread_ts") or ts
        edited = _text(_object(raw, "edited"), "ts")
        answered: bool | None = None
        earlier: tuple[EarlierAnswer, ...] = ()
        if find_answer:
            if thread != ts:
                page = []
                pages = self._pages("conversations_replies", channel=channel, ts=thread, oldest=ts)
            answered, earlier = _find_answers(page, pages, answer_metadata(channel, ts, edited))
        return Message(
            channel=channel,
            ts=ts,
            thread=thread,
            edited=edited,
            text=_text(raw, "text"),
            author=_text(raw, "user") or None,
            has_files=bool(raw.get("files")),
            deleted=raw.get("subtype") == "tombstone",
            is_answer=_object(raw, "metadata").get("event_type")
            in (ANSWER_TYPE, NOTE_TYPE, DIGEST_TYPE),
            answered=answered,
            earlier_answers=earlier,
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
            metadata=answer_metadata(channel, ts, edited),
            unfurl_links=False,
            unfurl_media=False,
        )

    def mark_outdated(self, channel: str, ts: str, answer: EarlierAnswer, post: Post) -> None:
        """Replace an answer to an earlier version of a message; its metadata then say so.

        Parameters
        ----------
        channel, ts
            The message.
        answer
            What to replace.
        post
            What it says from now on.

        Raises
        ------
        TryAgainError
            When a later try may succeed; to repeat the call changes nothing.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        metadata = answer_metadata(channel, ts, answer.edited)
        metadata["event_payload"] |= {_OUTDATED: "yes"}
        self._call(
            "chat_update",
            channel=channel,
            ts=answer.ts,
            text=post.text,
            blocks=post.blocks,
            metadata=metadata,
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

    def post_message(
        self, channel: str, post: Post, *, metadata: dict[str, Any] | None = None
    ) -> None:
        """Post a message to a channel; raises as `post_in_thread` does.

        Parameters
        ----------
        channel
            Where.
        post
            The message.
        metadata
            Event type and payload by which `has_posted` finds it again.
        """
        self._call(
            "chat_postMessage",
            channel=channel,
            text=post.text,
            blocks=post.blocks,
            # A link to a message would show its text.
            unfurl_links=False,
            unfurl_media=False,
            **({"metadata": metadata} if metadata else {}),
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
        return any(_has_metadata(page or [], metadata) for page in pages)

    def update(self, channel: str, ts: str, post: Post) -> None:
        """Change a message of the bot's, which keeps its metadata.

        Raises
        ------
        TryAgainError
            When a later try may succeed; changing it twice does no harm.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        self._call("chat_update", channel=channel, ts=ts, text=post.text, blocks=post.blocks)

    def permalink(self, channel: str, ts: str) -> str | None:
        """Return the URL of a message for mrkdwn; None if it is gone, or where the bot is not.

        Raises
        ------
        TryAgainError
            When a later try may succeed.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        try:
            response = self._call("chat_getPermalink", channel=channel, message_ts=ts)
        except SlackRefusedError as error:
            if error.error in GONE | OUT_OF_REACH:
                return None
            raise
        link = _text(response, "permalink")
        # Without the characters that would end a link in mrkdwn.
        return link.replace("&", "&amp;") if _URL.fullmatch(link) else None

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

    def _pages(self, method: str, **arguments: Any) -> Iterator[list[dict[str, Any]] | None]:
        """Yield messages page by page; a final None means that the rest was not read."""
        started = time.monotonic()
        for _ in range(MAX_PAGES):
            response = self._call(
                method,
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


def answer_metadata(channel: str, ts: str, edited: str) -> dict[str, Any]:
    """Return the metadata that identifies the message version an answer judges."""
    payload = {"channel": channel, "ts": ts, "edited": edited}
    return {"event_type": ANSWER_TYPE, "event_payload": payload}


def _find_answers(
    first_page: list[dict[str, Any]],
    pages: Iterator[list[dict[str, Any]] | None],
    sought: dict[str, Any],
) -> tuple[bool | None, tuple[EarlierAnswer, ...]]:
    """Return whether a version was answered, and the unmarked answers to earlier ones."""
    earlier = _earlier_answers(first_page, sought)
    if _has_metadata(first_page, sought):
        return True, earlier
    for page in pages:
        if page is None:
            return None, earlier
        earlier += _earlier_answers(page, sought)
        if _has_metadata(page, sought):
            return True, earlier
    return False, earlier


def _earlier_answers(
    page: list[dict[str, Any]], sought: dict[str, Any]
) -> tuple[EarlierAnswer, ...]:
    payload = sought["event_payload"]
    found = []
    for one in page:
        metadata = _object(one, "metadata")
        if metadata.get("event_type") != ANSWER_TYPE:
            continue
        about = _object(metadata, "event_payload")
        edited = _text(about, "edited")
        is_same_message = about == payload | {"edited": edited}  # and no mark
        if is_same_message and edited < payload["edited"]:
            found.append(EarlierAnswer(_text(one, "ts"), edited, _text(one, "text")))
    return tuple(found)


def _has_metadata(page: list[dict[str, Any]], sought: dict[str, Any]) -> bool:
    metadata = (_object(one, "metadata") for one in page)
    return any(sought.items() <= one.items() for one in metadata)


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
