"""Which messages were asked about, as the receiver sees them.

Slack reports every edit in the bot's channels, and hardly any is of a message that has an answer.
So the receiver looks for the message's first assessments, at the price of two reads.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cached_property
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from toxic_bot.deployment.table import EXPIRATION, KEY
from toxic_bot.slack.lookups import first_assessments
from toxic_bot.slack.telemetry import logger


class AskedMessages:
    """The messages that somebody has asked about within a week.

    Parameters
    ----------
    create_client
        Returns boto3's DynamoDB client; called when it is first needed.
    table
        The table's name.
    clock
        Returns Unix seconds.
    """

    def __init__(
        self,
        create_client: Callable[[], Any],
        table: str,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._create_client = create_client
        self._table = table
        self._clock = clock

    @cached_property
    def _client(self) -> Any:
        return self._create_client()

    def was_asked(self, channel: str, ts: str) -> bool:
        """Report whether a message was asked about; see `toxic_bot.slack.lookups.Lookups`."""
        try:
            found = self._client.batch_get_item(
                RequestItems={
                    self._table: {
                        "Keys": [{KEY: {"S": one}} for one in first_assessments(channel, ts)],
                        "ConsistentRead": True,
                        "ProjectionExpression": EXPIRATION,
                    }
                }
            )
        except (BotoCoreError, ClientError) as error:
            logger.warning("a message could not be looked up", error=type(error).__name__)
            return True
        now, items = self._clock(), found["Responses"].get(self._table, [])
        is_known = any(float(item[EXPIRATION]["N"]) >= now for item in items)
        return is_known or bool(found.get("UnprocessedKeys"))
