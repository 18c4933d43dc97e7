from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toxic_bot.slack.answers.claims import StoreUnavailableError
from toxic_bot.slack.fields import MalformedEventError
from toxic_bot.slack.gestures.event_gestures import Reaction
from toxic_bot.slack.retry import (
    InProgressError,
    OutcomeUnknownError,
    RateLimitedError,
    TryAgainError,
)
from toxic_bot.slack.waiting import FIRST_DELAY, MAX_DELAY, MAX_WAIT, QueuedGesture, Waiting
from toxic_bot.standalone.database import Database
from toxic_bot.standalone.sqlite_store import SQLiteStore

NOW = 1_766_000_000.0
REACTION = Reaction("Ev1", "1766000000.000200", "T1", "U1", "C1", "1.0", None, "biohazard_sign")
ENTRY = QueuedGesture(REACTION)
FAILURE = TryAgainError("Slack failed", reason="network")


@pytest.fixture
def waiting(tmp_path: Path) -> Waiting:
    return Waiting(SQLiteStore(Database(tmp_path / "claims.sqlite")), lambda: NOW)


def entry(waits: int) -> QueuedGesture:
    return dataclasses.replace(ENTRY, waits=waits)


def test_a_reaction_keeps_how_long_it_has_waited() -> None:
    first = ENTRY.put_back(5.0, FAILURE)
    second = QueuedGesture.from_json(first.to_json()).put_back(100.0, FAILURE)
    assert (second.gesture, second.waits, second.waited) == (REACTION, 2, 105.0)


def test_waits_for_a_rate_limit_do_not_lengthen_the_wait_after_an_error(waiting: Waiting) -> None:
    limit = RateLimitedError("chat_postMessage#C1", interval=1.0, delay=60.0)
    entry = ENTRY
    for _ in range(12):
        entry = QueuedGesture.from_json(entry.put_back(60.0, limit).to_json())
    assert entry.waited == 12 * 60.0
    assert waiting.delay(entry, FAILURE) <= FIRST_DELAY
    assert waiting.delay(entry.put_back(5.0, FAILURE), FAILURE) >= FIRST_DELAY


def test_a_reaction_that_never_waited_is_read() -> None:
    assert QueuedGesture.from_json(REACTION.to_json()) == ENTRY


@pytest.mark.parametrize(
    "field", [{"waits": "2"}, {"waits": None}, {"waited": "long"}, {"waited": []}]
)
def test_a_malformed_wait_is_named(field: dict[str, object]) -> None:
    body = json.dumps(json.loads(ENTRY.to_json()) | field)
    with pytest.raises(MalformedEventError, match="waits"):
        QueuedGesture.from_json(body)


def test_a_reaction_is_given_up_only_after_hours_of_waiting() -> None:
    assert not ENTRY.is_exhausted(NOW)
    assert not ENTRY.put_back(MAX_WAIT, FAILURE).is_exhausted(NOW)
    assert ENTRY.put_back(MAX_WAIT, FAILURE).put_back(1.0, FAILURE).is_exhausted(NOW)


@pytest.mark.parametrize("now", [NOW - 10 * MAX_WAIT, NOW + 10 * MAX_WAIT])
def test_a_clock_that_jumps_makes_no_wait_longer(now: float) -> None:
    waiting = ENTRY.put_back(5.0, FAILURE)
    assert not waiting.is_exhausted(now)


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


@pytest.mark.slow
def test_a_thousand_rate_limited_reactions_wait_in_line(waiting: Waiting) -> None:
    error = RateLimitedError("conversations_replies", interval=0.06, delay=30)
    delays = sorted(waiting.delay(ENTRY, error) for _ in range(1000))
    assert delays[0] == pytest.approx(30)
    assert delays[-1] == pytest.approx(30 + 999 * 0.06, rel=0.01)
