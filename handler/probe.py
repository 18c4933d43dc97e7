"""The third Lambda function: sends the request URL a signed challenge, on a schedule.

It goes the way of Slack's own requests, through DNS, TLS, API Gateway, the receiver and the
signing secret. If it fails, so do Slack's; an alarm watches this function's errors.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from botocore.config import Config
from urllib3 import BaseHTTPResponse, PoolManager, Timeout
from urllib3.exceptions import HTTPError

from handler.secrets import SecretReader
from handler.telemetry import start_telemetry
from toxic_bot.deployment.settings import SigningSecretSettings
from toxic_bot.slack.requests.challenge import (
    ChallengeError,
    SignedChallenge,
)
from toxic_bot.slack.settings import SettingsError, read_matching
from toxic_bot.slack.telemetry import logger

SLACK_PATIENCE = 3.0
"""Seconds that Slack waits for a response."""

BOTO = Config(connect_timeout=1, read_timeout=2, retries={"total_max_attempts": 2})

start_telemetry()
try:
    settings = SigningSecretSettings.from_environment(os.environ)
    request_url = read_matching(
        os.environ, "REQUEST_URL", r"https?://\S+", "the URL to which Slack sends events"
    )
except SettingsError as error:
    sys.exit(f"error: {error}")
secrets = SecretReader(settings.store, BOTO)


def handler(event: dict[str, Any], context: object) -> None:  # noqa: ARG001 - Lambda passes them
    """Send one challenge.

    Raises
    ------
    ChallengeError
        When the response is wrong, late or missing.
    """
    started = time.monotonic()
    challenge, response = _send(secrets.read(settings.name))
    if response.status == 401:
        # The secret may have been rotated since it was cached.
        challenge, response = _send(secrets.read(settings.name, fresh=True))
    challenge.check(response.status, response.data.decode("utf-8", "replace"))
    logger.info("challenge answered", milliseconds=round((time.monotonic() - started) * 1e3))


def _send(signing_secret: str) -> tuple[SignedChallenge, BaseHTTPResponse]:
    challenge = SignedChallenge.create(signing_secret)
    # A connection that was kept for a minute may be gone, which would look like a failure.
    with PoolManager(retries=False, timeout=Timeout(total=SLACK_PATIENCE)) as pool:
        try:
            return challenge, pool.request(
                "POST", request_url, body=challenge.body, headers=challenge.headers
            )
        except HTTPError as error:
            raise ChallengeError(
                f"the request URL did not answer within {SLACK_PATIENCE:.0f} seconds "
                f"({type(error).__name__})"
            ) from error
