"""The second Lambda function: queue in, verdict out.

The classifier is loaded at module scope, so that warm invocations reuse it.
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

from handler.answer.answerer import Answerer
from handler.answer.claims import Claims
from handler.aws_settings import AwsSettings
from handler.retry import TryAgainError
from handler.secrets import SecretReader
from handler.slack.client import SlackClient
from handler.slack.events import MalformedEventError, Reaction
from handler.telemetry import count, logger, metered
from handler.tracing import traced
from judge.classifier import load
from judge.errors import ToxicBotError

BOTO = Config(
    connect_timeout=1,
    read_timeout=3,
    retries={"total_max_attempts": 3},
    # botocore would assemble a longer one for every call.
    user_agent="toxic-bot",
)

MAX_DELAY = 900
"""Upper bound on the seconds by which an event is postponed."""

try:
    settings = AwsSettings.from_environment(os.environ)
    classifier = load(settings.model_folder, settings.threads)
except ToxicBotError as error:
    sys.exit(f"error: {error}")

queue = boto3.client("sqs", config=BOTO)
table = boto3.client("dynamodb", config=BOTO)
claims = Claims(lambda: DynamoDBPersistenceLayer(settings.claim_table, boto3_client=table))
slack = SlackClient(
    partial(SecretReader(settings.secret_store, BOTO).read, settings.bot_token_name),
    settings.bot.slack_api_url,
)
answerer = Answerer(slack, classifier, claims, settings.bot.answer)
# Otherwise a batch in which every record fails would count as a crash of the function.
processor = BatchProcessor(EventType.SQS, raise_on_entire_batch_failure=False)
is_cold = True
# Everything created so far stays alive, so the garbage collector can skip it from now on.
gc.freeze()


@traced(settings.tracing)
@logger.inject_lambda_context
@metered
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer a batch of reactions.

    Parameters
    ----------
    event
        A batch from Lambda's event source for SQS.
    context
        Lambda's context.

    Returns
    -------
    dict
        The records to return to the queue, as ``batchItemFailures``.
    """
    global is_cold
    count("ColdInvocation" if is_cold else "WarmInvocation")
    is_cold = False
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
        _postpone(record, 0)
        raise
    except TryAgainError as error:
        count("EventReturned", reason=error.reason)
        logger.warning(f"event returned to the queue: {error}", reason=error.reason)
        if error.delay is not None:
            _postpone(record, error.delay)
        raise


def _postpone(record: SQSRecord, delay: float) -> None:
    """Make a record visible in the queue again after ``delay`` seconds."""
    try:
        queue.change_message_visibility(
            QueueUrl=settings.queue_url,
            ReceiptHandle=record.receipt_handle,
            VisibilityTimeout=min(math.ceil(delay), MAX_DELAY),
        )
    except (BotoCoreError, ClientError) as error:
        # It comes back anyway, after the queue's own visibility timeout.
        logger.warning("the visibility timeout could not be changed", error=type(error).__name__)
