"""The dead letters of a deployment: what could not be answered, why, and what to do with it.

Neither a dead letter nor a log line contains the text of a message. What was not written by
the receiver may contain anything, so its body is never shown.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from toxic_bot.operator.stack import Deployment, DeploymentError, reason
from toxic_bot.slack.fields import MalformedEventError
from toxic_bot.slack.gestures.gesture import Gesture
from toxic_bot.slack.waiting import MAX_DELAY, QueuedGesture

if TYPE_CHECKING:
    from mypy_boto3_sqs.type_defs import MessageTypeDef

HIDDEN_FOR = 60
"""Seconds for which the messages are hidden from others while they are looked at."""
PAUSE = 1.2
"""Seconds between two reactions that are sent again: Slack allows 50 reads a minute."""
SHOWN_FIELDS = ("reason", "error", "slack_error", "where", "receives")
"""What is shown of a log line, besides its time, level and message."""


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A message in the dead-letter queue.

    Parameters
    ----------
    message_id
        SQS's ID, which the message had on the first queue, too.
    receipt
        What deletes it.
    sent_at
        Unix seconds at which it was first queued.
    gesture
        The reaction or other gesture; None if the receiver did not write the message.
    size
        Bytes of its body.
    """

    message_id: str
    receipt: str = field(repr=False)
    sent_at: float
    gesture: Gesture | None
    size: int

    @classmethod
    def from_message(cls, message: MessageTypeDef) -> DeadLetter:
        """Read what SQS returns."""
        try:
            gesture = QueuedGesture.from_json(message["Body"]).gesture
        except MalformedEventError:
            gesture = None
        return cls(
            message_id=message["MessageId"],
            receipt=message["ReceiptHandle"],
            sent_at=int(message["Attributes"]["SentTimestamp"]) / 1e3,
            gesture=gesture,
            size=len(message["Body"].encode()),
        )

    @property
    def id(self) -> str:
        """The event's ID, or else the message's."""
        return self.gesture.event_id if self.gesture else self.message_id

    def is_called(self, name: str) -> bool:
        """Report whether a name is that of the event or of the message."""
        return name in (self.id, self.message_id)


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of the worker's log about a dead letter.

    Parameters
    ----------
    event_id
        CloudWatch's ID of the line.
    stream
        The log stream that it is in.
    time
        Unix seconds.
    level, message
        What it says.
    fields
        More of what it says: reason, error, place, receives.
    """

    event_id: str
    stream: str
    time: float
    level: str
    message: str
    fields: dict[str, str]

    @classmethod
    def from_event(cls, event: dict[str, Any]) -> LogLine | None:
        """Read one of CloudWatch's events; None if the worker's logger did not write it."""
        try:
            line = json.loads(event["message"])
        except ValueError:
            return None
        if not isinstance(line, dict) or "level" not in line:
            return None
        return cls(
            event_id=str(event["eventId"]),
            stream=str(event["logStreamName"]),
            time=event["timestamp"] / 1e3,
            level=str(line["level"]),
            message=str(line.get("message", "")),
            fields={name: str(line[name]) for name in SHOWN_FIELDS if name in line},
        )


class DeadLetterQueue:
    """The dead-letter queue of a deployment.

    Parameters
    ----------
    deployment
        The stack.
    clock
        Returns Unix seconds.
    """

    def __init__(self, deployment: Deployment, clock: Callable[[], float] = time.time) -> None:
        self._sqs = deployment.client("sqs")
        self._logs = deployment.client("logs")
        self._url = deployment.physical_id("DeadLetterQueue")
        self._queue = deployment.physical_id("Queue")
        self._log_group = deployment.physical_id("WorkerLogs")
        self._clock = clock

    @contextmanager
    def letters(self) -> Iterator[list[DeadLetter]]:
        """Yield all dead letters, oldest first; afterward, others see them again at once.

        Raises
        ------
        DeploymentError
            When the queue cannot be read.
        """
        found: dict[str, DeadLetter] = {}
        with _reachable("the dead-letter queue"):
            while messages := self._receive():
                new = [one for one in messages if one["MessageId"] not in found]
                if not new:
                    # The first ones are visible again: that was a long queue.
                    break
                found |= {one["MessageId"]: DeadLetter.from_message(one) for one in new}
        try:
            yield sorted(found.values(), key=lambda letter: letter.sent_at)
        finally:
            for letter in found.values():
                self._show_again(letter)

    def _receive(self) -> list[MessageTypeDef]:
        return self._sqs.receive_message(
            QueueUrl=self._url,
            MaxNumberOfMessages=10,
            VisibilityTimeout=HIDDEN_FOR,
            # With a wait, SQS asks all of its servers.
            WaitTimeSeconds=1,
            MessageSystemAttributeNames=["SentTimestamp"],
        ).get("Messages", [])

    def _show_again(self, letter: DeadLetter) -> None:
        try:
            self._sqs.change_message_visibility(
                QueueUrl=self._url, ReceiptHandle=letter.receipt, VisibilityTimeout=0
            )
        except (BotoCoreError, ClientError):
            # It was deleted, or becomes visible by itself within a minute.
            return

    def log_lines(self, letter: DeadLetter) -> list[LogLine]:
        """Return what the worker's log says about a dead letter, oldest first.

        Raises
        ------
        DeploymentError
            When the log cannot be read.
        """
        with _reachable("the worker's log"):
            pages = self._logs.get_paginator("filter_log_events").paginate(
                logGroupName=self._log_group,
                startTime=int(letter.sent_at * 1e3),
                # A quoted term: every log line about a reaction has its ID.
                filterPattern=f'"{letter.id}"',
            )
            events = [event for page in pages for event in page["events"]]
        lines = [LogLine.from_event(event) for event in events if letter.id in event["message"]]
        return sorted((line for line in lines if line), key=lambda line: line.time)

    def redrive(self, letters: Sequence[DeadLetter]) -> Iterator[DeadLetter]:
        """Send reactions to the queue again, as if they had just happened; yield each.

        A reaction is deleted here only once it is safe there; if that fails, both remain,
        and the claims keep the answer single. Its waiting time restarts: a copy with
        its old one would come back at the first rate limit. The reactions are spread over
        up to fifteen minutes, at the rate that Slack allows.

        Raises
        ------
        DeploymentError
            When a message cannot be sent or deleted.
        """
        for number, letter in enumerate(letters):
            assert letter.gesture is not None
            with _reachable("the queue"):
                self._sqs.send_message(
                    QueueUrl=self._queue,
                    MessageBody=letter.gesture.to_json(),
                    DelaySeconds=int(min(number * PAUSE, MAX_DELAY)),
                )
                self.delete(letter)
            yield letter

    def delete(self, letter: DeadLetter) -> None:
        """Delete a dead letter.

        Raises
        ------
        DeploymentError
            When it cannot be deleted.
        """
        with _reachable("the dead-letter queue"):
            self._sqs.delete_message(QueueUrl=self._url, ReceiptHandle=letter.receipt)

    def age(self, letter: DeadLetter) -> float:
        """Return the seconds since somebody reacted."""
        since = float(letter.gesture.event_ts) if letter.gesture else letter.sent_at
        return max(0.0, self._clock() - since)


@contextmanager
def _reachable(what: str) -> Iterator[None]:
    try:
        yield
    except (BotoCoreError, ClientError) as error:
        raise DeploymentError(
            f"{what} cannot be used ({reason(error)}): check your AWS credentials and the region"
        ) from error
