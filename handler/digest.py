"""The fifth Lambda function: posts the weekly digest in the moderators' channel, on a schedule.

It needs no model. If it fails, Lambda tries twice more, and an alarm watches its errors.
"""

from __future__ import annotations

import os
import sys
import time
from datetime import datetime
from functools import partial
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.config import Config

from handler.clients import create_client
from handler.dynamodb_store import DynamoDBStore, reachable
from handler.secrets import SecretReader
from handler.telemetry import start_telemetry
from toxic_bot.deployment.history_table import HistoryTable
from toxic_bot.deployment.settings import AwsSettings
from toxic_bot.slack.answers.claims import Claims
from toxic_bot.slack.moderators.weekly_digest import WeeklyDigest
from toxic_bot.slack.settings import SettingsError
from toxic_bot.slack.telemetry import logger
from toxic_bot.slack.web_api.client import SlackClient

BOTO = Config(connect_timeout=1, read_timeout=10, retries={"total_max_attempts": 3})

start_telemetry()
try:
    settings = AwsSettings.from_environment(os.environ)
except SettingsError as error:
    sys.exit(f"error: {error}")
table = create_client("dynamodb", BOTO)
digest = WeeklyDigest(
    SlackClient(
        partial(SecretReader(settings.secret_store, BOTO).read, settings.bot_token_name),
        settings.bot.slack_api_url,
    ),
    Claims(DynamoDBStore(table, settings.claim_table)),
    HistoryTable(table, settings.claim_table, reachable),
    settings.bot.moderation.channel,
    settings.bot.wording.language,
)


def handler(event: dict[str, Any], context: LambdaContext) -> None:
    """Post the digest, unless this week has one.

    Parameters
    ----------
    event
        EventBridge's; every try has the ``time`` for which it was scheduled.
    context
        Lambda's context.

    Raises
    ------
    ToxicBotError
        When it could not be posted; the message says why.
    """
    if not settings.bot.moderation.channel:
        logger.info("no digest: there is no moderators' channel")
        return
    scheduled = event.get("time")
    moment = datetime.fromisoformat(scheduled).timestamp() if scheduled else time.time()
    digest.post(moment, deadline=time.time() + context.get_remaining_time_in_millis() / 1e3)
