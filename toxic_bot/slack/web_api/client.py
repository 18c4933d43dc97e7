"""The workspace as the worker sees it: what it reads there, and what it posts."""

from __future__ import annotations

import re
import ssl
import time
from collections.abc import Iterator
from typing import Any

from toxic_bot.slack.fields import ID
from toxic_bot.slack.web_api.calls import TIMEOUT, Calls, TokenSource
from toxic_bot.slack.web_api.message import EarlierAnswer, Message, Post
from toxic_bot.slack.web_api.metadata import (
    ANSWER_TYPE,
    DIGEST_TYPE,
    NOTE_TYPE,
    OUTDATED,
    answer_metadata,
    find_answers,
    has_metadata,
)
from toxic_bot.slack.web_api.remedies import GONE, OUT_OF_REACH, SlackRefusedError
from toxic_bot.slack.web_api.response_url import ResponseUrls
from toxic_bot.slack.web_api.responses import object_of, objects_of, text_of

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

MAX_SEARCH = 5.0
"""Seconds after which no further page is read: a slow Slack must not use up the invocation."""

PAGE_SIZE = 200
"""Messages per page of a thread; Slack recommends no more."""

MAX_PAGES = 5
"""Pages of a thread that are searched for an earlier answer."""


_URL = re.compile(r"https?://[^\s<>|]+")


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
        # One context for all calls: creating one reads every root certificate.
        context = ssl.create_default_context() if api_url.startswith("https") else None
        self._calls = Calls(token, api_url, context)
        self._response_urls = ResponseUrls(TIMEOUT, context)

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
            answered, earlier = find_answers(page, pages, answer_metadata(channel, ts, edited))
        return Message(
            channel=channel,
            ts=ts,
            thread=thread,
            edited=edited,
            text=text_of(raw, "text"),
            author=text_of(raw, "user") or None,
            has_files=bool(raw.get("files")),
            deleted=raw.get("subtype") == "tombstone",
            is_answer=object_of(raw, "metadata").get("event_type")
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
        self._calls.call(
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
        metadata["event_payload"] |= {OUTDATED: "yes"}
        self._calls.call(
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
        self._calls.call(
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
        self._calls.call(
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
        return any(has_metadata(page or [], metadata) for page in pages)

    def update(self, channel: str, ts: str, post: Post) -> None:
        """Change a message of the bot's, which keeps its metadata.

        Raises
        ------
        TryAgainError
            When a later try may succeed; changing it twice does no harm.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        self._calls.call("chat_update", channel=channel, ts=ts, text=post.text, blocks=post.blocks)

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
            response = self._calls.call("chat_getPermalink", channel=channel, message_ts=ts)
        except SlackRefusedError as error:
            if error.error in GONE | OUT_OF_REACH:
                return None
            raise
        link = text_of(response, "permalink")
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
        self._calls.call("views_publish", user_id=user, view=view)

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
        self._calls.call("views_open", trigger_id=trigger, view=view)

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
        found = object_of(self._calls.call("users_info", user=user), "user")
        has_role = any(found.get(role) is True for role in ("is_admin", "is_owner"))
        return has_role and found.get("team_id") == team

    def locale(self, user: str) -> str:
        """Return somebody's locale, such as ``de-DE``; empty if Slack does not say.

        Raises
        ------
        TryAgainError
            When a later try may succeed.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        response = self._calls.call("users_info", user=user, include_locale=True)
        return text_of(object_of(response, "user"), "locale")

    def creator(self, channel: str) -> str:
        """Return the ID of the person who created a channel; empty if Slack does not say.

        Raises
        ------
        TryAgainError
            When a later try may succeed.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        response = self._calls.call("conversations_info", channel=channel)
        creator = text_of(object_of(response, "channel"), "creator")
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
            response = self._calls.call(
                "users_conversations",
                types="public_channel,private_channel",
                exclude_archived=True,
                limit=PAGE_SIZE,
                **({"cursor": cursor} if cursor else {}),
            )
            channels += [text_of(one, "id") for one in objects_of(response, "channels")]
            cursor = text_of(object_of(response, "response_metadata"), "next_cursor")
            if not cursor:
                break
        return channels

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
