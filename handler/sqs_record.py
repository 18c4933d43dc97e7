"""Records of an SQS batch, as Lambda's event source passes them.

Source: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

REHEARSAL = "rehearsal"
"""The key of an event that is no batch: the worker answers a gesture of its own instead."""


@dataclass(frozen=True, slots=True)
class SqsRecord:
    """A message from the queue.

    Parameters
    ----------
    message_id, receipt_handle
        SQS's names for the message and for this receive of it.
    body
        The message itself.
    receives
        How many times it has been received, this time included.
    queue
        Name of the queue that it came from.
    """

    message_id: str
    receipt_handle: str
    body: str
    receives: int
    queue: str

    @classmethod
    def from_event(cls, record: Mapping[str, Any]) -> SqsRecord:
        """Read one of a batch event's ``Records``."""
        return cls(
            message_id=record["messageId"],
            receipt_handle=record["receiptHandle"],
            body=record["body"],
            receives=int(record["attributes"]["ApproximateReceiveCount"]),
            queue=record["eventSourceARN"].rpartition(":")[2],
        )


def failed_items(
    event: Mapping[str, Any], handle: Callable[[SqsRecord], None]
) -> dict[str, list[dict[str, str]]]:
    """Handle each record of a batch, and return Lambda's response for those that failed.

    Powertools has a processor for batches, too. Its import takes a tenth of a cold start, most
    of it for asyncio and for the events of other services.

    Parameters
    ----------
    event
        A batch from Lambda's event source for SQS.
    handle
        Called with each record; whatever it raises returns the record to the queue. It has
        logged the reason.
    """
    failures = []
    for record in map(SqsRecord.from_event, event["Records"]):
        try:
            handle(record)
        except Exception:
            failures.append({"itemIdentifier": record.message_id})
    return {"batchItemFailures": failures}
