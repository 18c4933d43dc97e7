"""Calls to Slack's Web API: one connection, one deadline, errors by what can be done.

Slack's errors are sorted into those that a retry can fix and those that it cannot.

Source: https://docs.slack.dev/reference/methods
"""

from __future__ import annotations

import logging
import re
import ssl
import threading
import time
from http.client import HTTPException
from typing import Any, Protocol

from slack_sdk.errors import SlackApiError, SlackClientError
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NewConnectionError

from toxic_bot.slack.retry import (
    OutcomeUnknownError,
    RateLimitedError,
    TryAgainError,
    retry_after,
)
from toxic_bot.slack.telemetry import count, logger, measure
from toxic_bot.slack.web_api.connection import KeepAliveClient
from toxic_bot.slack.web_api.remedies import REMEDIES, TOKEN_ERRORS, SlackRefusedError

TIMEOUT = 5
"""Seconds that a call may take, from the request's first byte to the response's last."""

INTERVALS = {
    "conversations_history": 1.2,
    "conversations_replies": 1.2,
    "conversations_members": 0.6,
    "chat_getPermalink": 0.6,
    "chat_postMessage": 1.0,
    "chat_update": 1.2,
    "chat_delete": 1.2,
    "chat_postEphemeral": 0.6,
    "users_conversations": 1.2,
    "views_publish": 0.6,
    "views_open": 0.6,
    "users_info": 0.6,
    "conversations_info": 1.2,
    "auth_test": 0.6,
}
"""Seconds between two calls at the rate that Slack allows.

Source: https://docs.slack.dev/apis/web-api/rate-limits
"""

POSTS = frozenset({"chat_postMessage", "chat_postEphemeral"})
"""Methods whose effect a person sees."""

AMBIGUOUS_ERRORS = frozenset({"internal_error", "fatal_error"})
"""Of these, Slack says that some of the call may have taken effect."""

# slack_sdk logs any body that it cannot parse, and that body may contain message text.
_SILENT = logging.Logger("slack_sdk", logging.CRITICAL + 1)

# Anything else is not one of Slack's error names but a body that slack_sdk could not parse.
_ERROR_NAME = re.compile(r"[a-z][a-z0-9_]{1,80}")


class TokenSource(Protocol):
    """Returns the bot token."""

    def __call__(self, *, fresh: bool) -> str:
        """Return the token; with ``fresh``, bypass any cache."""


class Calls:
    """Makes calls with the bot token.

    Parameters
    ----------
    token
        Returns the bot token. When Slack rejects a token, a fresh one is requested, so that
        rotating the token loses no event.
    api_url
        Base URL of Slack's Web API.
    ssl_context
        Whom to trust; None for plain HTTP.
    """

    def __init__(
        self, token: TokenSource, api_url: str, ssl_context: ssl.SSLContext | None
    ) -> None:
        self._token = token
        self._api_url = api_url
        self._ssl = ssl_context
        self._client: KeepAliveClient | None = None
        # Bucket to the time on the monotonic clock until which Slack refuses its calls.
        self._braked_until: dict[str, float] = {}
        self._brake_lock = threading.Lock()

    def call(self, method: str, **arguments: Any) -> dict[str, Any]:
        """Return Slack's response to a call.

        Parameters
        ----------
        method
            The method, as slack_sdk's client calls it.
        arguments
            Its arguments.

        Raises
        ------
        OutcomeUnknownError
            When a post may have taken effect.
        RateLimitedError
            When Slack refuses calls for a while, also without asking it again.
        TryAgainError
            When a later try may succeed.
        SlackRefusedError
            When Slack refuses the call and would refuse a retry.
        """
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
                    with self._brake_lock:
                        self._braked_until[bucket] = time.monotonic() + delay
                    logger.warning("Slack limits a method", method=method, seconds=round(delay))
                    raise RateLimitedError(
                        bucket, interval=INTERVALS[method], delay=delay
                    ) from None
                if name in TOKEN_ERRORS:
                    # A rotation may be under way: the reaction waits, and an alarm goes off.
                    count("TokenRejected")
                    message = f"Slack answered {name} to {method}: {REMEDIES[name]}"
                    raise TryAgainError(message, reason=name) from None
                if name in REMEDIES:
                    raise SlackRefusedError(name, REMEDIES[name]) from None
                kind = _failure(method, ambiguous=_is_ambiguous(name))
                raise kind(f"Slack answered {name} to {method}", reason=name) from None

    def _brake(self, bucket: str, method: str) -> None:
        """Refuse a call that Slack would refuse, as it has refused an earlier one."""
        now = time.monotonic()
        with self._brake_lock:
            braked = {b: until for b, until in self._braked_until.items() if until > now}
            self._braked_until = braked
        if bucket in braked:
            delay = braked[bucket] - now
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
