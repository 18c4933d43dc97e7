from __future__ import annotations

from typing import Any

from handler.sqs_record import SqsRecord, failed_items


def batch(*ids: str) -> dict[str, Any]:
    """Lambda's event for a batch (https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html)."""
    return {
        "Records": [
            {
                "messageId": one,
                "receiptHandle": f"handle-{one}",
                "body": f"body-{one}",
                "attributes": {"ApproximateReceiveCount": "3", "SentTimestamp": "1523232000000"},
                "messageAttributes": {},
                "md5OfBody": "",
                "eventSource": "aws:sqs",
                "eventSourceARN": "arn:aws:sqs:us-east-1:123456789012:queue",
                "awsRegion": "us-east-1",
            }
            for one in ids
        ]
    }


def test_each_record_is_handled_with_what_sqs_says_about_it() -> None:
    handled: list[SqsRecord] = []
    assert failed_items(batch("a", "b"), handled.append) == {"batchItemFailures": []}
    assert handled[1] == SqsRecord("b", "handle-b", "body-b", receives=3, queue="queue")
    assert [record.message_id for record in handled] == ["a", "b"]


def test_only_the_records_that_failed_return_to_the_queue() -> None:
    def handle(record: SqsRecord) -> None:
        if record.message_id in ("a", "c"):
            raise ValueError

    assert failed_items(batch("a", "b", "c"), handle) == {
        "batchItemFailures": [{"itemIdentifier": "a"}, {"itemIdentifier": "c"}]
    }


def test_an_empty_batch_has_no_failures() -> None:
    assert failed_items(batch(), print) == {"batchItemFailures": []}
