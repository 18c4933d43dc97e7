"""Where workers take reactions from: SQS before Lambda's worker, or the standalone bot's file.

Lambda's side of SQS is a specification: a record is invisible while somebody has it, comes back
if it is not deleted, and is dead after its fifth receive. Everything else is the real code.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Protocol

from botocore.exceptions import EndpointConnectionError

from handler.dynamodb_store import DynamoDBStore
from handler.sqs_record import SqsRecord
from tests.slack.answers.claim_protocol.stepped import SteppedStore
from tests.slack.answers.claim_protocol.steps import Steps, current_steps
from toxic_bot.slack.answers.claims import ClaimStore
from toxic_bot.slack.composition import Store
from toxic_bot.slack.gesture_router import GestureRouter
from toxic_bot.slack.gestures.event_gestures import Reaction
from toxic_bot.slack.gestures.gesture import Gesture
from toxic_bot.slack.waiting import QueuedGesture, Waiting
from toxic_bot.standalone.database import Database
from toxic_bot.standalone.dispatcher import Dispatcher
from toxic_bot.standalone.gesture_queue import GestureQueue
from toxic_bot.standalone.sqlite_store import SQLiteStore

VISIBILITY_TIMEOUT = 180.0
MAX_RECEIVES = 5
"""As in the template."""

Router = Callable[[Store, Steps], GestureRouter]
Work = Callable[[], None]


class Clock:
    """The clock of both workers, far from today's: nothing in a new file has expired."""

    def __init__(self) -> None:
        self.now = 2_000_000_000.0

    def __call__(self) -> float:
        return self.now


class Process(Protocol):
    """A process that answers reactions."""

    steps: Steps

    def take(self) -> Work | None:
        """Take what is due; return what answers it, or None if nothing is due."""

    def restart(self) -> None:
        """Forget everything that is only in memory."""


class Home(Protocol):
    """Where the bot runs."""

    def put(self, reaction: Reaction) -> None:
        """Queue a reaction, as the receiver does."""

    def process(self, router: Router) -> Process:
        """Start a process."""

    def next_due(self) -> float | None:
        """Return when the next reaction is due; None if the queue is empty."""

    def repeat(self) -> None:
        """Show a reaction that somebody has to the others, too, if the queue may do so."""

    def can_be_received_again(self) -> bool:
        """Report whether one more kill leads to no dead letter."""


@dataclass
class _Record:
    number: int
    body: str
    due: float
    receives: int = 0


class LambdaHome:
    """SQS, and Lambda's worker; the claims are in DynamoDB."""

    def __init__(self, worker: ModuleType, store: DynamoDBStore, clock: Clock) -> None:
        self.records: list[_Record] = []
        self.dead: list[_Record] = []
        self.store = store
        self.clock = clock
        self.worker = worker
        self.routers: dict[Steps, GestureRouter] = {}
        self._numbers = count(1)
        vars(worker).update(
            router=SimpleNamespace(answer=self._answer),
            queue=SimpleNamespace(
                send_message=self._send, change_message_visibility=lambda **_: None
            ),
            waiting=Waiting(store, clock),
            time=SimpleNamespace(time=clock),
        )

    def put(self, reaction: Reaction) -> None:
        self._add(reaction.to_json(), 0)

    def process(self, router: Router) -> Process:
        return _LambdaProcess(self, router)

    def next_due(self) -> float | None:
        return min((one.due for one in self.records), default=None)

    def repeat(self) -> None:
        for record in self.records:
            if 0 < record.receives < MAX_RECEIVES - 1:
                record.due = min(record.due, self.clock())

    def can_be_received_again(self) -> bool:
        return all(one.receives < MAX_RECEIVES - 1 for one in self.records)

    def receive(self) -> _Record | None:
        """Return a record that nobody else sees until its visibility timeout."""
        due = [one for one in self.records if one.due <= self.clock()]
        if not due:
            return None
        record = min(due, key=lambda one: (one.due, one.number))
        record.receives += 1
        if record.receives > MAX_RECEIVES:
            self.records.remove(record)
            self.dead.append(record)
            return None
        record.due = self.clock() + VISIBILITY_TIMEOUT
        return record

    def delete(self, record: _Record) -> None:
        if record in self.records:
            self.records.remove(record)

    def _add(self, body: str, delay: float) -> None:
        self.records.append(_Record(next(self._numbers), body, self.clock() + delay))

    def _answer(self, gesture: Gesture, deadline: float) -> None:
        self.routers[current_steps()].answer(gesture, deadline)

    def _send(self, **message: Any) -> None:
        current_steps().take(
            "put a reaction back",
            lambda: self._add(message["MessageBody"], message["DelaySeconds"]),
            EndpointConnectionError(endpoint_url="https://sqs"),
        )


class _LambdaProcess:
    def __init__(self, home: LambdaHome, router: Router) -> None:
        self.steps = Steps()
        self._home = home
        self._router = router
        self.restart()

    def take(self) -> Work | None:
        record = self._home.receive()
        return None if record is None else lambda: self._answer(record)

    def restart(self) -> None:
        store: ClaimStore = self._home.store
        self._home.routers[self.steps] = self._router(SteppedStore(store, self.steps), self.steps)

    def _answer(self, record: _Record) -> None:
        queue = self._home.worker.settings.queue_url.rpartition("/")[2]
        received = SqsRecord(str(record.number), "", record.body, record.receives, queue)
        context = SimpleNamespace(get_remaining_time_in_millis=lambda: 30_000)
        try:
            self._home.worker._answer(context, received)
            # Lambda does this itself.
            self.steps.take("delete", lambda: self._home.delete(record), ConnectionError())
        except Exception:
            # It comes back after its visibility timeout.
            return


class StandaloneHome:
    """Two copies of the standalone bot on one file."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self.path = path
        self.clock = clock
        self._database = Database(path)
        self._queue = GestureQueue(self._database)

    def put(self, reaction: Reaction) -> None:
        self._queue.put(reaction)

    def process(self, router: Router) -> Process:
        return _StandaloneProcess(self, router)

    def next_due(self) -> float | None:
        [(due,)] = self._database.query("SELECT MIN(due) FROM gesture", ())
        return None if due is None else float(str(due))

    def repeat(self) -> None:
        """Both copies see everything anyway."""

    def can_be_received_again(self) -> bool:
        return True


class _SteppedQueue(GestureQueue):
    def put_back(self, entry: QueuedGesture, seconds: float) -> None:
        current_steps().take(
            "put a reaction back",
            lambda: super(_SteppedQueue, self).put_back(entry, seconds),
            sqlite3.OperationalError(),
        )

    def remove(self, gesture: Gesture) -> None:
        current_steps().take(
            "delete",
            lambda: super(_SteppedQueue, self).remove(gesture),
            sqlite3.OperationalError(),
        )


class _StandaloneProcess:
    def __init__(self, home: StandaloneHome, router: Router) -> None:
        self.steps = Steps()
        self._home = home
        self._router = router
        self._database: Database | None = None
        self.restart()

    def take(self) -> Work | None:
        entry = self._queue.take()
        return None if entry is None else lambda: self._dispatcher._answer_and_free(entry)

    def restart(self) -> None:
        if self._database is not None:
            self._database.close()
        self._database = Database(self._home.path)
        store = SQLiteStore(self._database, self._home.clock)
        self._queue = _SteppedQueue(self._database)
        self._dispatcher = Dispatcher(
            self._queue,
            self._router(SteppedStore(store, self.steps), self.steps),
            Waiting(store, self._home.clock),
            lambda: None,
        )
