"""Slack's Events API over HTTP: signed requests, a three-second timeout, and retries.

Source: https://docs.slack.dev/apis/events-api
"""

from __future__ import annotations

import base64
import json
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar
from urllib.parse import urlencode

import httpx
from slack_sdk.signature import SignatureVerifier

from simulators.slack.message_json import message_json
from simulators.slack.workspace import (
    APP,
    TEAM,
    MessageChange,
    MessageEvent,
    Occurrence,
    ReactionChange,
    Workspace,
)

DELIVERY_TIMEOUT = 3.0
"""Seconds that Slack waits for a response or an acknowledgment."""
LOCAL_DELAYS = (0.0, 2.0, 5.0)
"""Seconds before each of the three retries; Slack's own are 0, 60 and 300."""
MAX_CONCURRENT_DELIVERIES = 64

Result = TypeVar("Result")


class RetryReason(StrEnum):
    """The reason for a retry, as in Slack's header ``X-Slack-Retry-Reason``."""

    TIMEOUT = "http_timeout"
    ERROR = "http_error"
    CONNECTION = "connection_failed"


@dataclass(frozen=True, slots=True)
class Attempt:
    """A delivery attempt.

    Parameters
    ----------
    event_id
        The event's ID, which is the same in every retry.
    retry
        Number of the retry; 0 for the first attempt.
    status
        HTTP status of the response; 0 without a response.
    body
        Body of the response.
    milliseconds
        Response time.
    reason
        The reason to retry; None if the delivery succeeded or the app declined retries.
    """

    event_id: str
    retry: int
    status: int
    body: str
    milliseconds: float
    reason: RetryReason | None


class EventsApi:
    """Delivers the workspace's events to the app's request URL.

    Parameters
    ----------
    workspace
        The workspace; events come only from channels that the bot is a member of.
    signing_secret
        The secret that requests are signed with.
    delays
        Seconds before each retry.
    timeout
        Seconds to wait for a response.
    """

    def __init__(
        self,
        workspace: Workspace,
        signing_secret: str,
        delays: Sequence[float] = LOCAL_DELAYS,
        timeout: float = DELIVERY_TIMEOUT,
    ) -> None:
        self._workspace = workspace
        self._verifier = SignatureVerifier(signing_secret)
        self._delays = tuple(delays)
        self._client = httpx.Client(
            timeout=timeout,
            limits=httpx.Limits(max_connections=MAX_CONCURRENT_DELIVERIES),
            # Ignore proxies in the environment: the request URL is on this machine.
            trust_env=False,
        )
        self._executor = ThreadPoolExecutor(MAX_CONCURRENT_DELIVERIES, thread_name_prefix="events")
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._attempts: list[Attempt] = []
        self._envelopes: dict[str, dict[str, Any]] = {}
        self._on_the_way = 0
        self._watchers: list[Callable[[dict[str, Any], Attempt], None]] = []
        self.request_url = ""
        workspace.watch_reactions(self._on_reaction_change)
        workspace.watch_changes(self._on_message_change)
        workspace.watch_occurrences(self._on_occurrence)

    @property
    def attempts(self) -> list[Attempt]:
        """All delivery attempts so far, in the order of completion."""
        with self._lock:
            return list(self._attempts)

    @property
    def busy(self) -> bool:
        """Whether something is on its way to the bot or waits for its retry."""
        with self._lock:
            return self._on_the_way > 0

    def watch(self, watcher: Callable[[dict[str, Any], Attempt], None]) -> None:
        """Call a function with every attempt that has ended, and what was delivered."""
        self._watchers.append(watcher)

    def verify_url(self) -> bool:
        """Send the request URL a challenge and return whether it echoes the challenge."""
        challenge = secrets.token_urlsafe(39)
        body = {"token": "unused", "challenge": challenge, "type": "url_verification"}
        attempt = self._send(body, "url_verification", 0, None)
        return attempt.status == 200 and challenge in attempt.body

    def deliver(self, envelope: dict[str, Any]) -> Future[list[Attempt]]:
        """Deliver an event, with retries; the future returns all attempts."""
        return self._submit(self._deliver, envelope)

    def redeliver(
        self, envelope: dict[str, Any], retry: int, reason: RetryReason
    ) -> Future[Attempt]:
        """Deliver an event once more as a given retry, even if it was delivered before."""
        return self._submit(self._send, envelope, str(envelope["event_id"]), retry, reason)

    def delivered_envelope(self, change: ReactionChange) -> dict[str, Any]:
        """Return the envelope in which a reaction was delivered.

        Raises
        ------
        KeyError
            When it was not delivered: the bot is not in the channel, there is no request
            URL, or the app is not subscribed to the event.
        """
        return self._envelopes[change.event_ts]

    def new_envelope(self, change: ReactionChange) -> dict[str, Any]:
        """Return a reaction in an envelope with a new event ID."""
        return event_callback(self._workspace, change)

    def send_form(self, kind: str, fields: dict[str, Any]) -> Future[str | None]:
        """Send a slash command or an interaction, once; the future has the response's text.

        Parameters
        ----------
        kind
            ``slash_commands`` or ``interactive``.
        fields
            The command's fields, or the interaction's payload.
        """
        form = fields if kind == "slash_commands" else {"payload": json.dumps(fields)}
        return self._submit(self._send_form, urlencode(form).encode())

    def _submit(self, send: Callable[..., Result], *arguments: Any) -> Future[Result]:
        with self._lock:
            if self._stopping.is_set():
                canceled: Future[Result] = Future()
                canceled.cancel()
                return canceled
            self._on_the_way += 1
            sent = self._executor.submit(send, *arguments)
        sent.add_done_callback(self._on_sent)
        return sent

    def _on_sent(self, _: Future[Any]) -> None:
        with self._lock:
            self._on_the_way -= 1

    def _send_form(self, body: bytes) -> str | None:
        headers = self.headers(body) | {"Content-Type": "application/x-www-form-urlencoded"}
        try:
            response = self._client.post(self.request_url, content=body, headers=headers)
        except httpx.TransportError:
            return None
        return response.text if response.is_success else None

    def headers(
        self, body: bytes, retry: int = 0, reason: RetryReason | None = None
    ) -> dict[str, str]:
        """Return the headers of a request with this body, signed with the current time."""
        timestamp = str(int(time.time()))
        signature = self._verifier.generate_signature(timestamp=timestamp, body=body)
        retry_headers = (
            {"X-Slack-Retry-Num": str(retry), "X-Slack-Retry-Reason": str(reason)} if reason else {}
        )
        return {
            "Accept": "*/*",
            "Content-Type": "application/json",
            "User-Agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
            "X-Slack-Request-Timestamp": timestamp,
            "X-Slack-Signature": signature or "",
            **retry_headers,
        }

    def stop(self) -> None:
        """Stop delivering; deliveries and retries that wait, or come later, are canceled."""
        with self._lock:
            self._stopping.set()
        self._executor.shutdown(cancel_futures=True)
        self._client.close()

    def _on_reaction_change(self, change: ReactionChange) -> None:
        in_channel = self._workspace.bot.id in self._workspace.channels[change.channel].members
        # The app's manifest subscribes only to reaction_added.
        if change.added and in_channel and self.request_url:
            envelope = self._envelopes[change.event_ts] = self.new_envelope(change)
            self.deliver(envelope)

    def _on_message_change(self, change: MessageChange) -> None:
        in_channel = (
            self._workspace.bot.id in self._workspace.channels[change.message.channel].members
        )
        if in_channel and self.request_url:
            self.deliver(message_callback(self._workspace, change))

    def _on_occurrence(self, occurrence: Occurrence) -> None:
        if self.request_url and is_heard(self._workspace, occurrence):
            self.deliver(occurrence_callback(self._workspace, occurrence))

    def _deliver(self, envelope: dict[str, Any]) -> list[Attempt]:
        event_id = str(envelope["event_id"])
        attempts = [self._send(envelope, event_id, 0, None)]
        for retry, delay in enumerate(self._delays, start=1):
            reason = attempts[-1].reason
            if reason is None or self._stopping.wait(delay):
                break
            attempts.append(self._send(envelope, event_id, retry, reason))
        return attempts

    def _send(
        self, envelope: dict[str, Any], event_id: str, retry: int, reason: RetryReason | None
    ) -> Attempt:
        body = json.dumps(envelope).encode()
        started = time.perf_counter()
        status, text, retry_reason = 0, "", None
        try:
            response = self._client.post(
                self.request_url, content=body, headers=self.headers(body, retry, reason)
            )
        except httpx.TimeoutException:
            retry_reason = RetryReason.TIMEOUT
        except httpx.TransportError:
            retry_reason = RetryReason.CONNECTION
        else:
            status, text = response.status_code, response.text
            if not response.is_success and "X-Slack-No-Retry" not in response.headers:
                retry_reason = RetryReason.ERROR
        attempt = Attempt(
            event_id, retry, status, text, (time.perf_counter() - started) * 1000, retry_reason
        )
        with self._lock:
            self._attempts.append(attempt)
        for watcher in self._watchers:
            watcher(envelope, attempt)
        return attempt


def is_heard(workspace: Workspace, occurrence: Occurrence) -> bool:
    """Report whether the app hears of an occurrence: in its channels, and of its own tab."""
    channel = workspace.channels.get(occurrence.channel)
    return channel is None or workspace.bot.id in channel.members


def occurrence_callback(workspace: Workspace, occurrence: Occurrence) -> dict[str, Any]:
    """Return the ``event_callback`` envelope of an occurrence, with a new event ID."""
    event = {
        "type": occurrence.type,
        "user": occurrence.user,
        "channel": occurrence.channel,
        "event_ts": occurrence.ts,
        **occurrence.details,
    }
    return _envelope(workspace, event, occurrence.channel)


def message_callback(workspace: Workspace, change: MessageChange) -> dict[str, Any]:
    """Return the ``event_callback`` envelope of a message event, with a new event ID.

    Source: https://docs.slack.dev/reference/events/message
    """
    message = change.message
    private = workspace.channels[message.channel].private
    event: dict[str, Any] = {
        "type": "message",
        "channel": message.channel,
        "channel_type": "group" if private else "channel",
        "ts": change.event_ts,
        "event_ts": change.event_ts,
    }
    if change.event is MessageEvent.POSTED:
        event = message_json(workspace, message) | event
        if message.file_names:
            event["subtype"] = "file_share"
        return _envelope(workspace, event, message.channel)
    assert change.before is not None
    event |= {
        "subtype": change.event.value,
        "hidden": True,
        "previous_message": message_json(workspace, change.before),
    }
    if change.event is MessageEvent.CHANGED:
        event["message"] = message_json(workspace, message)
    else:
        event["deleted_ts"] = message.ts
    return _envelope(workspace, event, message.channel)


def event_callback(workspace: Workspace, change: ReactionChange) -> dict[str, Any]:
    """Return the ``event_callback`` envelope of a reaction, with a new event ID.

    Source: https://docs.slack.dev/apis/events-api/#callback-field
    """
    event = {
        "type": "reaction_added" if change.added else "reaction_removed",
        "user": change.user,
        "reaction": change.reaction,
        "item": {"type": "message", "channel": change.channel, "ts": change.ts},
        "item_user": change.author,
        "event_ts": change.event_ts,
    }
    return _envelope(workspace, event, change.channel)


def _envelope(workspace: Workspace, event: dict[str, Any], channel: str) -> dict[str, Any]:
    context = {"et": event["type"], "tid": TEAM, "aid": APP, "cid": channel}
    return {
        "token": "unused-verification-token",
        "team_id": TEAM,
        "context_team_id": TEAM,
        "context_enterprise_id": None,
        "api_app_id": APP,
        "event": event,
        "type": "event_callback",
        "event_id": f"Ev{secrets.token_hex(5).upper()}",
        "event_time": int(float(event["event_ts"])),
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": TEAM,
                "user_id": workspace.bot.id,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": False,
        "event_context": "4-" + base64.urlsafe_b64encode(json.dumps(context).encode()).decode(),
    }
