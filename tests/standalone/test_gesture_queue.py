"""The standalone bot's queue."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from toxic_bot.slack.gestures.event_gestures import Reaction
from toxic_bot.slack.retry import TryAgainError
from toxic_bot.slack.waiting import MAX_DELAY, QueuedGesture
from toxic_bot.standalone.database import Database
from toxic_bot.standalone.gesture_queue import GestureQueue

REACTION = Reaction("Ev1", "1766000000.000200", "T1", "U1", "C1", "1.0", None, "biohazard_sign")


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path / "bot.sqlite")


def test_a_queued_reaction_waits_until_it_is_due(database: Database) -> None:
    queue = GestureQueue(database)
    queue.put(REACTION)
    queue.put(REACTION)
    first = queue.take()
    assert first == QueuedGesture(REACTION)
    queue.put_back(first.put_back(1.0, TryAgainError("Slack failed", reason="network")), seconds=60)
    queue.release(REACTION)
    assert queue.take() is None
    queue.put_back(first.put_back(1.0, TryAgainError("Slack failed", reason="network")), seconds=-1)
    assert queue.take() == QueuedGesture(REACTION, waits=1, waited=1.0)
    queue.remove(REACTION)
    queue.release(REACTION)
    assert queue.take() is None


def test_a_reaction_is_taken_once_until_it_is_released(database: Database) -> None:
    queue = GestureQueue(database)
    other = replace(REACTION, event_id="Ev2")
    for reaction in (REACTION, other):
        queue.put(reaction)
    assert [queue.take(), queue.take(), queue.take()] == [
        QueuedGesture(REACTION),
        QueuedGesture(other),
        None,
    ]
    queue.release(REACTION)
    assert queue.take() == QueuedGesture(REACTION)


def test_a_reaction_that_was_taken_before_a_crash_is_still_queued(
    database: Database, tmp_path: Path
) -> None:
    queue = GestureQueue(database)
    queue.put(REACTION)
    assert queue.take() is not None
    database.close()
    assert GestureQueue(Database(tmp_path / "bot.sqlite")).take() == QueuedGesture(REACTION)


@pytest.mark.parametrize("back", [3600, 10**8])
def test_a_clock_that_is_set_back_holds_up_nothing(
    database: Database, monkeypatch: pytest.MonkeyPatch, back: int
) -> None:
    queue = GestureQueue(database)
    queue.put(REACTION)
    now = time.time()
    monkeypatch.setattr("time.time", lambda: now - back)
    entry = queue.take()
    assert entry == QueuedGesture(REACTION)
    assert queue.take() is None
    queue.put_back(entry, seconds=MAX_DELAY)
    queue.release(REACTION)
    assert queue.take() is None


def test_what_a_later_version_has_queued_is_left_alone(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    database.change("INSERT INTO gesture VALUES ('Ev0', '{\"gesture\": \"wave\"}', 0)", ())
    queue = GestureQueue(database)
    queue.put(REACTION)
    assert queue.take() == QueuedGesture(REACTION)
    assert queue.take() is None
    assert "left alone" in caplog.text
    assert database.query("SELECT COUNT(*) FROM gesture", ()) == [(2,)]
