"""The claims in DynamoDB.

Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.ConditionExpressions.html
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from toxic_bot.deployment.table import COUNT, EXPIRATION, KEY, counts
from toxic_bot.slack.answers.claims import Claim, Status, StoreUnavailableError
from toxic_bot.slack.answers.votes import Vote
from toxic_bot.slack.telemetry import logger

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

SLOT_LIFETIME = 24 * 3600
"""Seconds for which a time slot is kept; longer than a reaction waits."""

RESERVE_ATTEMPTS = 10
"""Attempts to reserve a slot while other workers reserve theirs."""

_NAMES = {
    "#status": "status",
    "#lapse": "in_progress_expiration",
    "#expiration": EXPIRATION,
    "#owner": "owner",
}
_FREE = (
    f"attribute_not_exists({KEY}) OR #expiration < :now OR #owner = :owner "
    "OR (#status = :in_progress AND #lapse < :now_ms)"
)
_REQUESTS = "requests"
_CONFLICT = "ConditionalCheckFailedException"


class DynamoDBStore:
    """A DynamoDB table of claims; implements `toxic_bot.slack.answers.claims.ClaimStore`.

    Parameters
    ----------
    client
        boto3's DynamoDB client. Its retries are safe: a claim recognizes its owner.
    name
        The table's name.
    """

    def __init__(self, client: DynamoDBClient, name: str) -> None:
        self._client = client
        self._name = name

    def make(self, claim: Claim, now: float) -> Claim:
        """Store a claim, or return the one that is in its way."""
        with reachable():
            try:
                self._client.put_item(
                    TableName=self._name,
                    Item={
                        KEY: {"S": claim.id},
                        "owner": {"S": claim.owner},
                        "status": {"S": claim.status.value},
                        "in_progress_expiration": {"N": str(round(claim.lease_expires_at * 1e3))},
                        EXPIRATION: {"N": str(claim.expires_at)},
                    },
                    ConditionExpression=_FREE,
                    ExpressionAttributeNames=_NAMES,
                    ExpressionAttributeValues={
                        ":now": {"N": str(int(now))},
                        ":now_ms": {"N": str(round(now * 1e3))},
                        ":owner": {"S": claim.owner},
                        ":in_progress": {"S": Status.IN_PROGRESS.value},
                    },
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
            except ClientError as error:
                return _claim(conflicting_item(error))
        return claim

    def close(self, claim: Claim) -> bool:
        """Store the result of a completed claim; return whether its owner still held it."""
        with reachable():
            try:
                self._client.update_item(
                    TableName=self._name,
                    Key={KEY: {"S": claim.id}},
                    UpdateExpression="SET #status = :status, #expiration = :expires, #data = :data",
                    ConditionExpression="#owner = :owner",
                    ExpressionAttributeNames={
                        "#status": "status",
                        "#expiration": EXPIRATION,
                        "#owner": "owner",
                        "#data": "data",
                    },
                    ExpressionAttributeValues={
                        ":status": {"S": claim.status.value},
                        ":expires": {"N": str(claim.expires_at)},
                        ":owner": {"S": claim.owner},
                        ":data": {"S": claim.result},
                    },
                )
            except ClientError as error:
                _reraise_unless_conflict(error)
                return False
        return True

    def release(self, claim: Claim) -> None:
        """Delete a claim if its owner still holds it."""
        with reachable():
            try:
                self._client.delete_item(
                    TableName=self._name,
                    Key={KEY: {"S": claim.id}},
                    ConditionExpression="#owner = :owner",
                    ExpressionAttributeNames={"#owner": "owner"},
                    ExpressionAttributeValues={":owner": {"S": claim.owner}},
                )
            except ClientError as error:
                _reraise_unless_conflict(error)

    def reserve(self, bucket: str, not_before: float, interval: float) -> float:
        """Return the next free time slot of a rate limit, in Unix seconds, and occupy it."""
        with reachable():
            for _ in range(RESERVE_ATTEMPTS):
                slot = self._advance(
                    bucket,
                    "SET slot = slot + :interval, #expiration = :expires",
                    "slot >= :first",
                    {":first": not_before, ":interval": interval},
                ) or self._advance(
                    bucket,
                    "SET slot = :first, #expiration = :expires",
                    "attribute_not_exists(slot) OR slot < :first",
                    {":first": not_before},
                )
                if slot is not None:
                    return slot
        raise StoreUnavailableError

    def add_counts(
        self, key: str, amounts: Mapping[str, int], expires_at: int
    ) -> Mapping[str, int]:
        """Add to some of the counts in an item at once, and return all of them."""
        numbered = list(enumerate(amounts.items()))
        with reachable():
            updated = self._client.update_item(
                TableName=self._name,
                Key={KEY: {"S": key}},
                UpdateExpression=(
                    f"ADD {', '.join(f'#c{number} :c{number}' for number, _ in numbered)} "
                    "SET #expiration = :expires"
                ),
                ExpressionAttributeNames={
                    "#expiration": EXPIRATION,
                    **{f"#c{number}": f"{COUNT}{name}" for number, (name, _) in numbered},
                },
                ExpressionAttributeValues={
                    ":expires": {"N": str(expires_at)},
                    **{f":c{number}": {"N": str(amount)} for number, (_, amount) in numbered},
                },
                ReturnValues="ALL_NEW",
            )
        return counts(updated["Attributes"])

    def spend(self, budget: str, request: str, limit: int, expires_at: int) -> Set[str]:
        """Add a request to a budget unless it is full; return all that are in it then."""
        with reachable():
            try:
                item = self._client.update_item(
                    TableName=self._name,
                    Key={KEY: {"S": budget}},
                    UpdateExpression="ADD #requests :added SET #expiration = :expires",
                    ConditionExpression=(
                        "attribute_not_exists(#requests) OR size(#requests) < :limit "
                        "OR contains(#requests, :request)"
                    ),
                    ExpressionAttributeNames={
                        "#requests": _REQUESTS,
                        "#expiration": EXPIRATION,
                    },
                    ExpressionAttributeValues={
                        ":added": {"SS": [request]},
                        ":request": {"S": request},
                        ":limit": {"N": str(limit)},
                        ":expires": {"N": str(expires_at)},
                    },
                    ReturnValues="ALL_NEW",
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )["Attributes"]
            except ClientError as error:
                item = conflicting_item(error)
        return frozenset(item[_REQUESTS]["SS"])

    def keep_vote(self, vote: Vote, expires_at: int) -> None:
        """Store a vote; a later one of the same person on the same message replaces it."""
        with reachable():
            try:
                self._client.put_item(
                    TableName=self._name,
                    Item={
                        KEY: {"S": vote.id},
                        EXPIRATION: {"N": str(expires_at)},
                        "voted_at": {"N": f"{vote.voted_at:.6f}"},
                        "vote": {"S": json.dumps(asdict(vote))},
                    },
                    ConditionExpression="attribute_not_exists(voted_at) OR voted_at <= :voted_at",
                    ExpressionAttributeValues={":voted_at": {"N": f"{vote.voted_at:.6f}"}},
                )
            except ClientError as error:
                # An earlier click that was delayed.
                _reraise_unless_conflict(error)

    def _advance(
        self, bucket: str, update: str, condition: str, seconds: dict[str, float]
    ) -> float | None:
        """Advance a bucket's last slot and return it; None if another worker was faster."""
        expires = time.time() + SLOT_LIFETIME
        try:
            updated = self._client.update_item(
                TableName=self._name,
                Key={KEY: {"S": f"slot#{bucket}"}},
                UpdateExpression=update,
                ConditionExpression=condition,
                ExpressionAttributeNames={"#expiration": EXPIRATION},
                ExpressionAttributeValues={
                    ":expires": {"N": str(int(expires))},
                    **{name: {"N": f"{value:.3f}"} for name, value in seconds.items()},
                },
                ReturnValues="UPDATED_NEW",
            )
        except ClientError as error:
            _reraise_unless_conflict(error)
            return None
        return float(updated["Attributes"]["slot"]["N"])


@contextmanager
def reachable() -> Iterator[None]:
    """Report every error of DynamoDB as StoreUnavailableError."""
    try:
        yield
    except (BotoCoreError, ClientError) as error:
        logger.warning("a call to the claim table failed", error=_name(error))
        raise StoreUnavailableError from error


def _name(error: BotoCoreError | ClientError) -> str:
    if isinstance(error, ClientError):
        return str(error.response.get("Error", {}).get("Code", "ClientError"))
    return type(error).__name__


def _reraise_unless_conflict(error: ClientError) -> None:
    if _name(error) != _CONFLICT:
        raise error


def conflicting_item(error: ClientError) -> dict[str, Any]:
    """Return the item that was in the way of a write; raise any other error again."""
    _reraise_unless_conflict(error)
    item: dict[str, Any] = dict(error.response).get("Item") or {}  # type: ignore[assignment] # absent from the stubs
    if KEY not in item:
        # DynamoDB returns the item with the error; without it, nothing is known.
        raise error
    return item


def _claim(item: dict[str, Any]) -> Claim:
    def text(name: str) -> str:
        return str(item.get(name, {}).get("S", ""))

    return Claim(
        id=text(KEY),
        owner=text("owner"),
        status=Status(text("status")),
        lease_expires_at=float(item.get("in_progress_expiration", {}).get("N", 0)) / 1e3,
        expires_at=int(item[EXPIRATION]["N"]),
        result=text("data"),
    )
