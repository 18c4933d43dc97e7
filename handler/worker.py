"""The second Lambda function: queue in, verdict out.

The classifier is loaded here, at module scope, so that warm invocations reuse it.
"""

from __future__ import annotations

import gc
import math
import os
import sys
from functools import partial
from typing import Any

import boto3
from aws_lambda_powertools.utilities.batch import (
    BatchProcessor,
    EventType,
    process_partial_response,
)
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.idempotency import DynamoDBPersistenceLayer
from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from handler.answer import Answerer
from handler.claims import Claims
from handler.classifier import load
from handler.errors import MalformedEventError, ToxicBotError, TryAgainError
from handler.events import Reaction
from handler.settings import Settings
from handler.slack import Slack
from handler.telemetry import count, logger, metered, traced
from handler.vault import Vault

BOTO = Config(
    connect_timeout=1,
    read_timeout=3,
    retries={"total_max_attempts": 3},
    # botocore would put together a longer one anew for each call.
    user_agent="toxic-bot",
)

LONGEST_DELAY = 900
"""Seconds for which an event is put off at the most."""

try:
    settings = Settings.from_environment(os.environ)
    classifier = load(settings.model_folder, settings.threads)
except ToxicBotError as error:
    sys.exit(f"error: {error}")

queue = boto3.client("sqs", config=BOTO)
table = boto3.client("dynamodb", config=BOTO)
claims = Claims(lambda: DynamoDBPersistenceLayer(settings.claim_table, boto3_client=table))
slack = Slack(
    partial(Vault(settings.secret_store, BOTO).read, settings.bot_token_name),
    settings.slack_api_url,
)
answerer = Answerer(slack, classifier, claims, settings.answer)
# Otherwise a batch in which every record goes back counts as a crash of the function.
processor = BatchProcessor(EventType.SQS, raise_on_entire_batch_failure=False)
cold = True
# What was made up to here stays: the garbage collector need not look at it in an answer.
gc.freeze()


@traced(settings.tracing)
@logger.inject_lambda_context
@metered
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer a batch of reactions.

    Parameters
    ----------
    event
        What Lambda's event source for SQS sends.
    context
        Lambda's.

    Returns
    -------
    dict
        The records that go back to the queue, as ``batchItemFailures``.
    """
    global cold
    count("ColdInvocation" if cold else "WarmInvocation")
    cold = False
    claims.begin(context)

    def answer(record: SQSRecord) -> None:
        _answer(record, context)

    response: Any = process_partial_response(
        event=event, record_handler=answer, processor=processor, context=context
    )
    failures: dict[str, Any] = response
    return failures


def _answer(record: SQSRecord, context: LambdaContext) -> None:
    def seconds_left() -> float:
        return context.get_remaining_time_in_millis() / 1e3

    try:
        reaction = Reaction.from_json(record.body)
        with logger.append_context_keys(**reaction.log_keys()):
            answerer.answer(reaction, seconds_left)
    except MalformedEventError as error:
        count("RecordPoisoned")
        logger.error(f"record poisoned: {error}", message_id=record.message_id)
        _put_off(record, 0)
        raise
    except TryAgainError as error:
        count("EventReturned", reason=error.reason)
        logger.warning(f"event returned to the queue: {error}", reason=error.reason)
        if error.delay is not None:
            _put_off(record, error.delay)
        raise


def _put_off(record: SQSRecord, delay: float) -> None:
    """Let the queue give a record out again after a delay, in seconds."""
    try:
        queue.change_message_visibility(
            QueueUrl=settings.queue_url,
            ReceiptHandle=record.receipt_handle,
            VisibilityTimeout=min(math.ceil(delay), LONGEST_DELAY),
        )
    except (BotoCoreError, ClientError) as error:
        # It comes back all the same, with the queue's own visibility time-out.
        logger.warning("the visibility could not be changed", error=type(error).__name__)
