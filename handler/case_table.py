"""The moderators' cases in DynamoDB, beside the claims.

Each case has an item. Two kinds of items more say what would otherwise take a scan: which cases
are not closed, and which messages of an author became cases lately.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from handler.dynamodb_store import conflicting_item, reachable
from toxic_bot.deployment.table import CASE, CASE_PREFIX, EXPIRATION, KEY
from toxic_bot.slack.answers.claims import StoreUnavailableError
from toxic_bot.slack.cases.case import Case, State
from toxic_bot.slack.telemetry import logger

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

UNCLOSED = f"{CASE_PREFIX}s-unclosed"
"""The item with the cases that are not closed, in a set: when each was opened, and its ID."""

PAGE = 100
"""Items that one call reads at most."""


class CaseTable:
    """A DynamoDB table with cases; implements `toxic_bot.slack.cases.case.CaseStore`.

    Parameters
    ----------
    client
        boto3's DynamoDB client. Its retries are safe: to store the same again succeeds.
    name
        The table's name.
    """

    def __init__(self, client: DynamoDBClient, name: str) -> None:
        self._client = client
        self._name = name

    def open(self, case: Case, since: float, expires_at: int) -> Case:
        """Store a case, numbered, unless it is stored already; return what is stored."""
        with reachable():
            if case.author:
                case = replace(case, number=self._number(case, since))
            try:
                self._put(case, expires_at, f"attribute_not_exists({KEY})")
            except ClientError as error:
                case = Case.from_json(conflicting_item(error)[CASE]["S"])
            self._index(case)
        return case

    def read(self, case: str) -> Case | None:
        """Return a case by its ID; None if it is no longer kept."""
        with reachable():
            return next(self._read([case]), None)

    def change(self, case: Case, expires_at: int) -> bool:
        """Store a new version of a case; return whether it was the next one."""
        with reachable():
            try:
                before = {":before": {"N": str(case.version - 1)}}
                self._put(case, expires_at, "version = :before", before)
            except ClientError as error:
                conflicting_item(error)
                return False
            self._index(case)
        return True

    def unclosed(self) -> Sequence[Case]:
        """Return the cases that are open or taken, the oldest first."""
        with reachable():
            entries = sorted(self._unclosed())
            cases = {
                case.id: case
                for page in _pages(entries)
                for case in self._read([entry.partition("#")[2] for entry in page])
            }
            found = [cases.get(entry.partition("#")[2]) for entry in entries]
            is_gone = (case is None or case.state is State.CLOSED for case in found)
            gone = [entry for entry, is_one in zip(entries, is_gone, strict=True) if is_one]
            if gone:
                # Cases are deleted by time, and DynamoDB knows no index.
                self._update(UNCLOSED, "DELETE #entries :entries", {":entries": {"SS": gone}})
        return [case for case in found if case is not None and case.state is not State.CLOSED]

    def _put(
        self,
        case: Case,
        expires_at: int,
        condition: str,
        values: dict[str, dict[str, str]] | None = None,
    ) -> None:
        stored = {"S": case.to_json()}
        self._client.put_item(
            TableName=self._name,
            Item={
                KEY: {"S": f"{CASE_PREFIX}#{case.id}"},
                CASE: stored,
                "version": {"N": str(case.version)},
                EXPIRATION: {"N": str(expires_at)},
            },
            ConditionExpression=f"{condition} OR {CASE} = :case",
            ExpressionAttributeValues={":case": stored, **(values or {})},
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )

    def _read(self, cases: list[str]) -> Iterator[Case]:
        keys = [f"{CASE_PREFIX}#{case}" for case in cases]
        for item in self._items(keys):
            if int(item[EXPIRATION]["N"]) >= time.time():
                yield Case.from_json(item[CASE]["S"])

    def _items(self, keys: list[str]) -> list[dict[str, Any]]:
        response = self._client.batch_get_item(
            RequestItems={
                self._name: {"Keys": [{KEY: {"S": key}} for key in keys], "ConsistentRead": True}
            }
        )
        if response.get("UnprocessedKeys"):
            logger.warning("the table returned only some of the cases")
            raise StoreUnavailableError
        return response["Responses"].get(self._name, [])

    def _unclosed(self) -> list[str]:
        [item] = self._items([UNCLOSED]) or [{}]
        return list(item.get("entries", {}).get("SS", []))

    def _index(self, case: Case) -> None:
        entry = f"{int(case.opened_at):012d}#{case.id}"
        verb = "DELETE" if case.state is State.CLOSED else "ADD"
        self._update(UNCLOSED, f"{verb} #entries :entries", {":entries": {"SS": [entry]}})

    def _number(self, case: Case, since: float) -> int:
        """Note that a message became a case; return how many of its author's have since."""
        key = f"{CASE_PREFIX}s-of#{case.author}"
        lasts_until = int(case.opened_at + (case.opened_at - since)) + 1
        item = self._update(
            key,
            "ADD #entries :entries SET #expiration = :expires",
            {
                ":entries": {"SS": [f"{int(case.opened_at):012d}#{case.message}"]},
                ":expires": {"N": str(lasts_until)},
            },
        )
        entries = item["entries"]["SS"]
        past = [entry for entry in entries if int(entry.partition("#")[0]) < int(since)]
        if past:
            self._update(key, "DELETE #entries :entries", {":entries": {"SS": past}})
        return len({entry.partition("#")[2] for entry in set(entries) - set(past)})

    def _update(self, key: str, update: str, values: dict[str, Any]) -> dict[str, Any]:
        names = {"#entries": "entries"}
        if "#expiration" in update:
            names["#expiration"] = EXPIRATION
        response = self._client.update_item(
            TableName=self._name,
            Key={KEY: {"S": key}},
            UpdateExpression=update,
            ExpressionAttributeNames=names,
            ExpressionAttributeValues=values,
            ReturnValues="ALL_NEW",
        )
        return dict(response.get("Attributes", {}))


def _pages(entries: Iterable[str]) -> Iterator[list[str]]:
    left = iter(entries)
    while page := list(islice(left, PAGE)):
        yield page
