from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toxic_bot.slack.answers.claims import StoreUnavailableError
from toxic_bot.slack.fields import MalformedEventError
from toxic_bot.slack.gestures import Reaction
from toxic_bot.slack.retry import (
    InProgressError,
    OutcomeUnknownError,
    RateLimitedError,
    TryAgainError,
)
from toxic_bot.slack.waiting import MAX_DELAY, MAX_WAIT, QueuedGesture, Waiting
from toxic_bot.standalone.database import Database
from toxic_bot.standalone.sqlite_store import SQLiteStore

NOW = 1_766_000_000.0
REACTION = Reaction("Ev1", "1766000000.000200", "T1", "U1", "C1", "1.0", None, "biohazard_sign")
ENTRY = QueuedGesture(REACTION)


@pytest.fixture
def waiting(tmp_path: Path) -> Waiting:
    return Waiting(SQLiteStore(Database(tmp_path / "claims.sqlite")), lambda: NOW)


def entry(waits: int) -> QueuedGesture:
    return dataclasses.replace(ENTRY, waits=waits)


def test_a_reaction_keeps_how_long_it_has_waited() -> None:
    first = ENTRY.put_back(NOW)
    second = QueuedGesture.from_json(first.to_json()).put_back(NOW + 100)
    assert (second.gesture, second.waits, second.since) == (REACTION, 2, NOW)


def test_a_reaction_that_never_waited_is_read() -> None:
    assert QueuedGesture.from_json(REACTION.to_json()) == ENTRY


@pytest.mark.parametrize(
    "field", [{"waits": "2"}, {"waits": None}, {"since": "now"}, {"since": []}]
)
def test_a_malformed_wait_is_named(field: dict[str, object]) -> None:
    body = json.dumps(json.loads(ENTRY.to_json()) | field)
    with pytest.raises(MalformedEventError, match="waits"):
        QueuedGesture.from_json(body)


def test_a_reaction_is_given_up_only_after_hours_of_waiting() -> None:
    assert not ENTRY.is_exhausted(NOW + 10 * MAX_WAIT)
    assert not ENTRY.put_back(NOW).is_exhausted(NOW + MAX_WAIT)
    assert ENTRY.put_back(NOW).is_exhausted(NOW + MAX_WAIT + 1)


@given(st.integers(0, 10_000), st.sampled_from([None, 0.0, 3.0, 1e9]))
def test_no_delay_is_negative_or_longer_than_sqs_allows(waits: int, delay: float | None) -> None:
    class Store:
        def reserve(self, *_: object) -> float:
            raise StoreUnavailableError

    chosen = Waiting(Store())  # type: ignore[arg-type] # only its slots are used
    for error in (
        TryAgainError("x", reason="x", delay=delay),
        InProgressError("x", reason="x", delay=delay),
        OutcomeUnknownError("x", reason="x", delay=delay),
        RateLimitedError("b", interval=1.2, delay=delay or 1.0),
    ):
        assert 0 <= chosen.delay(entry(waits), error) <= MAX_DELAY


def test_delays_of_a_repeated_error_grow(waiting: Waiting) -> None:
    error = TryAgainError("Slack failed", reason="network")
    delays = [waiting.delay(entry(waits), error) for waits in range(0, 8, 2)]
    assert delays == sorted(delays)
    assert delays[0] <= 5


def test_a_claim_in_progress_is_looked_at_again_at_the_latest_when_it_lapses(
    waiting: Waiting,
) -> None:
    def delay(waits: int) -> float:
        error = InProgressError("x", reason="in_progress", delay=12)
        return waiting.delay(entry(waits), error)

    assert delay(0) <= 2
    assert 12 <= delay(9) <= 13


def test_a_thousand_rate_limited_reactions_wait_in_line(waiting: Waiting) -> None:
    error = RateLimitedError("conversations_replies", interval=0.06, delay=30)
    delays = sorted(waiting.delay(ENTRY, error) for _ in range(1000))
    assert delays[0] == pytest.approx(30)
    assert delays[-1] == pytest.approx(30 + 999 * 0.06, rel=0.01)
