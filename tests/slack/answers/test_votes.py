from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from handler.dynamodb_store import DynamoDBStore
from tests.aws_account import Account, dynamodb
from toxic_bot.slack.answers.verdict_counts import VerdictCounts
from toxic_bot.slack.answers.votes import Vote, Votes
from toxic_bot.slack.composition import Store
from toxic_bot.slack.gestures.clicks import Action, Click, Subject
from toxic_bot.standalone.database import Database
from toxic_bot.standalone.sqlite_store import SQLiteStore

NOON = 1766059200.0
CLICK = Click(
    event_id="1.2.abc",
    event_ts=f"{NOON}00000",
    team="T0001",
    user="U0ASKS",
    channel="C0001",
    action=Action.RIGHT,
    subject=Subject("1766000000.000100", "", "toxic", 0.92, "insult", "0123456789ab"),
    thread=None,
    response_url="https://hooks.slack.com/a",
)


class Stores:
    """A store, and the votes in it."""

    def __init__(self, store: Store, path: Path | None) -> None:
        self.store = store
        self._path = path

    def votes(self) -> list[dict[str, Any]]:
        if self._path is None:
            items = dynamodb().scan(TableName="claims")["Items"]
            return [json.loads(item["vote"]["S"]) for item in items if "vote" in item]
        rows = Database(self._path).query("SELECT vote FROM vote", ())
        return [json.loads(str(row[0])) for row in rows]


@pytest.fixture(params=["dynamodb", "sqlite"])
def stores(request: pytest.FixtureRequest, account: Account, tmp_path: Path) -> Stores:  # noqa: ARG001 - the table must exist
    if request.param == "dynamodb":
        return Stores(DynamoDBStore(dynamodb(), "claims"), None)
    path = tmp_path / "claims.sqlite"
    return Stores(SQLiteStore(Database(path)), path)


def cast(stores: Stores, action: Action, user: str, seconds: float) -> None:
    click = dataclasses.replace(CLICK, action=action, user=user, event_ts=f"{NOON + seconds:.6f}")
    Votes(stores.store, 180, lambda: NOON * 10).cast(click)


def test_a_vote_holds_the_verdict_and_its_model_and_no_text(stores: Stores) -> None:
    cast(stores, Action.WRONG, "U0ASKS", 0)
    [vote] = stores.votes()
    assert set(vote) == {field.name for field in dataclasses.fields(Vote)}
    assert (vote["right"], vote["verdict"], vote["score"]) == (False, "toxic", 0.92)
    assert (vote["kinds"], vote["model"]) == ("insult", "0123456789ab")


def test_each_person_has_one_vote_on_a_message_and_the_last_click_counts(stores: Stores) -> None:
    cast(stores, Action.RIGHT, "U0ASKS", 0)
    cast(stores, Action.WRONG, "U0ASKS", 2)
    cast(stores, Action.RIGHT, "U0ASKS", 1)  # delayed on its way
    cast(stores, Action.RIGHT, "U0OTHER", 0)
    assert {vote["user"]: vote["right"] for vote in stores.votes()} == {
        "U0ASKS": False,
        "U0OTHER": True,
    }


def test_verdicts_are_counted_by_workspace_and_day(stores: Stores) -> None:
    verdict_counts = VerdictCounts(stores.store)
    for verdict in ("toxic", "fine", "fine"):
        verdict_counts.add("T0001", "C0001", verdict, (), NOON)
    verdict_counts.add("T0002", "C0001", "toxic", (), NOON)
    verdict_counts.add("T0001", "C0001", "toxic", (), NOON + 24 * 3600)
    assert dict(verdict_counts.read("T0001", NOON)) == {"toxic": 1, "fine": 2}
    assert sum(verdict_counts.read("T0003", NOON).values()) == 0
