from __future__ import annotations

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from toxic_bot.slack.gestures.event_gestures import Reaction
from toxic_bot.slack.waiting import QueuedGesture
from toxic_bot.standalone.database import Database, DatabaseError
from toxic_bot.standalone.gesture_queue import GestureQueue

REACTION = Reaction("Ev1", "1766000000.000200", "T1", "U1", "C1", "1.0", None, "biohazard_sign")


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
    assert GestureQueue(database).take() == QueuedGesture(REACTION)
    assert database.query("SELECT COUNT(*) FROM claim", ()) == [(0,)]


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not a database, " * 100)
    with pytest.raises(DatabaseError, match=r"notes\.txt"):
        Database(tmp_path / "notes.txt")


ADD = "INSERT INTO slot (bucket, last) VALUES (?, ?) RETURNING last"


def test_what_threads_change_together_is_stored_and_each_gets_its_own_rows(
    tmp_path: Path,
) -> None:
    database = Database(tmp_path / "bot.sqlite")
    with ThreadPoolExecutor(16) as threads:
        changes = threads.map(lambda n: database.change(ADD, (f"b{n}", float(n))), range(500))
        assert [change.rows for change in changes] == [[(float(n),)] for n in range(500)]
    database.close()
    reopened = Database(tmp_path / "bot.sqlite")
    assert reopened.query("SELECT COUNT(*) FROM slot", ()) == [(500,)]


def test_changes_that_arrive_during_a_commit_share_the_next(tmp_path: Path) -> None:
    path = tmp_path / "bot.sqlite"
    database = Database(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        statements: list[str] = []
        database._writer.set_trace_callback(statements.append)
        with ThreadPoolExecutor(16) as threads:
            changes = [threads.submit(database.change, ADD, (f"b{n}", 0.0)) for n in range(16)]
            while "BEGIN IMMEDIATE" not in statements or len(database._pending) < 15:
                time.sleep(0.001)
            other.execute("COMMIT")
            assert all(change.result().rows == [(0.0,)] for change in changes)
    assert statements.count("COMMIT") == 2


def test_a_change_that_fails_does_not_undo_its_neighbors(tmp_path: Path) -> None:
    database = Database(tmp_path / "bot.sqlite")
    database.change(ADD, ("taken", 0.0))

    def add(bucket: str) -> str:
        try:
            return str(database.change(ADD, (bucket, 1.0)).rows)
        except sqlite3.IntegrityError as error:
            return type(error).__name__

    buckets = ["taken" if n % 5 == 0 else f"b{n}" for n in range(200)]
    with ThreadPoolExecutor(16) as threads:
        results = list(threads.map(add, buckets))
    assert [result == "IntegrityError" for result in results] == [n % 5 == 0 for n in range(200)]
    assert database.query("SELECT COUNT(*) FROM slot", ()) == [(161,)]


def test_a_full_disk_fails_the_changes_and_the_file_goes_on(tmp_path: Path) -> None:
    database = Database(tmp_path / "bot.sqlite")
    [[pages]] = database.query("PRAGMA page_count", ())
    database._writer.execute(f"PRAGMA max_page_count = {pages}")
    failed = 0
    for number in range(300):
        try:
            database.change(ADD, (f"{number:0500}", 0.0))
        except sqlite3.OperationalError:
            failed += 1
    assert 0 < failed < 300
    database._writer.execute("PRAGMA max_page_count = 100000")
    assert database.change(ADD, ("more", 0.0)).count == 1
    assert database.query("SELECT COUNT(*) FROM slot", ()) == [(301 - failed,)]


def test_a_rollback_that_fails_hides_no_error_and_the_file_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "bot.sqlite"
    database = Database(path)
    database.change("CREATE TABLE parent (id TEXT PRIMARY KEY)", ())
    database.change(
        "CREATE TABLE child (id TEXT REFERENCES parent DEFERRABLE INITIALLY DEFERRED)", ()
    )
    writer = database._writer
    writer.execute("PRAGMA foreign_keys = ON")

    def deny_rollback(action: int, operation: str | None, *_: object) -> int:
        is_rollback = action == sqlite3.SQLITE_TRANSACTION and operation == "ROLLBACK"
        return sqlite3.SQLITE_DENY if is_rollback else sqlite3.SQLITE_OK

    writer.set_authorizer(deny_rollback)
    with ThreadPoolExecutor(9) as threads:
        with database._writing:
            # One commit of all: it fails, because of a child without parent.
            changes = [threads.submit(database.change, ADD, (f"b{n}", 0.0)) for n in range(8)]
            changes.append(threads.submit(database.change, "INSERT INTO child VALUES ('x')", ()))
            while len(database._pending) < len(changes):
                time.sleep(0.001)
        for change in changes:
            with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
                change.result()
    assert database.change(ADD, ("more", 0.0)).rows == [(0.0,)]
    assert database.query("SELECT COUNT(*) FROM child", ()) == [(0,)]
    assert database.query("SELECT bucket FROM slot", ()) == [("more",)]
    with pytest.raises(sqlite3.ProgrammingError):
        writer.execute("SELECT 1")


def test_a_value_that_sqlite_cannot_hold_fails_alone(tmp_path: Path) -> None:
    database = Database(tmp_path / "bot.sqlite")
    for value in ("\ud800", 2**70):
        with pytest.raises((UnicodeEncodeError, OverflowError)):
            database.change(ADD, (value, 0.0))
    assert database.change(ADD, ("more", 0.0)).count == 1
    database.close()
    assert Database(tmp_path / "bot.sqlite").query("SELECT bucket FROM slot", ()) == [("more",)]


def test_what_has_expired_is_deleted_while_the_bot_runs(tmp_path: Path) -> None:
    database = Database(tmp_path / "bot.sqlite")
    insert = "INSERT INTO claim (id, owner, status, lapses_at, expires_at) VALUES (?, '', '', 0, ?)"
    database.change(insert, ("old", 1))
    database.change(insert, ("current", 2**40))
    database.delete_expired()
    assert database.query("SELECT id FROM claim", ()) == [("current",)]
