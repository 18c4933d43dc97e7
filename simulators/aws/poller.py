"""Lambda's event source mapping for SQS: poll, batch, invoke, delete what succeeded.

Source: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from simulators import LocalError
from simulators.aws.account import EventSourceMapping
from simulators.aws.runtime import Invocable
from simulators.aws.template import REGION

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import MessageTypeDef

logger = logging.getLogger(__name__)

STOP_TIMEOUT = 60.0
"""Seconds to wait for the current batch when the poller stops."""
MAX_RECEIVED_MESSAGES = 10
"""Maximum number of messages that ReceiveMessage returns."""


class Poller:
    """Polls a queue and invokes a function with batches of its messages.

    The queue itself handles messages that are not deleted: each becomes visible again after
    the visibility timeout, and moves to the dead-letter queue after ``maxReceiveCount``
    receives.

    Parameters
    ----------
    mapping
        The event source mapping.
    function
        The function to invoke.
    queue
        An SQS client with the credentials of the function's execution role.
    concurrency
        Number of concurrent batches, limited by the mapping's maximum concurrency.
    """

    def __init__(
        self,
        mapping: EventSourceMapping,
        function: Invocable,
        queue: SQSClient,
        concurrency: int = 1,
    ) -> None:
        self.mapping = mapping
        self._function = function
        self._queue = queue
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        # Message ID to receipt handle.
        self._failed: dict[str, str] = {}
        self._busy = 0
        self._batches = 0
        self._losses: frozenset[int] = frozenset()
        self._threads = [
            threading.Thread(target=self._run, name=f"poller-{number}", daemon=True)
            for number in range(min(mapping.maximum_concurrency, concurrency))
        ]

    def start(self) -> None:
        """Start polling."""
        for thread in self._threads:
            thread.start()

    @property
    def busy(self) -> bool:
        """Whether a batch is being processed."""
        return self._busy > 0

    def lose_responses(self, batches: Iterable[int]) -> None:
        """Lose what the function responds to certain batches, counted from 0 from now on.

        It was killed after its work, and before Lambda could delete the messages.
        """
        with self._lock:
            self._batches, self._losses = 0, frozenset(batches)

    @property
    def lost_responses(self) -> int:
        """How many of them have been lost so far."""
        with self._lock:
            return sum(number < self._batches for number in self._losses)

    def expire_visibility_timeouts(self) -> int:
        """Expire the visibility timeout of every failed message at once.

        Returns
        -------
        int
            Number of messages made visible again.
        """
        with self._lock:
            failed, self._failed = self._failed, {}
        for handle in failed.values():
            # A message that is visible again or in the dead-letter queue needs no change.
            with suppress(ClientError):
                self._queue.change_message_visibility(
                    QueueUrl=self.mapping.queue_url, ReceiptHandle=handle, VisibilityTimeout=0
                )
        return len(failed)

    def stop(self) -> None:
        """Stop polling, once the current batch is done."""
        self._stopping.set()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(STOP_TIMEOUT)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                batch = self._receive_batch()
            except (BotoCoreError, ClientError) as error:
                if not self._stopping.is_set():
                    logger.warning("polling the queue failed: %s", error)
                    self._stopping.wait(1)
                continue
            if batch:
                self._process(batch)

    def _receive_batch(self) -> list[MessageTypeDef]:
        batch = self._receive(self.mapping.batch_size, wait_seconds=1)
        deadline = time.monotonic() + self.mapping.batching_window
        while batch and len(batch) < self.mapping.batch_size and time.monotonic() < deadline:
            batch += self._receive(self.mapping.batch_size - len(batch), wait_seconds=1)
        return batch

    def _receive(self, max_messages: int, wait_seconds: int) -> list[MessageTypeDef]:
        return self._queue.receive_message(
            QueueUrl=self.mapping.queue_url,
            MaxNumberOfMessages=min(max_messages, MAX_RECEIVED_MESSAGES),
            WaitTimeSeconds=wait_seconds,
            MessageSystemAttributeNames=["All"],
            MessageAttributeNames=["All"],
        ).get("Messages", [])

    def _process(self, batch: list[MessageTypeDef]) -> None:
        with self._lock:
            self._busy += 1
            is_lost = self._batches in self._losses
            self._batches += 1
            # A message that is received again has a new receipt handle.
            for message in batch:
                self._failed.pop(message["MessageId"], None)
        try:
            failed = self._invoke(batch)
            if is_lost:
                failed = frozenset(message["MessageId"] for message in batch)
            for message in batch:
                if message["MessageId"] not in failed:
                    self._queue.delete_message(
                        QueueUrl=self.mapping.queue_url, ReceiptHandle=message["ReceiptHandle"]
                    )
            with self._lock:
                self._failed |= {
                    message["MessageId"]: message["ReceiptHandle"]
                    for message in batch
                    if message["MessageId"] in failed
                }
        except (BotoCoreError, ClientError) as error:
            logger.warning("deleting the messages of a batch failed: %s", error)
        finally:
            with self._lock:
                self._busy -= 1

    def _invoke(self, batch: list[MessageTypeDef]) -> frozenset[str]:
        batch_ids = frozenset(message["MessageId"] for message in batch)
        try:
            response = self._function.invoke(sqs_event(batch, self.mapping.queue_arn))
        # A function that cannot be started again after a crash fails its batch too.
        except LocalError as error:
            logger.warning("a batch of %d failed: %s", len(batch), error)
            return batch_ids
        if not self.mapping.reports_item_failures:
            return frozenset()
        return failed_message_ids(response, batch_ids)


def sqs_event(batch: list[MessageTypeDef], queue_arn: str) -> dict[str, Any]:
    """Return the event in which Lambda passes a batch of SQS messages to a function."""
    return {
        "Records": [
            {
                "messageId": message["MessageId"],
                "receiptHandle": message["ReceiptHandle"],
                "body": message["Body"],
                "attributes": dict(message.get("Attributes", {})),
                "messageAttributes": {},
                "md5OfBody": message["MD5OfBody"],
                "eventSource": "aws:sqs",
                "eventSourceARN": queue_arn,
                "awsRegion": REGION,
            }
            for message in batch
        ]
    }


def failed_message_ids(response: object, batch_ids: frozenset[str]) -> frozenset[str]:
    """Return the IDs of the messages that failed, according to the function's response.

    Parameters
    ----------
    response
        The function's response. The whole batch succeeded if it is null or an empty object,
        or if ``batchItemFailures`` is missing, null or empty.
    batch_ids
        IDs of all messages in the batch, all of which failed if the response is malformed.
    """
    if response is None or response == {}:
        return frozenset()
    if not isinstance(response, dict):
        return batch_ids
    item_failures = response.get("batchItemFailures")
    if item_failures is None:
        return frozenset()
    if not isinstance(item_failures, list):
        return batch_ids
    ids = [one.get("itemIdentifier") if isinstance(one, dict) else None for one in item_failures]
    failed = frozenset(one for one in ids if isinstance(one, str))
    # If an ID is missing, empty or not in the batch, Lambda treats the whole batch as failed.
    is_valid = all(isinstance(one, str) for one in ids) and failed <= batch_ids
    return failed if is_valid else batch_ids
