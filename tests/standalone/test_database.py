from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from handler.slack.gestures import Reaction
from handler.waiting import QueuedGesture
from standalone.database import Database, DatabaseError

REACTION = Reaction("Ev1", "1766000000.000200", "T1", "U1", "C1", "1.0", None, "biohazard_sign")


def test_a_queued_reaction_waits_until_it_is_due(tmp_path: Path) -> None:
    database = Database(tmp_path / "bot.sqlite")
    database.enqueue(REACTION)
    database.enqueue(REACTION)
    first = database.next_due()
    assert first == QueuedGesture(REACTION)
    database.put_back(first.put_back(1.0), seconds=60)
    assert database.next_due() is None
    database.put_back(first.put_back(1.0), seconds=-1)
    assert database.next_due() == QueuedGesture(REACTION, waits=1, since=1.0)
    database.remove(REACTION)
    assert database.next_due() is None


def test_a_file_of_version_0_1_keeps_its_queued_reactions(tmp_path: Path) -> None:
    path = tmp_path / "bot.sqlite"
    with sqlite3.connect(path) as old:
        old.executescript(
            "CREATE TABLE claim (id TEXT PRIMARY KEY, status TEXT NOT NULL, "
            "expiration INTEGER NOT NULL, in_progress_expiration INTEGER, data TEXT);"
            "CREATE TABLE reaction (event_id TEXT PRIMARY KEY, body TEXT NOT NULL, "
            "due REAL NOT NULL, tries INTEGER NOT NULL DEFAULT 0);"
        )
        old.execute("INSERT INTO reaction VALUES ('Ev1', ?, 0, 3)", [REACTION.to_json()])
        old.execute("INSERT INTO claim VALUES ('look#1', 'COMPLETED', 9999999999, NULL, '{}')")
    database = Database(path)
    assert database.next_due() == QueuedGesture(REACTION)
    assert database.query("SELECT COUNT(*) FROM claim", ()) == [(0,)]


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not a database, " * 100)
    with pytest.raises(DatabaseError, match=r"notes\.txt"):
        Database(tmp_path / "notes.txt")
