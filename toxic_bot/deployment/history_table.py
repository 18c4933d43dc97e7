"""The past of the table: counts and votes, for the digest.

It is a separate module because only the digest and the operator may scan the table. It imports
no AWS SDK: a function brings botocore's client, an operator boto3's.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from toxic_bot.deployment.table import KEY, counts
from toxic_bot.slack.answers.verdict_counts import PREFIX
from toxic_bot.slack.answers.votes import Vote
from toxic_bot.slack.moderators.figures import History

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class HistoryTable:
    """The table as a `toxic_bot.slack.moderators.figures.HistoryStore`.

    Parameters
    ----------
    client
        A DynamoDB client. Only the digest and the operator may scan the table.
    name
        The table's name.
    reachable
        Entered around the calls, to turn the client's errors into the caller's own.
    """

    def __init__(
        self,
        client: DynamoDBClient,
        name: str,
        reachable: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._client = client
        self._name = name
        self._reachable = reachable

    def history(self, since: float) -> History:
        """Return the days' counts, and the votes since a time in Unix seconds."""
        days: dict[str, dict[str, int]] = {}
        votes: list[Vote] = []
        with self._reachable():
            pages = self._client.get_paginator("scan").paginate(
                TableName=self._name,
                FilterExpression=f"begins_with({KEY}, :day) OR voted_at >= :since",
                ExpressionAttributeValues={
                    ":day": {"S": PREFIX},
                    ":since": {"N": f"{since:.6f}"},
                },
            )
            for page in pages:
                for item in page["Items"]:
                    if "vote" in item:
                        votes.append(Vote(**json.loads(item["vote"]["S"])))
                    else:
                        days[item[KEY]["S"]] = counts(item)
        return History(days, votes)
