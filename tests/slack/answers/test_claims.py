"""Claims on DynamoDB and on SQLite: each piece of work is done once."""

from __future__ import annotations

import dataclasses
import itertools
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from handler.dynamodb_store import DynamoDBStore
from tests.aws_account import Account, dynamodb
from toxic_bot.slack.answers.claims import (
    Claim,
    Claims,
    ClaimStore,
    Status,
    StoreUnavailableError,
)
from toxic_bot.slack.retry import InProgressError, OutcomeUnknownError, TryAgainError
from toxic_bot.standalone.database import Database
from toxic_bot.standalone.sqlite_store import SQLiteStore

NOW = 1_766_000_000.0


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["DynamoDB", "SQLite"])
def store(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[ClaimStore]:
    if request.param == "DynamoDB":
        request.getfixturevalue("account")
        yield DynamoDBStore(dynamodb(), "claims")
    else:
        database = Database(tmp_path / "claims.sqlite")
        yield SQLiteStore(database, clock)
        database.close()


def claim(owner: str, *, lapses_in: float = 30, expires_in: int = 600) -> Claim:
    return Claim("work", owner, Status.IN_PROGRESS, NOW + lapses_in, int(NOW) + expires_in)


def closed(claim: Claim, result: str = '{"answer": 42}') -> Claim:
    return dataclasses.replace(claim, status=Status.COMPLETED, result=result)


def test_a_claim_is_in_the_way_of_another_owner(store: ClaimStore) -> None:
    first, second = claim("a"), claim("b")
    assert store.make(first, NOW) == first
    held = store.make(second, NOW)
    assert (held.owner, held.status, held.lease_expires_at) == ("a", Status.IN_PROGRESS, NOW + 30)


def test_ones_own_claim_is_recognized_after_a_lost_answer(store: ClaimStore) -> None:
    ours = claim("a")
    store.make(ours, NOW)
    assert store.make(ours, NOW) == ours


@pytest.mark.parametrize("seconds", [31, 700])
def test_a_claim_in_progress_lapses(store: ClaimStore, clock: Clock, seconds: float) -> None:
    store.make(claim("a"), NOW)
    clock.now += seconds
    assert store.make(claim("b"), clock.now).owner == "b"


def test_a_closed_claim_keeps_its_result_until_it_expires(store: ClaimStore) -> None:
    ours = claim("a")
    store.make(ours, NOW)
    assert store.close(closed(ours))
    held = store.make(claim("b"), NOW + 500)
    assert (held.status, held.result) == (Status.COMPLETED, '{"answer": 42}')
    assert store.make(claim("c"), NOW + 601).owner == "c"


def test_only_the_owner_closes_and_releases_a_claim(store: ClaimStore, clock: Clock) -> None:
    first, second = claim("a"), claim("b", lapses_in=70)
    store.make(first, NOW)
    clock.now += 31
    store.make(second, clock.now)
    assert not store.close(closed(first))
    store.release(first)
    assert store.make(claim("c"), clock.now).owner == "b"
    store.release(second)
    assert store.make(claim("c"), clock.now).owner == "c"


def test_of_many_simultaneous_claims_one_is_made(store: ClaimStore) -> None:
    with ThreadPoolExecutor(16) as executor:
        made = executor.map(lambda n: store.make(claim(str(n)), NOW), range(32))
    assert len({one.owner for one in made}) == 1


def test_each_waiting_reaction_gets_a_time_slot_of_its_own(store: ClaimStore) -> None:
    with ThreadPoolExecutor(8) as executor:
        slots = sorted(executor.map(lambda _: store.reserve("posts", NOW, 1.2), range(40)))
    gaps = [later - earlier for earlier, later in itertools.pairwise(slots)]
    assert slots[0] == NOW
    assert min(gaps) > 1.1
    assert slots[-1] < NOW + 40 * 1.25
    assert store.reserve("posts", NOW + 1000, 1.2) == NOW + 1000
    assert store.reserve("reads", NOW, 1.2) == NOW


def do(store: ClaimStore, clock: Clock, work: Any) -> Any:
    return Claims(store, clock).once("work", work, deadline=clock.now + 30, expires_after=600)


def test_work_is_done_once_and_its_result_is_kept(store: ClaimStore, clock: Clock) -> None:
    done = [do(store, clock, lambda number=number: {"number": number}) for number in range(3)]
    assert [(one.result, one.by_us) for one in done] == [
        ({"number": 0}, True),
        ({"number": 0}, False),
        ({"number": 0}, False),
    ]


def test_work_in_progress_is_waited_for_until_its_claim_lapses(
    store: ClaimStore, clock: Clock
) -> None:
    def compete() -> dict[str, Any]:
        clock.now += 10
        with pytest.raises(InProgressError) as caught:
            do(store, clock, dict)
        assert caught.value.delay == pytest.approx(20)
        return {}

    do(store, clock, compete)


def test_work_that_fails_may_be_done_again_at_once(store: ClaimStore, clock: Clock) -> None:
    def fail() -> dict[str, Any]:
        raise TryAgainError("later", reason="network")

    with pytest.raises(TryAgainError):
        do(store, clock, fail)
    assert do(store, clock, dict).by_us


def test_work_of_unknown_outcome_may_be_done_again_only_when_its_claim_has_lapsed(
    store: ClaimStore, clock: Clock
) -> None:
    def fail() -> dict[str, Any]:
        raise OutcomeUnknownError("perhaps", reason="network")

    with pytest.raises(OutcomeUnknownError) as caught:
        do(store, clock, fail)
    assert caught.value.delay == pytest.approx(30)
    with pytest.raises(InProgressError):
        do(store, clock, dict)
    clock.now += 30.1
    assert do(store, clock, dict).by_us


def test_work_counts_as_done_even_if_its_claim_cannot_be_closed(
    store: ClaimStore,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    attempts = []

    def unreachable(one: Claim) -> bool:
        attempts.append(one)
        raise StoreUnavailableError

    monkeypatch.setattr(store, "close", unreachable)
    monkeypatch.setattr(time, "sleep", lambda _: None)
    assert do(store, clock, lambda: {"posted": True}).result == {"posted": True}
    assert len(attempts) == 3
    assert "could not be closed" in capsys.readouterr().out


def test_an_unreachable_table_is_reported_before_any_work(account: Account, clock: Clock) -> None:
    del account
    store = DynamoDBStore(dynamodb(), "no-such-table")
    with pytest.raises(StoreUnavailableError):
        do(store, clock, lambda: pytest.fail("the work was done"))
