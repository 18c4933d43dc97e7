"""The claims in SQLite when the clock has been wrong for a while, as on a machine that boots."""

from __future__ import annotations

from pathlib import Path

import pytest

from toxic_bot.slack.answers.claims import Claims
from toxic_bot.slack.retry import InProgressError, OutcomeUnknownError
from toxic_bot.standalone.database import Database
from toxic_bot.standalone.sqlite_store import MAX_LEASE, MIN_LEASE, SQLiteStore

NOW = 1_700_000_000.0
HOUR = 3600.0


class Steady:
    """A steady clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def steady() -> Steady:
    return Steady()


@pytest.fixture
def store(tmp_path: Path, steady: Steady) -> SQLiteStore:
    return SQLiteStore(Database(tmp_path / "bot.sqlite"), steady)


def do(store: SQLiteStore, now: float, *, fails: bool = False, deadline: float = 0.0) -> bool:
    """Do a piece of work; return whether it was done just now."""

    def work() -> dict[str, object]:
        if fails:
            raise OutcomeUnknownError("nobody knows", reason="unknown")
        return {}

    deadline = deadline or now + 40
    return Claims(store, lambda: now).once("w", work, deadline=deadline, expires_after=9999).by_us


def is_held(store: SQLiteStore, now: float) -> bool:
    """Report whether another owner's claim is in the way."""
    try:
        do(store, now)
    except InProgressError:
        return True
    return False


@pytest.mark.parametrize("jump", [-HOUR, HOUR])
def test_a_claim_lapses_after_its_lease_however_the_clock_jumps(
    store: SQLiteStore, steady: Steady, jump: float
) -> None:
    with pytest.raises(OutcomeUnknownError):
        do(store, NOW, fails=True)
    with pytest.raises(InProgressError) as error:
        do(store, NOW + jump)
    assert error.value.delay == pytest.approx(40)
    steady.now += 39
    assert is_held(store, NOW + jump)
    steady.now += 2
    assert do(store, NOW + jump)


@pytest.mark.parametrize(("jump", "lease"), [(HOUR, MIN_LEASE), (-HOUR, MAX_LEASE)])
def test_a_deadline_set_before_the_clock_jumped_makes_a_usual_lease(
    store: SQLiteStore, steady: Steady, jump: float, lease: float
) -> None:
    with pytest.raises(OutcomeUnknownError):
        do(store, NOW + jump, fails=True, deadline=NOW + 40)
    steady.now += lease - 1
    assert is_held(store, NOW)
    steady.now += 2
    assert do(store, NOW)


def test_a_claim_made_before_the_machine_restarted_lapses_after_one_lease(
    store: SQLiteStore, steady: Steady
) -> None:
    with pytest.raises(OutcomeUnknownError):
        do(store, NOW, fails=True)
    steady.now = 10.0
    with pytest.raises(InProgressError) as error:
        do(store, NOW)
    # What was posted last may still arrive.
    assert error.value.delay == pytest.approx(40)
    steady.now += 41
    assert do(store, NOW)


def test_time_slots_taken_while_the_clock_was_ahead_hold_up_nobody(store: SQLiteStore) -> None:
    store.reserve("chat.postMessage", NOW + HOUR, 1.0)
    assert store.reserve("chat.postMessage", NOW, 1.0) == NOW
    assert store.reserve("chat.postMessage", NOW, 1.0) == NOW + 1
