"""One SQLite file with the queued reactions and the claims."""

from __future__ import annotations

import sqlite3
import threading
import time
from pathlib import Path

from handler.slack.events import Reaction
from handler.waiting import WaitingReaction
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
CREATE TABLE IF NOT EXISTS reaction (
    event_id TEXT PRIMARY KEY,
    body TEXT NOT NULL,
    due REAL NOT NULL
);
"""


class DatabaseError(ToxicBotError):
    """The SQLite file cannot be opened, or is not one."""


class Database:
    """The SQLite file, with the queue of reactions in it. Safe to share between threads.

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
            self._connection.execute("DELETE FROM claim WHERE expires_at < ?", [int(time.time())])
        except (OSError, sqlite3.Error) as error:
            raise DatabaseError(f"{path} cannot be used ({error}): choose another file") from error

    def _create_tables(self) -> None:
        columns = [row[1] for row in self._connection.execute("PRAGMA table_info(claim)")]
        if "in_progress_expiration" in columns:
            # Written by version 0.1; its claims have no owners.
            self._connection.execute("DROP TABLE claim")
        self._connection.executescript(_SCHEMA)

    def query(self, statement: str, values: tuple[object, ...]) -> list[tuple[object, ...]]:
        """Run a statement and return its rows."""
        with self._lock:
            return self._connection.execute(statement, values).fetchall()

    def change(self, statement: str, values: tuple[object, ...]) -> int:
        """Run a statement and return how many rows it changed."""
        with self._lock:
            return self._connection.execute(statement, values).rowcount

    def enqueue(self, reaction: Reaction) -> None:
        """Queue a reaction; one that is already queued stays as it is."""
        self.change(
            "INSERT OR IGNORE INTO reaction (event_id, body, due) VALUES (?, ?, ?)",
            (reaction.event_id, WaitingReaction(reaction).to_json(), time.time()),
        )

    def next_due(self) -> WaitingReaction | None:
        """Return the reaction that has been due the longest, if any is due."""
        rows = self.query(
            "SELECT body FROM reaction WHERE due <= ? ORDER BY due LIMIT 1", (time.time(),)
        )
        return WaitingReaction.from_json(str(rows[0][0])) if rows else None

    def put_back(self, entry: WaitingReaction, seconds: float) -> None:
        """Let a reaction wait."""
        self.change(
            "UPDATE reaction SET body = ?, due = ? WHERE event_id = ?",
            (entry.to_json(), time.time() + seconds, entry.reaction.event_id),
        )

    def remove(self, reaction: Reaction) -> None:
        """Remove a reaction from the queue."""
        self.change("DELETE FROM reaction WHERE event_id = ?", (reaction.event_id,))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()
