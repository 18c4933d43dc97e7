"""The first Lambda function: HTTP in, queue out.

Slack waits three seconds for a response, cold start included, so this module imports only
what it needs. The model is loaded by the worker.
"""

from __future__ import annotations

import gc

# Hardly anything that is created while the function starts is ever freed.
gc.disable()

import os
import sys
from typing import Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from handler.asked_messages import AskedMessages
from handler.channel_settings_table import ChannelIndex
from handler.clients import create_client
from handler.secrets import SecretReader
from handler.telemetry import count_failure_of_version, start_telemetry
from toxic_bot.deployment.settings import AwsSettings
from toxic_bot.slack.channel_settings import are_used
from toxic_bot.slack.gestures.gesture import Gesture
from toxic_bot.slack.lookups import Lookups
from toxic_bot.slack.request_handler import SlackRequestHandler
from toxic_bot.slack.requests.http import Request
from toxic_bot.slack.retry import TryAgainError
from toxic_bot.slack.settings import SettingsError
from toxic_bot.slack.telemetry import metered

# Two tries fit into the three seconds that Slack waits.
BOTO = Config(connect_timeout=0.5, read_timeout=0.8, retries={"total_max_attempts": 2})

start_telemetry()
try:
    settings = AwsSettings.from_environment(os.environ)
except SettingsError as error:
    sys.exit(f"error: {error}")
secrets = SecretReader(settings.secret_store, BOTO)
queue = create_client("sqs", BOTO)
index = ChannelIndex(lambda: create_client("dynamodb", BOTO), settings.claim_table)
asked = AskedMessages(lambda: create_client("dynamodb", BOTO), settings.claim_table)


def signing_secret(*, fresh: bool) -> str:
    """Return the signing secret."""
    return secrets.read(settings.signing_secret_name, fresh=fresh)


def put(gesture: Gesture) -> None:
    """Send a gesture to its queue.

    Raises
    ------
    TryAgainError
        When SQS cannot be reached or refuses it.
    """
    url = settings.text_queue_url if gesture.HOLDS_TEXT else settings.queue_url
    try:
        queue.send_message(QueueUrl=url, MessageBody=gesture.to_json())
    except (BotoCoreError, ClientError) as error:
        kind = type(error).__name__
        raise TryAgainError(f"the gesture could not be queued: {kind}", reason="queue") from error


lookups = Lookups(was_asked=asked.was_asked)
if are_used(settings.bot.subscription):
    lookups = Lookups(index.asks, asked.was_asked, index.watches)
request_handler = SlackRequestHandler(settings.bot, lookups, signing_secret, put)
# Everything created so far stays alive, so the garbage collector can skip it from now on.
gc.freeze()
gc.enable()


@metered
def handler(event: dict[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG001 - Lambda passes it
    """Respond to one request from Slack; see `SlackRequestHandler.respond`.

    Parameters
    ----------
    event
        An event of API Gateway's HTTP API, payload format 2.0.
    context
        Lambda's context; unused.

    Returns
    -------
    dict
        API Gateway's response.
    """
    response = request_handler.respond(Request.from_event(event))
    if response.status >= 500:
        count_failure_of_version()
    return response.to_event()
