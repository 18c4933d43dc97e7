"""Cases in both stores: numbered, changed once, listed until closed, deleted in time."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from handler.case_table import UNCLOSED, CaseTable
from tests.aws_account import dynamodb
from toxic_bot.slack.answers.claims import StoreUnavailableError
from toxic_bot.slack.cases.case import DAY, Case, CaseStore, Entry, State
from toxic_bot.slack.gestures.case_gestures import CaseOutcome, Step
from toxic_bot.standalone.case_database import SQLiteCases
from toxic_bot.standalone.database import Database

NOW = time.time()
LATER = int(NOW) + 180 * DAY
SINCE = NOW - 90 * DAY


@pytest.fixture(params=["dynamodb", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[CaseStore]:
    if request.param == "dynamodb":
        request.getfixturevalue("account")
        yield CaseTable(dynamodb(), "claims")
        return
    database = Database(tmp_path / "bot.sqlite")
    yield SQLiteCases(database)
    database.close()


def case(number: int, author: str = "U0WROTE", message: str = "", at: float = NOW) -> Case:
    return Case(
        id=f"{number:016x}",
        opened_at=at,
        reason="insult",
        channel="C0001",
        ts=f"17660000{number:02}.000100",
        message=message or f"message{number}",
        link="https://example.slack.com/archives/C0001/p1",
        author=author,
        reporter="",
        verdict="toxic",
        score=0.93,
        kinds="insult",
    )


def entry(step: Step, user: str = "U0MOD", key: str = "k1") -> Entry:
    return Entry(key, int(NOW), user, step)


def changed(before: Case, after: Case) -> Case:
    return replace(after, version=before.version + 1)


def test_a_case_is_stored_once_and_read_as_it_was_stored(store: CaseStore) -> None:
    stored = store.open(case(1), SINCE, LATER)
    assert stored == replace(case(1), number=1)
    again = store.open(replace(case(1), score=0.1), SINCE, LATER)
    assert again == stored == store.read(stored.id)
    assert store.read(f"{9:016x}") is None


def test_the_messages_of_an_author_are_counted_and_none_of_them_twice(store: CaseStore) -> None:
    past = SINCE - DAY
    numbers = [
        store.open(one, one.opened_at - 90 * DAY, LATER).number
        for one in (
            case(1, at=past),
            case(2),
            case(3, author="U0OTHER"),
            case(4),
            # Two more people report the same message.
            case(5, message="message4"),
            case(6, message="message4"),
            case(7),
            case(8, author=""),
        )
    ]
    assert numbers == [1, 1, 1, 2, 2, 2, 3, 0]


def test_of_two_who_change_the_same_version_one_is_first(store: CaseStore) -> None:
    opened = store.open(case(1), SINCE, LATER)
    ours = changed(opened, opened.taken(entry(Step.TAKE, "U1", "k1")))
    theirs = changed(opened, opened.taken(entry(Step.TAKE, "U2", "k2")))
    assert store.change(ours, LATER)
    assert not store.change(theirs, LATER)
    # Whose response was lost may store it again.
    assert store.change(ours, LATER)
    read = store.read(opened.id)
    assert read == ours
    assert read.taken_by == "U1"


def test_a_case_is_listed_until_it_is_closed_the_oldest_first(store: CaseStore) -> None:
    first = store.open(case(1, at=NOW - 50), SINCE, LATER)
    second = store.open(case(2, at=NOW - 90), SINCE, LATER)
    taken = changed(first, first.taken(entry(Step.TAKE)))
    assert store.change(taken, LATER)
    assert store.unclosed() == [second, taken]
    closed = changed(taken, taken.closed(entry(Step.CLOSE, key="k2"), CaseOutcome.FINE))
    assert store.change(closed, LATER)
    assert store.unclosed() == [second]
    reopened = changed(closed, closed.opened(entry(Step.REOPEN, key="k3")))
    assert store.change(reopened, LATER)
    assert store.unclosed() == [second, reopened]
    assert [one.step for one in reopened.trail] == [Step.TAKE, Step.CLOSE, Step.REOPEN]
    assert reopened.state is State.OPEN


@pytest.mark.long
@pytest.mark.slow
def test_more_cases_than_one_call_returns_are_listed(store: CaseStore) -> None:
    for number in range(105):
        store.open(case(number, at=NOW + number), SINCE, LATER)
    assert [one.id for one in store.unclosed()] == [case(number).id for number in range(105)]


def test_a_case_whose_time_is_over_is_neither_read_nor_listed(store: CaseStore) -> None:
    store.open(case(1), SINCE, int(time.time()) - 5)
    kept = store.open(case(2), SINCE, LATER)
    assert store.read(case(1).id) is None
    for _ in range(2):
        assert store.unclosed() == [kept]


@pytest.mark.usefixtures("account")
def test_what_dynamodb_deletes_by_time_leaves_its_list_too() -> None:
    client = dynamodb()
    store = CaseTable(client, "claims")
    store.open(case(1), SINCE, LATER)
    client.delete_item(TableName="claims", Key={"id": {"S": f"case#{case(1).id}"}})
    assert store.unclosed() == []
    [index] = [
        one for one in client.scan(TableName="claims")["Items"] if one["id"]["S"] == UNCLOSED
    ]
    assert "entries" not in index


def test_sqlite_deletes_a_case_whose_time_is_over(tmp_path: Path) -> None:
    database = Database(tmp_path / "bot.sqlite")
    SQLiteCases(database).open(case(1), SINCE, int(time.time()) - 5)
    database.delete_expired()
    assert database.query("SELECT COUNT(*) FROM moderation_case", ()) == [(0,)]
    database.close()


@pytest.mark.usefixtures("account")
def test_a_table_that_cannot_be_reached_sends_the_gesture_back() -> None:
    store = CaseTable(dynamodb(), "missing")
    for call in (
        lambda: store.open(case(1), SINCE, LATER),
        lambda: store.read(case(1).id),
        lambda: store.change(case(1), LATER),
        store.unclosed,
    ):
        with pytest.raises(StoreUnavailableError):
            call()


def test_what_is_stored_holds_no_field_for_a_text() -> None:
    assert set(json.loads(case(1).to_json())) == {
        *("id", "opened_at", "reason", "channel", "ts", "message", "link", "author", "reporter"),
        *("verdict", "score", "kinds", "state", "taken_by", "outcome", "post", "post_link"),
        *("number", "version", "trail"),
    }
