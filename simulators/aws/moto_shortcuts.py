"""Work that moto's server need not repeat with every request.

moto looks up what never changes, and to find one message of a queue it counts all of them several
times over: the more messages wait, the slower each receive becomes.
"""

from __future__ import annotations

import time
from functools import cache, lru_cache
from typing import Any

import moto.core.responses
import moto.sqs.models
from moto import backends
from moto.dynamodb.parsing.expressions import UpdateExpressionParser
from moto.sqs.exceptions import InvalidAttributeName
from moto.sqs.models import Message, Queue, SQSBackend


def save_work() -> None:
    """Replace the slow ways of moto by equivalent ones."""
    # Uncached, moto scans its package folder on every request.
    services = list(backends.list_of_moto_modules())
    backends.list_of_moto_modules = lambda: services
    for module in (moto.core.responses, moto.sqs.models):
        module.camelcase_to_underscores = cache(module.camelcase_to_underscores)
    moto.core.responses.method_names_from_class = cache(moto.core.responses.method_names_from_class)
    # Each update is parsed twice; what changes a parsed one copies it first.
    UpdateExpressionParser.make = lru_cache(maxsize=1000)(UpdateExpressionParser.make)
    # It looks at the clock by way of dates, and for each message of a queue again.
    moto.sqs.models.unix_time = time.time
    moto.sqs.models.unix_time_millis = _milliseconds
    Queue.messages = property(_visible_messages)
    SQSBackend.get_queue_attributes = _queue_attributes
    SQSBackend.is_message_valid_based_on_retention_period = _is_retained


def _milliseconds() -> float:
    return time.time() * 1e3


def _visible_messages(queue: Any) -> list[Message]:
    now = _milliseconds()
    # A snapshot: other threads add and remove messages.
    return [one for one in list(queue._messages) if one.visible_at < now >= one.delayed_until]


def _queue_attributes(backend: Any, queue_name: str, attribute_names: list[str]) -> dict[str, Any]:
    queue = backend.get_queue(queue_name)
    valid = {"All", *queue.BASE_ATTRIBUTES, *queue.FIFO_ATTRIBUTES, *queue.KMS_ATTRIBUTES}
    for name in attribute_names:
        if name not in valid:
            raise InvalidAttributeName(name)
    if not attribute_names:
        return {}
    attributes = queue.attributes
    if "All" in attribute_names:
        return dict(attributes)
    return {name: attributes[name] for name in attribute_names if attributes.get(name) is not None}


def _is_retained(backend: Any, queue_name: str, message: Message) -> bool:
    period = backend.get_queue(queue_name).message_retention_period
    return bool(period + message.sent_timestamp / 1000 > time.time())
