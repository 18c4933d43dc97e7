"""The past of the claim table: tallies and votes, for the digest.

It is a module of its own because only the digest may scan the table.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from handler.answer.tallies import PREFIX
from handler.answer.votes import Vote
from handler.claim_table import KEY, counts, reachable
from handler.moderators.figures import History

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class HistoryTable:
    """The claim table as a `handler.moderators.figures.HistoryStore`.

    Parameters
    ----------
    client
        botocore's DynamoDB client.
    name
        The table's name.
    """

    def __init__(self, client: DynamoDBClient, name: str) -> None:
        self._client = client
        self._name = name

    def history(self, since: float) -> History:
        """Return the tallies, and the votes since a time in Unix seconds."""
        tallies: dict[str, dict[str, int]] = {}
        votes: list[Vote] = []
        with reachable():
            pages = self._client.get_paginator("scan").paginate(
                TableName=self._name,
                FilterExpression=f"begins_with({KEY}, :tally) OR voted_at >= :since",
                ExpressionAttributeValues={
                    ":tally": {"S": PREFIX},
                    ":since": {"N": f"{since:.6f}"},
                },
            )
            for page in pages:
                for item in page["Items"]:
                    if "vote" in item:
                        votes.append(Vote(**json.loads(item["vote"]["S"])))
                    else:
                        tallies[item[KEY]["S"]] = counts(item)
        return History(tallies, votes)
