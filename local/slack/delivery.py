"""Events as Slack's Events API delivers them: signed, in three seconds, with retries.

Source: https://docs.slack.dev/apis/events-api
"""

from __future__ import annotations

import base64
import json
import secrets
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import httpx
from slack_sdk.signature import SignatureVerifier

from local.slack.workspace import APP, TEAM, Reacted, Workspace

PATIENCE = 3.0
"""Seconds that Slack waits for an answer."""
SLACK_DELAYS = (0.0, 60.0, 300.0)
"""Seconds before Slack's first, second and third retry."""
LOCAL_DELAYS = (0.0, 2.0, 5.0)
"""The same on this machine, where nobody wants to wait."""
MOST_AT_ONCE = 64


class Reason(StrEnum):
    """Why an event is sent again, in Slack's words."""

    TIMEOUT = "http_timeout"
    ERROR = "http_error"
    CONNECTION = "connection_failed"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One delivery of an event.

    Parameters
    ----------
    event_id
        The same in every retry.
    retry
        0 for the first delivery.
    status
        HTTP status of the answer; 0 if none came.
    body
        Of the answer.
    milliseconds
        Until the answer.
    reason
        Why the event has to be sent again; None when it was taken.
    """

    event_id: str
    retry: int
    status: int
    body: str
    milliseconds: float
    reason: Reason | None


class EventsApi:
    """Delivers what happens in the workspace to the app.

    Parameters
    ----------
    workspace
        Whose events are delivered, from the channels that the bot is in.
    signing_secret
        What requests are signed with.
    delays
        Seconds before each retry.
    patience
        Seconds that an answer may take.
    """

    def __init__(
        self,
        workspace: Workspace,
        signing_secret: str,
        delays: Sequence[float] = LOCAL_DELAYS,
        patience: float = PATIENCE,
    ) -> None:
        self._workspace = workspace
        self._verifier = SignatureVerifier(signing_secret)
        self._delays = tuple(delays)
        self._client = httpx.Client(
            timeout=patience,
            limits=httpx.Limits(max_connections=MOST_AT_ONCE),
            # A proxy in the environment does not lead to this machine.
            trust_env=False,
        )
        self._executor = ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="events")
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._attempts: list[Attempt] = []
        self._delivered: dict[str, dict[str, Any]] = {}
        self.request_url = ""
        workspace.watch_reactions(self._reacted)

    @property
    def attempts(self) -> list[Attempt]:
        """All deliveries so far, in the order in which they ended."""
        with self._lock:
            return list(self._attempts)

    def verify_url(self) -> bool:
        """Ask the request URL for its challenge, as Slack does before it saves the URL."""
        challenge = secrets.token_urlsafe(39)
        body = {"token": "unused", "challenge": challenge, "type": "url_verification"}
        attempt = self._send(body, "url_verification", 0, None)
        return attempt.status == 200 and challenge in attempt.body

    def deliver(self, envelope: dict[str, Any]) -> Future[list[Attempt]]:
        """Deliver an event, with retries, and return what will hold the attempts."""
        return self._executor.submit(self._deliver, envelope)

    def repeat(self, envelope: dict[str, Any], retry: int, reason: Reason) -> Future[Attempt]:
        """Deliver an event once as its n-th retry, whatever became of it before."""
        return self._executor.submit(self._send, envelope, str(envelope["event_id"]), retry, reason)

    def envelope_of(self, reacted: Reacted) -> dict[str, Any]:
        """Return the callback with which a reaction was delivered.

        Raises
        ------
        KeyError
            When it was not delivered: the bot is not in the channel, or not subscribed.
        """
        return self._delivered[reacted.event_ts]

    def envelope(self, reacted: Reacted) -> dict[str, Any]:
        """Return the callback that tells of a reaction, with an event id of its own."""
        return callback(self._workspace, reacted)

    def headers(self, body: bytes, retry: int = 0, reason: Reason | None = None) -> dict[str, str]:
        """Return the headers of a request with this body, signed now."""
        timestamp = str(int(time.time()))
        signature = self._verifier.generate_signature(timestamp=timestamp, body=body)
        retried = (
            {"X-Slack-Retry-Num": str(retry), "X-Slack-Retry-Reason": str(reason)} if reason else {}
        )
        return {
            "Accept": "*/*",
            "Content-Type": "application/json",
            "User-Agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
            "X-Slack-Request-Timestamp": timestamp,
            "X-Slack-Signature": signature or "",
            **retried,
        }

    def stop(self) -> None:
        """Give up what is not delivered yet."""
        self._stopping.set()
        self._executor.shutdown(cancel_futures=True)
        self._client.close()

    def _reacted(self, reacted: Reacted) -> None:
        in_channel = self._workspace.bot.id in self._workspace.channels[reacted.channel].members
        # The app's manifest subscribes to reaction_added alone.
        if reacted.added and in_channel and self.request_url:
            envelope = self._delivered[reacted.event_ts] = self.envelope(reacted)
            self.deliver(envelope)

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
        self, envelope: dict[str, Any], event_id: str, retry: int, reason: Reason | None
    ) -> Attempt:
        body = json.dumps(envelope).encode()
        started = time.perf_counter()
        status, answer, wrong = 0, "", None
        try:
            response = self._client.post(
                self.request_url, content=body, headers=self.headers(body, retry, reason)
            )
        except httpx.TimeoutException:
            wrong = Reason.TIMEOUT
        except httpx.TransportError:
            wrong = Reason.CONNECTION
        else:
            status, answer = response.status_code, response.text
            if not response.is_success and "X-Slack-No-Retry" not in response.headers:
                wrong = Reason.ERROR
        attempt = Attempt(
            event_id, retry, status, answer, (time.perf_counter() - started) * 1000, wrong
        )
        with self._lock:
            self._attempts.append(attempt)
        return attempt


def callback(workspace: Workspace, reacted: Reacted) -> dict[str, Any]:
    """Return the callback that tells of a reaction, with an event id of its own."""
    event = {
        "type": "reaction_added" if reacted.added else "reaction_removed",
        "user": reacted.user,
        "reaction": reacted.reaction,
        "item": {"type": "message", "channel": reacted.channel, "ts": reacted.ts},
        "item_user": reacted.author,
        "event_ts": reacted.event_ts,
    }
    context = {"et": event["type"], "tid": TEAM, "aid": APP, "cid": reacted.channel}
    return {
        "token": "unused-verification-token",
        "team_id": TEAM,
        "context_team_id": TEAM,
        "context_enterprise_id": None,
        "api_app_id": APP,
        "event": event,
        "type": "event_callback",
        "event_id": f"Ev{secrets.token_hex(5).upper()}",
        "event_time": int(float(reacted.event_ts)),
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
