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
import time
from typing import Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from handler.aws_clients import create_client
from handler.aws_settings import AwsSettings
from handler.channel_settings import are_used, asks_nowhere
from handler.http import MAX_BODY, Request, Response
from handler.retry import TryAgainError
from handler.secrets import SecretReader
from handler.settings import SettingsError
from handler.settings_table import ChannelEmoji
from handler.slack.events import Challenge, Dropped, parse_callback
from handler.slack.fields import MalformedEventError
from handler.slack.gestures import Gesture, Reaction
from handler.slack.interactions import parse_form
from handler.slack.settings_form import Rejected
from handler.slack.signature import SignatureError, UnsignedError, verify
from handler.telemetry import count, keyed, logger, metered

# Two tries fit into the three seconds that Slack waits.
BOTO = Config(connect_timeout=0.5, read_timeout=0.8, retries={"total_max_attempts": 2})

REFRESH_INTERVAL = 30.0
"""Seconds between two fetches of the signing secret because of wrong signatures, which anybody
can send."""

try:
    settings = AwsSettings.from_environment(os.environ)
except SettingsError as error:
    sys.exit(f"error: {error}")
secrets = SecretReader(settings.secret_store, BOTO)
queue = create_client("sqs", BOTO)
emoji = ChannelEmoji(lambda: create_client("dynamodb", BOTO), settings.claim_table)
asks = emoji.asks if are_used(settings.bot.subscription) else asks_nowhere
refreshed = -REFRESH_INTERVAL
# Everything created so far stays alive, so the garbage collector can skip it from now on.
gc.freeze()
gc.enable()


@metered
def handler(event: dict[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG001 - Lambda passes it
    """Respond to one request from Slack.

    Parameters
    ----------
    event
        An event of API Gateway's HTTP API, payload format 2.0.
    context
        Lambda's context; unused.

    Returns
    -------
    dict
        API Gateway's response. 200 for a gesture that is safely queued, for an event that
        is dropped, for a form that shows its errors and for a challenge; 400 for a malformed
        body; 401 for a bad signature; 413 for a body over 1 MB; 500 when the gesture cannot be
        queued, so that Slack sends it again. It is not to send a 400 or a 413 again, which
        would be no better.
    """
    return _respond(Request.from_event(event)).to_event()


def _respond(request: Request) -> Response:
    if request.oversized:
        return _refuse(413, "body_too_large", f"the body exceeds {MAX_BODY} bytes")
    try:
        _verify(request)
        if "x-slack-retry-num" in request.headers:
            count("RetryReceived")
        callback = _parse(request)
    except UnsignedError as error:
        return _refuse(401, "unsigned", str(error))
    except SignatureError as error:
        return _refuse(401, "signature", str(error))
    except MalformedEventError as error:
        return _refuse(400, "malformed", str(error))
    except TryAgainError as error:
        count("EnqueueFailed")
        logger.error(str(error))
        return Response(500, "try again")
    if isinstance(callback, Challenge):
        return Response(200, callback.challenge)
    if isinstance(callback, Dropped):
        count("EventDropped", reason=callback.reason)
        return Response(200, callback.notice if request.is_form else "dropped")
    if isinstance(callback, Rejected):
        count("EventDropped", reason="form_rejected")
        return Response(200, callback.to_json(), is_json=True)
    return _enqueue(callback, request)


def _parse(request: Request) -> Challenge | Gesture | Dropped | Rejected:
    if not request.is_form:
        return parse_callback(request.body, settings.bot.subscription, asks)
    return parse_form(
        request.body,
        settings.bot.subscription,
        request.headers["x-slack-request-timestamp"],
        settings.bot.slack_api_url,
        settings.bot.wording.language,
    )


def _verify(request: Request) -> None:
    """Check the signature, if need be with a secret that was rotated since it was cached."""
    global refreshed
    try:
        verify(request, secrets.read(settings.signing_secret_name))
    except UnsignedError:
        raise
    except SignatureError:
        now = time.monotonic()
        if now - refreshed < REFRESH_INTERVAL:
            raise
        refreshed = now
        verify(request, secrets.read(settings.signing_secret_name, fresh=True))


def _enqueue(gesture: Gesture, request: Request) -> Response:
    with keyed(**gesture.log_keys()):
        return _send(gesture, request)


def _send(gesture: Gesture, request: Request) -> Response:
    url = settings.text_queue_url if gesture.HOLDS_TEXT else settings.queue_url
    try:
        queue.send_message(QueueUrl=url, MessageBody=gesture.to_json())
    except (BotoCoreError, ClientError) as error:
        count("EnqueueFailed")
        logger.error("the gesture could not be queued", error=type(error).__name__)
        return Response(500, "try again")
    if isinstance(gesture, Reaction):
        count("ReactionEnqueued")
    logger.info("gesture queued", retry=request.headers.get("x-slack-retry-num", "0"))
    # Slack would show the response to a command.
    return Response(200, "" if request.is_form else "queued")


def _refuse(status: int, reason: str, message: str) -> Response:
    count("RequestRefused", reason=reason)
    logger.warning("request refused", reason=reason)
    # A 401 may be sent again: the signing secret may have been rotated a moment ago.
    return Response(status, message, final=status != 401)
