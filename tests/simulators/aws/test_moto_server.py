"""What moto's queue does not do by itself: keep messages while others are deleted."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from uuid import uuid4

import pytest
from moto.sqs.exceptions import ReceiptHandleIsInvalid
from moto.sqs.models import Message, Queue

from simulators.aws.moto_server import delete_in_place

COUNT = 500


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> Iterator[Queue]:
    monkeypatch.setattr(Queue, "delete_message", Queue.delete_message)
    delete_in_place()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield Queue("queue", "eu-central-1", "123456789012")
    sys.setswitchinterval(interval)


def sent() -> Message:
    message = Message(str(uuid4()), "body", {})
    message.mark_sent()
    return message


def received() -> Message:
    message = sent()
    message.mark_received(visibility_timeout=30)
    return message


def test_no_message_is_lost_while_others_are_deleted(queue: Queue) -> None:
    new = [sent() for _ in range(COUNT)]
    done = [received() for _ in range(COUNT)]
    for message in done:
        queue.add_message(message)

    def send() -> None:
        for message in new:
            queue.add_message(message)

    def delete(messages: list[Message]) -> None:
        for message in messages:
            queue.delete_message(str(message.receipt_handle))

    threads = [
        threading.Thread(target=send),
        threading.Thread(target=delete, args=(done[::2],)),
        threading.Thread(target=delete, args=(done[1::2],)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {one.id for one in queue._messages} == {one.id for one in new}


def test_a_message_can_be_deleted_twice_but_not_with_an_unknown_handle(queue: Queue) -> None:
    message = received()
    queue.add_message(message)
    for _ in range(2):
        queue.delete_message(str(message.receipt_handle))
    assert queue._messages == []
    with pytest.raises(ReceiptHandleIsInvalid):
        queue.delete_message("unknown")
