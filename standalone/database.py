"""One SQLite file with the queued gestures and the claims."""

from __future__ import annotations

import sqlite3
import threading
import time
from pathlib import Path

from handler.slack.gestures import Gesture
from handler.waiting import QueuedGesture
from judge.errors import ToxicBotError

_SCHEMA = """
CREATE TABLE IF NOT EXISTS claim (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    status TEXT NOT NULL,
    lapses_at REAL NOT NULL,
    expires_at INTEGER NOT NULL,
    result TEXT NOT NULL DEFAULT ''
);
CREATE TABLE IF NOT EXISTS slot (
    bucket TEXT PRIMARY KEY,
    last REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS tally (
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    amount INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (id, name)
);
CREATE TABLE IF NOT EXISTS budget (
    id TEXT NOT NULL,
    request TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (id, request)
);
CREATE TABLE IF NOT EXISTS vote (
    id TEXT PRIMARY KEY,
    vote TEXT NOT NULL,
    voted_at REAL NOT NULL,
    expires_at INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS channel_settings (
    channel TEXT PRIMARY KEY,
    settings TEXT NOT NULL,
    changed_at REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS gesture (
    event_id TEXT PRIMARY KEY,
    body TEXT NOT NULL,
    due REAL NOT NULL
);
"""


class DatabaseError(ToxicBotError):
    """The SQLite file cannot be opened, or is not one."""


class Database:
    """The SQLite file, with the queue of gestures in it. Safe to share between threads.

    Parameters
    ----------
    path
        Created if missing, with its folder.

    Raises
    ------
    DatabaseError
        When the file cannot be opened or is not a SQLite database.
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._create_tables()
            for table in ("claim", "tally", "budget", "vote"):
                self._connection.execute(
                    f"DELETE FROM {table} WHERE expires_at < ?",  # noqa: S608 - a name from above
                    [int(time.time())],
                )
        except (OSError, sqlite3.Error) as error:
            raise DatabaseError(f"{path} cannot be used ({error}): choose another file") from error

    def _create_tables(self) -> None:
        columns = [row[1] for row in self._connection.execute("PRAGMA table_info(claim)")]
        if "in_progress_expiration" in columns:
            # Written by version 0.1; its claims have no owners.
            self._connection.execute("DROP TABLE claim")
        tables = {row[0] for row in self._connection.execute("SELECT name FROM sqlite_master")}
        if "reaction" in tables:
            # The queue's name when only reactions could ask.
            self._connection.execute("ALTER TABLE reaction RENAME TO gesture")
        self._connection.executescript(_SCHEMA)

    def query(self, statement: str, values: tuple[object, ...]) -> list[tuple[object, ...]]:
        """Run a statement and return its rows."""
        with self._lock:
            return self._connection.execute(statement, values).fetchall()

    def change(self, statement: str, values: tuple[object, ...]) -> int:
        """Run a statement and return how many rows it changed."""
        with self._lock:
            return self._connection.execute(statement, values).rowcount

    def enqueue(self, gesture: Gesture) -> None:
        """Queue a gesture; one that is already queued stays as it is."""
        self.change(
            "INSERT OR IGNORE INTO gesture (event_id, body, due) VALUES (?, ?, ?)",
            (gesture.event_id, QueuedGesture(gesture).to_json(), time.time()),
        )

    def next_due(self) -> QueuedGesture | None:
        """Return the gesture that has been due the longest, if any is due."""
        rows = self.query(
            "SELECT body FROM gesture WHERE due <= ? ORDER BY due LIMIT 1", (time.time(),)
        )
        return QueuedGesture.from_json(str(rows[0][0])) if rows else None

    def put_back(self, entry: QueuedGesture, seconds: float) -> None:
        """Let a gesture wait."""
        self.change(
            "UPDATE gesture SET body = ?, due = ? WHERE event_id = ?",
            (entry.to_json(), time.time() + seconds, entry.gesture.event_id),
        )

    def remove(self, gesture: Gesture) -> None:
        """Remove a gesture from the queue."""
        self.change("DELETE FROM gesture WHERE event_id = ?", (gesture.event_id,))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()
