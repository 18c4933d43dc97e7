"""One SQLite file with the queued reactions and the claims."""

from __future__ import annotations

import sqlite3
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from handler.slack.events import Reaction
from judge.errors import ToxicBotError

_SCHEMA = """
CREATE TABLE IF NOT EXISTS claim (
    id TEXT PRIMARY KEY,
    status TEXT NOT NULL,
    expiration INTEGER NOT NULL,
    in_progress_expiration INTEGER,
    data TEXT
);
CREATE TABLE IF NOT EXISTS reaction (
    event_id TEXT PRIMARY KEY,
    body TEXT NOT NULL,
    due REAL NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0
);
"""


class DatabaseError(ToxicBotError):
    """The SQLite file cannot be opened, or is not one."""


@dataclass(frozen=True, slots=True)
class QueuedReaction:
    """A reaction that waits for its verdict.

    Parameters
    ----------
    reaction
        The reaction.
    tries
        How many times it has been tried.
    """

    reaction: Reaction
    tries: int


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
            self._connection.executescript(_SCHEMA)
            self._connection.execute("DELETE FROM claim WHERE expiration < ?", [int(time.time())])
        except (OSError, sqlite3.Error) as error:
            raise DatabaseError(f"{path} cannot be used ({error}): choose another file") from error

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
            (reaction.event_id, reaction.to_json(), time.time()),
        )

    def next_due(self) -> QueuedReaction | None:
        """Return the reaction that has been due the longest, if any is due."""
        rows = self.query(
            "SELECT body, tries FROM reaction WHERE due <= ? ORDER BY due LIMIT 1", (time.time(),)
        )
        if not rows:
            return None
        body, tries = rows[0]
        return QueuedReaction(Reaction.from_json(str(body)), int(str(tries)))

    def postpone(self, reaction: Reaction, seconds: float) -> None:
        """Count a try and make a reaction due again later."""
        self.change(
            "UPDATE reaction SET due = ?, tries = tries + 1 WHERE event_id = ?",
            (time.time() + seconds, reaction.event_id),
        )

    def remove(self, reaction: Reaction) -> None:
        """Remove a reaction from the queue."""
        self.change("DELETE FROM reaction WHERE event_id = ?", (reaction.event_id,))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()
