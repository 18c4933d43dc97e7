"""Answers to a gesture, at the URL that Slack sent with it: seen by one person only.

Source: https://docs.slack.dev/interactivity/handling-user-interaction#message_responses
"""

from __future__ import annotations

import json
import ssl
import time

from urllib3.exceptions import ConnectTimeoutError, HTTPError, NewConnectionError

from toxic_bot.slack.retry import (
    OutcomeUnknownError,
    RateLimitedError,
    TryAgainError,
    retry_after,
)
from toxic_bot.slack.telemetry import measure
from toxic_bot.slack.web_api.message import Post
from toxic_bot.slack.web_api.remedies import SlackRefusedError

METHOD = "response_url"
INTERVAL = 1.0
"""Seconds between two answers when Slack limits their rate, for which it names no number."""
_HEADERS = {"Content-Type": "application/json; charset=utf-8"}


class ResponseUrls:
    """Posts private answers to response URLs.

    Parameters
    ----------
    timeout
        Seconds that a post may take.
    ssl_context
        Whom to trust; None for plain HTTP.
    """

    def __init__(self, timeout: float, ssl_context: ssl.SSLContext | None) -> None:
        from toxic_bot.slack.web_api.connection import BoundedPool

        self._pool = BoundedPool(timeout, ssl_context)

    def post(self, url: str, post: Post, *, thread: str | None = None) -> None:
        """Show a post to the person who made a gesture.

        Parameters
        ----------
        url
            The gesture's response URL.
        post
            What to show.
        thread
            Timestamp of the thread to show it in; None for the channel.

        Raises
        ------
        OutcomeUnknownError
            When the post may have taken effect.
        TryAgainError
            When it has not, and a later try may succeed.
        SlackRefusedError
            When Slack refuses it and would refuse a retry.
        """
        content: dict[str, object] = {
            "response_type": "ephemeral",
            "replace_original": False,
            "text": post.text,
            "blocks": post.blocks,
        }
        if thread:
            content["thread_ts"] = thread
        started = time.perf_counter()
        try:
            status, headers, _ = self._pool.request(
                "POST", url, json.dumps(content).encode(), _HEADERS
            )
        except (NewConnectionError, ConnectTimeoutError):
            raise TryAgainError(
                "Slack could not be reached at a response URL", reason="network"
            ) from None
        # Not with the error's text, which contains the URL.
        except (OSError, HTTPError) as error:
            raise OutcomeUnknownError(
                f"Slack did not answer at a response URL ({type(error).__name__})", reason="network"
            ) from None
        finally:
            measure("SlackMilliseconds", (time.perf_counter() - started) * 1e3, method=METHOD)
        if status == 429:
            raise RateLimitedError(METHOD, interval=INTERVAL, delay=retry_after(headers))
        if status >= 500:
            raise OutcomeUnknownError(
                f"Slack answered {status} at a response URL", reason=f"http_{status}"
            )
        if status != 200:
            raise SlackRefusedError(
                f"http_{status}",
                "nothing to do: it takes five answers in the first 30 minutes",
            )
