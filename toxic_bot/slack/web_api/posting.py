"""What the bot posts, shows and opens in Slack."""

from __future__ import annotations

from typing import Any

from toxic_bot.slack.web_api.calls import Calls
from toxic_bot.slack.web_api.message import EarlierAnswer, Post
from toxic_bot.slack.web_api.metadata import OUTDATED, answer_metadata
from toxic_bot.slack.web_api.remedies import GONE, SlackRefusedError
from toxic_bot.slack.web_api.response_url import ResponseUrls
from toxic_bot.slack.web_api.responses import text_of


class Posting:
    """Posts messages, shows views and answers at response URLs.

    Parameters
    ----------
    calls
        Makes the calls.
    response_urls
        Posts to response URLs.
    """

    def __init__(self, calls: Calls, response_urls: ResponseUrls) -> None:
        self._calls = calls
        self._response_urls = response_urls

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
        self._update(channel, answer.ts, post, metadata=metadata)

    def replace_answer(
        self, channel: str, ts: str, answer: EarlierAnswer, post: Post, *, edited: str
    ) -> None:
        """Let an answer to an earlier version of a message be about another one.

        Parameters
        ----------
        channel, ts
            The message.
        answer
            What to replace.
        post
            What it says from now on.
        edited
            The version that it is about from now on.

        Raises
        ------
        TryAgainError
            When a later try may succeed; to repeat the call changes nothing.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        self._update(channel, answer.ts, post, metadata=answer_metadata(channel, ts, edited))

    def _update(self, channel: str, ts: str, post: Post, **more: object) -> None:
        self._calls.call(
            "chat_update", channel=channel, ts=ts, text=post.text, blocks=post.blocks, **more
        )

    def delete(self, channel: str, ts: str) -> None:
        """Delete a message of the bot's; one that is gone already is no error.

        Raises
        ------
        TryAgainError
            When a later try may succeed.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        try:
            self._calls.call("chat_delete", channel=channel, ts=ts)
        except SlackRefusedError as error:
            if error.error not in GONE:
                raise

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
        self,
        channel: str,
        post: Post,
        *,
        thread: str | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> str:
        """Post a message to a channel, and return its timestamp; raises as `post_in_thread` does.

        Parameters
        ----------
        channel
            Where; or the ID of a person, whom the app writes to in private.
        post
            The message.
        thread
            Timestamp of the thread to post it in; None for the channel.
        metadata
            Event type and payload by which `has_posted` finds it again.
        """
        response = self._calls.call(
            "chat_postMessage",
            channel=channel,
            text=post.text,
            blocks=post.blocks,
            # A link to a message would show its text.
            unfurl_links=False,
            unfurl_media=False,
            **({"thread_ts": thread} if thread else {}),
            **({"metadata": metadata} if metadata else {}),
        )
        return text_of(response, "ts")

    def update(self, channel: str, ts: str, post: Post) -> None:
        """Change a message of the bot's, which keeps its metadata.

        Raises
        ------
        TryAgainError
            When a later try may succeed; changing it twice does no harm.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
        self._update(channel, ts, post)

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
