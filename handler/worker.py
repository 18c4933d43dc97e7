"""The second Lambda function: queue in, verdict out.

The classifier is loaded at module scope, so that warm invocations reuse it.
"""

from __future__ import annotations

import gc

# Hardly anything that is created while the function starts is ever freed.
gc.disable()

import math
import os
import sys
import time
import traceback
from functools import partial
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from handler.case_table import CaseTable
from handler.channel_settings_table import SettingsTable
from handler.clients import create_client
from handler.dynamodb_store import DynamoDBStore
from handler.rehearsed_gesture import UncountingStore, answer_rehearsed
from handler.secrets import SecretReader
from handler.sqs_record import REHEARSAL, SqsRecord, failed_items
from handler.telemetry import count_failure_of_version, powertools, start_telemetry
from handler.tracing import traced
from toxic_bot.deployment.settings import AwsSettings
from toxic_bot.judge.classifier import load
from toxic_bot.judge.errors import ToxicBotError
from toxic_bot.slack.composition import compose
from toxic_bot.slack.fields import MalformedEventError
from toxic_bot.slack.gestures.case_gestures import CaseForm
from toxic_bot.slack.gestures.event_gestures import Reaction
from toxic_bot.slack.gestures.report_gestures import Report
from toxic_bot.slack.gestures.watched_messages import JudgedMessage
from toxic_bot.slack.retry import TryAgainError
from toxic_bot.slack.telemetry import (
    Unit,
    count,
    drop_metrics,
    keyed,
    logger,
    measure,
    metered,
)
from toxic_bot.slack.waiting import QueuedGesture, Waiting
from toxic_bot.slack.web_api.calls import TIMEOUT
from toxic_bot.slack.web_api.client import SlackClient

BOTO = Config(connect_timeout=1, read_timeout=3, retries={"total_max_attempts": 3})

start_telemetry()

EXPECTED_RETURNS = ("ratelimited_", "in_progress", "cooldown")
"""How the reasons begin for which gestures wait although nothing is wrong."""

MIN_SECONDS = 2 * TIMEOUT + 4.0
"""Seconds without which no gesture is begun: a slow read, a slow post and the claims."""

try:
    settings = AwsSettings.from_environment(os.environ)
    classifier = load(settings.model_folder, settings.threads, settings.bot.operating_point)
    if settings.bot.preload:
        classifier.preload()
except ToxicBotError as error:
    sys.exit(f"error: {error}")

queue = create_client("sqs", BOTO)
table = create_client("dynamodb", BOTO)
store = DynamoDBStore(table, settings.claim_table)
waiting = Waiting(store)
bot_token = partial(SecretReader(settings.secret_store, BOTO).read, settings.bot_token_name)
slack = SlackClient(bot_token, settings.bot.slack_api_url)
channel_store = SettingsTable(table, settings.claim_table)
case_store = CaseTable(table, settings.claim_table)
router = compose(slack, classifier, store, channel_store, case_store, settings.bot)
is_cold = True
# Everything created so far stays alive, so the garbage collector can skip it from now on.
gc.freeze()
gc.enable()


@traced(settings.tracing)
@powertools.inject_lambda_context
@metered
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer a batch of gestures.

    Parameters
    ----------
    event
        A batch from Lambda's event source for SQS; or what the rehearsal of a deployment sends,
        for a gesture that is answered without Slack.
    context
        Lambda's context.

    Returns
    -------
    dict
        The records to return to the queue, as ``batchItemFailures``.
    """
    global is_cold
    if REHEARSAL in event:
        _rehearse()
        return {"batchItemFailures": []}
    count("ColdInvocation" if is_cold else "WarmInvocation")
    is_cold = False
    return failed_items(event, partial(_answer, context))


def _rehearse() -> None:
    try:
        answer_rehearsed(
            bot_token,
            classifier,
            UncountingStore(table, settings.claim_table),
            channel_store,
            case_store,
            settings.bot,
        )
    finally:
        # Nobody was answered.
        drop_metrics()


def _answer(context: LambdaContext, record: SqsRecord) -> None:
    seconds_left = context.get_remaining_time_in_millis() / 1e3
    with keyed(message_id=record.message_id, receives=record.receives):
        try:
            entry = QueuedGesture.from_json(record.body)
        except MalformedEventError as error:
            count("RecordPoisoned")
            count_failure_of_version()
            logger.error(f"record poisoned: {error}")
            if _is_text(record):
                # There is no dead-letter queue for it: it would come back again and again.
                return
            _return_now(record)
            raise
        with keyed(**entry.gesture.log_keys()):
            if record.receives > 1:
                # An earlier receive may have ended without a word: killed, or timed out.
                logger.warning("gesture received again")
            try:
                if seconds_left < MIN_SECONDS:
                    raise TryAgainError("too little time is left", reason="no_time", delay=0)
                router.answer(entry.gesture, deadline=time.time() + seconds_left)
            except TryAgainError as error:
                _wait(record, entry, error)
            except Exception as error:
                count("RecordFailed")
                count_failure_of_version()
                logger.error("gesture failed", error=type(error).__name__, where=_where(error))
                raise


def _wait(record: SqsRecord, entry: QueuedGesture, error: TryAgainError) -> None:
    """Put a gesture back onto the queue as a delayed copy, which uses up no receive."""
    count("EventReturned", reason=error.reason)
    if not error.reason.startswith(EXPECTED_RETURNS):
        count("ReturnedByFault")
    now = time.time()
    # SQS knows only the age of the latest copy.
    measure("GestureAgeSeconds", now - float(entry.gesture.event_ts), unit=Unit.SECONDS)
    if entry.is_exhausted(now):
        logger.error(f"gave up waiting: {error}", reason=error.reason)
        if not isinstance(entry.gesture, (Reaction, JudgedMessage, Report, CaseForm)):
            # Nobody could be answered any more, from the dead-letter queue neither.
            count("GestureAbandoned")
            return
        _return_now(record)
        raise error
    delay = waiting.delay(entry, error)
    left = entry.put_back(delay, error)
    is_text = left.gesture.HOLDS_TEXT or (error.rest is None and _is_text(record))
    try:
        queue.send_message(
            QueueUrl=settings.text_queue_url if is_text else settings.queue_url,
            MessageBody=left.to_json(),
            DelaySeconds=math.ceil(delay),
        )
    except (BotoCoreError, ClientError) as failure:
        # The record itself comes back, after the queue's visibility timeout.
        logger.error(
            f"gesture returned to the queue: {error}",
            reason=error.reason,
            error=type(failure).__name__,
        )
        raise error from failure
    logger.warning(f"gesture waits: {error}", reason=error.reason, delay=round(delay, 1))


def _queue_url(record: SqsRecord) -> str:
    """Return the URL of the queue that a record came from."""
    return settings.text_queue_url if _is_text(record) else settings.queue_url


def _is_text(record: SqsRecord) -> bool:
    """Report whether a record came from the queue of typed texts."""
    return settings.text_queue_url.rpartition("/")[2] == record.queue


def _return_now(record: SqsRecord) -> None:
    """Make a record visible in the queue again at once, on its way to the dead letters."""
    try:
        queue.change_message_visibility(
            QueueUrl=_queue_url(record), ReceiptHandle=record.receipt_handle, VisibilityTimeout=0
        )
    except (BotoCoreError, ClientError) as error:
        # It comes back anyway, after the queue's own visibility timeout.
        logger.warning("the visibility timeout could not be changed", error=type(error).__name__)


def _where(error: Exception) -> str:
    """Return the place of an error, without its message, which may quote a text."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{frame.filename}:{frame.lineno}"
