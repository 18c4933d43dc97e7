"""The way of each event: from Slack through the receiver, the queue and the worker to the post.

The receiver's and the worker's part come from their invocations, and what the worker made of an
event from its log, because nothing else tells an event that is done from one that waits.
"""

from __future__ import annotations

import base64
import json
import queue
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from simulators.aws.log import log_records
from simulators.aws.poller import failed_message_ids
from simulators.aws.runtime import Invocation
from simulators.slack.delivery import Attempt
from simulators.slack.private_verdicts import judged_ts
from simulators.slack.workspace import Message, Workspace

MAX_JOURNEYS = 500
"""Journeys that are kept; the oldest are dropped."""
LOG_TIMEOUT = 1.0
"""Seconds to wait for the log lines of an invocation that has ended."""
LOG_PAUSE = 0.005


@dataclass(frozen=True, slots=True)
class Step:
    """A step on the way of an event.

    Parameters
    ----------
    name
        ``receiver``, ``worker`` or ``post``.
    at
        When it began, in Unix seconds.
    milliseconds
        How long it took.
    outcome
        How it ended, in the words of the response or of the log.
    retry
        For the receiver, the number of Slack's retry; for the worker, of SQS's.
    cold
        Whether it was the first invocation of its execution environment.
    """

    name: str
    at: float
    milliseconds: float = 0.0
    outcome: str = ""
    retry: int = 0
    cold: bool = False


@dataclass(slots=True)
class Journey:
    """The way of one event.

    Parameters
    ----------
    event_id
        The event, with all its retries.
    channel, ts
        The message that it is about.
    user
        ID of the person who asked.
    at
        When they did, in Unix seconds.
    steps
        Its steps so far.
    done
        Whether nothing more will happen to it.
    """

    event_id: str
    channel: str
    ts: str
    user: str
    at: float
    steps: list[Step] = field(default_factory=list)
    done: bool = False


class Journeys:
    """Follows events, and ends the requests for a verdict that are done.

    Parameters
    ----------
    workspace
        Where the events come from.
    worker_log
        The log of the worker.
    retries
        How many times Slack retries a delivery.
    max_receives
        How many times the queue hands out a message before it is a dead letter.
    """

    def __init__(
        self, workspace: Workspace, worker_log: Path, *, retries: int, max_receives: int
    ) -> None:
        self._workspace = workspace
        self._log = _Log(worker_log)
        self._retries = retries
        self._max_receives = max_receives
        self._lock = threading.Lock()
        self._journeys: OrderedDict[str, Journey] = OrderedDict()
        self._cold_receiver: set[str] = set()
        # Channel and timestamp of the judged message, when the answer was posted, and for whom.
        self._posts: deque[tuple[str, str, float, str]] = deque(maxlen=MAX_JOURNEYS)
        # The log is read beside the invocations, which must not wait for it.
        self._ended: queue.SimpleQueue[Invocation | None] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="journeys", daemon=True)
        self._unwatch = workspace.watch(self._on_message)
        self._thread.start()

    def about(self, channel: str, ts: str) -> list[Journey]:
        """Return the journeys of the events about a message, the first one first."""
        with self._lock:
            return [
                replace(one, steps=sorted(one.steps, key=lambda step: step.at))
                for one in self._journeys.values()
                if (one.channel, one.ts) == (channel, ts)
            ]

    def on_attempt(self, envelope: Mapping[str, Any], attempt: Attempt) -> None:
        """Follow a delivery attempt of Slack's."""
        event = envelope.get("event") or {}
        item = event.get("item") or {}
        if not item.get("ts"):
            return
        journey = self._journey(
            attempt.event_id, item["channel"], item["ts"], event["user"], event["event_ts"]
        )
        with self._lock:
            journey.steps.append(
                Step(
                    "receiver",
                    time.time() - attempt.milliseconds / 1000,
                    attempt.milliseconds,
                    attempt.body if attempt.status == 200 else attempt.reason or "refused",
                    attempt.retry,
                    attempt.event_id in self._cold_receiver,
                )
            )
            self._cold_receiver.discard(attempt.event_id)
        given_up = attempt.reason is None or attempt.retry >= self._retries
        if given_up and (attempt.status != 200 or attempt.body != "queued"):
            self._end(journey)

    def on_receiver(self, invocation: Invocation) -> None:
        """Follow an invocation of the receiver."""
        body = invocation.event.get("body") or ""
        if invocation.event.get("isBase64Encoded"):
            body = base64.b64decode(body).decode("utf-8", "replace")
        if body.startswith("payload="):
            self._on_form(invocation, _object(parse_qs(body)["payload"][0]))
            return
        event_id = _object(body).get("event_id")
        if invocation.cold and event_id:
            with self._lock:
                self._cold_receiver.add(event_id)

    def _on_form(self, invocation: Invocation, payload: dict[str, Any]) -> None:
        # Of the forms, only the shortcut's is about a message and leads to a verdict.
        if payload.get("type") != "message_action":
            return
        journey = self._journey(
            payload["trigger_id"],
            payload["channel"]["id"],
            payload["message_ts"],
            payload["user"]["id"],
            payload["action_ts"],
        )
        result = invocation.result if isinstance(invocation.result, dict) else {}
        is_queued = result.get("statusCode") == 200 and not result.get("body")
        outcome = "queued" if is_queued else str(result.get("body") or "refused")
        with self._lock:
            journey.steps.append(
                Step(
                    "receiver",
                    invocation.started,
                    invocation.milliseconds,
                    outcome,
                    cold=invocation.cold,
                )
            )
        if not is_queued:
            self._end(journey)

    def on_worker(self, invocation: Invocation) -> None:
        """Follow an invocation of the worker."""
        self._ended.put(invocation)

    def stop(self) -> None:
        """Stop following."""
        self._unwatch()
        self._stopping.set()
        self._ended.put(None)
        self._thread.join()

    def _journey(self, event_id: str, channel: str, ts: str, user: str, at: str) -> Journey:
        with self._lock:
            journey = self._journeys.get(event_id)
            if journey is None:
                journey = Journey(event_id, channel, ts, user, float(at))
                self._journeys[event_id] = journey
                while len(self._journeys) > MAX_JOURNEYS:
                    self._journeys.popitem(last=False)
            return journey

    def _run(self) -> None:
        while (invocation := self._ended.get()) is not None and not self._stopping.is_set():
            records = invocation.event.get("Records", [])
            ids = frozenset(record["messageId"] for record in records)
            failed = ids if invocation.error else failed_message_ids(invocation.result, ids)
            for record in records:
                self._on_record(invocation, record, is_failed=record["messageId"] in failed)

    def _on_record(
        self, invocation: Invocation, record: dict[str, Any], *, is_failed: bool
    ) -> None:
        body = _object(record["body"])
        # Other requests than reactions may have fewer fields.
        if not all(body.get(name) for name in ("event_id", "channel", "ts", "user", "event_ts")):
            return
        receives = int(record["attributes"]["ApproximateReceiveCount"])
        logged = {} if invocation.error else self._log.last_about(record["messageId"], receives)
        outcome = invocation.error or str(logged.get("message", ""))
        journey = self._journey(
            body["event_id"], body["channel"], body["ts"], body["user"], body["event_ts"]
        )
        with self._lock:
            journey.steps.append(
                Step(
                    "worker",
                    invocation.started,
                    invocation.milliseconds,
                    outcome,
                    receives - 1,
                    invocation.cold,
                )
            )
            journey.steps += [
                Step("post", at, outcome=outcome)
                for channel, ts, at, outcome in self._posts
                if (channel, ts) == (journey.channel, journey.ts)
                and 0 <= at - invocation.started <= invocation.milliseconds / 1000
            ]
        waits = "delay" in logged
        if not waits and not (is_failed and receives < self._max_receives):
            self._end(journey)

    def _on_message(self, message: Message) -> None:
        payload = (message.metadata or {}).get("event_payload") or {}
        judged = payload.get("ts") or judged_ts(message)
        if message.user == self._workspace.bot.id and judged:
            outcome = "in the thread" if message.only_for is None else "in private"
            with self._lock:
                self._posts.append((message.channel, str(judged), float(message.ts), outcome))

    def _end(self, journey: Journey) -> None:
        with self._lock:
            journey.done = True
        self._workspace.end_request(journey.channel, journey.ts, journey.at)


class _Log:
    """What the worker has logged last of each receive of a message, and nobody has read yet."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0
        self._last: dict[tuple[str, int], dict[str, Any]] = {}

    def last_about(self, message_id: str, receives: int) -> dict[str, Any]:
        """Return the last record of a receive whose invocation has ended; empty without one."""
        receive = (message_id, receives)
        deadline = time.monotonic() + LOG_TIMEOUT
        while True:
            self._read()
            if receive in self._last or time.monotonic() > deadline:
                # Lines may still be on their way through the emulator.
                time.sleep(LOG_PAUSE)
                self._read()
                return self._last.pop(receive, {})
            time.sleep(LOG_PAUSE)

    def _read(self) -> None:
        for record in log_records(self._new()):
            if record.get("event_id") and record.get("message_id"):
                self._last[record["message_id"], record["receives"]] = record

    def _new(self) -> str:
        """Return the lines that are complete and were not read before."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._offset)
                new = file.read()
        except FileNotFoundError:
            return ""
        complete = new.rfind(b"\n") + 1
        self._offset += complete
        return new[:complete].decode("utf-8", "replace")


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
