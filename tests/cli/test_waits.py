"""What the doctor finds where Slack limits the rate of a method."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from toxic_bot.operator.doctor.finding import CheckError, UncheckedError
from toxic_bot.operator.doctor.waits import LONG, check_waits, check_waits_in_file
from toxic_bot.slack.gestures.event_gestures import HomeVisit
from toxic_bot.slack.retry import RateLimitedError
from toxic_bot.slack.waiting import QueuedGesture, Waiting
from toxic_bot.standalone.database import Database
from toxic_bot.standalone.gesture_queue import GestureQueue
from toxic_bot.standalone.sqlite_store import SQLiteStore

NOW = 1_766_000_000.0


def test_nothing_that_waits_is_nothing_wrong() -> None:
    past = {"chat_update": NOW - 1}
    assert check_waits(0, past, NOW) == "none of Slack's is in force; 0 requests wait"


def test_each_limited_method_is_named_once_the_longest_wait_first() -> None:
    slots = {
        "chat_postMessage#C1": NOW + 5,
        "chat_postMessage#C2": NOW + 9,
        "conversations_replies": NOW + 60,
    }
    assert check_waits(1, slots, NOW) == (
        "Slack limits conversations.replies for 60 s, chat.postMessage for 9 s; 1 request waits"
    )


def test_a_wait_that_is_no_burst_is_reported_with_a_remedy() -> None:
    with pytest.raises(CheckError, match=r"chat\.update for 601 s; 700 requests wait") as caught:
        check_waits(700, {"chat_update": NOW + LONG + 1}, NOW)
    assert "nothing is lost" in caught.value.remedy


def test_the_file_of_a_running_bot_says_what_waits(tmp_path: Path) -> None:
    path = tmp_path / "bot.sqlite"
    database = Database(path)
    queue, waiting = GestureQueue(database), Waiting(SQLiteStore(database))
    queue.put(HomeVisit("Ev1", f"{time.time():.6f}", "T1", "U1"))
    assert "none of Slack's is in force" in check_waits_in_file(path, time.time())
    entry = queue.take()
    assert entry is not None
    delay = waiting.delay(entry, RateLimitedError("chat_update", interval=1.2, delay=50.0))
    queue.put_back(QueuedGesture(entry.gesture), delay)
    found = check_waits_in_file(path, time.time())
    database.close()
    assert found.startswith("Slack limits chat.update for ")
    assert found.endswith("; 1 request waits")


@pytest.mark.parametrize("content", [b"no database", b"nor this, which is longer" * 999])
def test_a_file_that_says_nothing_is_no_finding(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bot.sqlite"
    path.write_bytes(content)
    with pytest.raises(UncheckedError, match=r"bot\.sqlite"):
        check_waits_in_file(path, NOW)
    assert path.read_bytes() == content
