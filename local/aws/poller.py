"""What Lambda's SQS event source does: poll, batch, invoke, delete what succeeded.

Source: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
"""

from __future__ import annotations

import logging
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from local.aws.account import SourceConfig
from local.aws.runtime import Invocable, InvocationError
from local.aws.template import REGION

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import MessageTypeDef

logger = logging.getLogger(__name__)

LONGEST_BATCH = 60.0
"""Seconds that the end of a batch is waited for."""
MOST_OF_ONE_CALL = 10
"""Messages that one ReceiveMessage returns at the most."""


class Poller:
    """Polls a queue and invokes a function with batches of its messages.

    A message that is not deleted stays invisible for the queue's visibility time-out,
    comes back then, and goes to the dead-letter queue after ``maxReceiveCount`` receives:
    the queue does that part itself.

    Parameters
    ----------
    source
        Queue, batch size and window.
    function
        What to invoke.
    queue
        A client of the queue with the credentials of the function's role.
    concurrency
        Batches that run at once, but no more than the source allows.
    """

    def __init__(
        self,
        source: SourceConfig,
        function: Invocable,
        queue: SQSClient,
        concurrency: int = 1,
    ) -> None:
        self.source = source
        self._function = function
        self._queue = queue
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._returned: dict[str, str] = {}
        self._busy = 0
        self._threads = [
            threading.Thread(target=self._run, name=f"poller-{number}", daemon=True)
            for number in range(min(source.concurrency, concurrency))
        ]

    def start(self) -> None:
        """Start polling."""
        for thread in self._threads:
            thread.start()

    @property
    def busy(self) -> bool:
        """Whether a batch is being worked on."""
        return self._busy > 0

    def return_now(self) -> int:
        """Let the visibility time-out of every message that failed pass at once.

        Returns
        -------
        int
            Messages made visible again.
        """
        with self._lock:
            returned, self._returned = self._returned, {}
        for handle in returned.values():
            # One that has come back or gone to the dead-letter queue by itself is no matter.
            with suppress(ClientError):
                self._queue.change_message_visibility(
                    QueueUrl=self.source.queue_url, ReceiptHandle=handle, VisibilityTimeout=0
                )
        return len(returned)

    def stop(self) -> None:
        """Stop polling; a batch that is being worked on is finished first."""
        self._stopping.set()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(LONGEST_BATCH)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                batch = self._receive_batch()
            except (BotoCoreError, ClientError) as error:
                if not self._stopping.is_set():
                    logger.warning("the queue cannot be polled: %s", error)
                    self._stopping.wait(1)
                continue
            if batch:
                self._work_on(batch)

    def _receive_batch(self) -> list[MessageTypeDef]:
        batch = self._receive(self.source.batch_size, wait=1)
        end = time.monotonic() + self.source.window
        while batch and len(batch) < self.source.batch_size and time.monotonic() < end:
            batch += self._receive(self.source.batch_size - len(batch), wait=1)
        return batch

    def _receive(self, most: int, wait: int) -> list[MessageTypeDef]:
        return self._queue.receive_message(
            QueueUrl=self.source.queue_url,
            MaxNumberOfMessages=min(most, MOST_OF_ONE_CALL),
            WaitTimeSeconds=wait,
            MessageSystemAttributeNames=["All"],
            MessageAttributeNames=["All"],
        ).get("Messages", [])

    def _work_on(self, batch: list[MessageTypeDef]) -> None:
        with self._lock:
            self._busy += 1
            # A message received again has a new receipt handle.
            for message in batch:
                self._returned.pop(message["MessageId"], None)
        try:
            failed = self._invoke(batch)
            for message in batch:
                if message["MessageId"] not in failed:
                    self._queue.delete_message(
                        QueueUrl=self.source.queue_url, ReceiptHandle=message["ReceiptHandle"]
                    )
            with self._lock:
                self._returned |= {
                    message["MessageId"]: message["ReceiptHandle"]
                    for message in batch
                    if message["MessageId"] in failed
                }
        except (BotoCoreError, ClientError) as error:
            logger.warning("the batch's messages cannot be deleted: %s", error)
        finally:
            with self._lock:
                self._busy -= 1

    def _invoke(self, batch: list[MessageTypeDef]) -> frozenset[str]:
        everything = frozenset(message["MessageId"] for message in batch)
        try:
            response = self._function.invoke(sqs_event(batch, self.source.queue_arn))
        except InvocationError as error:
            logger.warning("a batch of %d failed: %s", len(batch), error.kind)
            return everything
        if not self.source.partial_failures:
            return frozenset()
        return failures(response, everything)


def sqs_event(batch: list[MessageTypeDef], queue_arn: str) -> dict[str, Any]:
    """Return the event that Lambda makes of a batch of SQS messages."""
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


def failures(response: object, everything: frozenset[str]) -> frozenset[str]:
    """Return which messages of a batch failed, by what the function returned.

    Parameters
    ----------
    response
        What the function returned; nothing, an empty object or an empty list of
        ``batchItemFailures`` mean that all went well.
    everything
        Message ids of the batch: all of them failed when the response is malformed.
    """
    if response is None or response == {}:
        return frozenset()
    if not isinstance(response, dict):
        return everything
    listed = response.get("batchItemFailures")
    if listed is None:
        return frozenset()
    if not isinstance(listed, list):
        return everything
    ids = [one.get("itemIdentifier") if isinstance(one, dict) else None for one in listed]
    failed = frozenset(one for one in ids if isinstance(one, str))
    # An id that is missing, empty or of another batch: Lambda counts all as failed.
    is_sound = all(isinstance(one, str) for one in ids) and failed <= everything
    return failed if is_sound else everything
