"""One SQLite file for everything that the standalone bot keeps."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from toxic_bot.judge.errors import ToxicBotError
from toxic_bot.slack.telemetry import logger
from toxic_bot.standalone.private_file import keep_private

CLEAN_VERSION = 1
"""The user version of a file in which nothing of a deleted row has ever stayed."""
ERASE_TIMEOUT = 100
"""Milliseconds for which erasing waits for other processes that read the file."""

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
CREATE TABLE IF NOT EXISTS moderation_case (
    id TEXT PRIMARY KEY,
    author TEXT NOT NULL,
    message TEXT NOT NULL,
    opened_at REAL NOT NULL,
    state TEXT NOT NULL,
    number INTEGER NOT NULL,
    version INTEGER NOT NULL,
    content TEXT NOT NULL,
    expires_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS case_author ON moderation_case (author, opened_at);
CREATE TABLE IF NOT EXISTS gesture (
    event_id TEXT PRIMARY KEY,
    body TEXT NOT NULL,
    due REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS gesture_due ON gesture (due);
"""

_EXPIRED = [
    f"DELETE FROM {table} WHERE expires_at < ?"  # noqa: S608 - a name from here
    for table in ("claim", "tally", "budget", "vote", "moderation_case")
]


class DatabaseError(ToxicBotError):
    """The SQLite file cannot be opened, or is not one."""


@dataclass(frozen=True, slots=True)
class Changed:
    """What a statement has changed.

    Parameters
    ----------
    count
        Number of rows.
    rows
        What it returned, if it says ``RETURNING``.
    """

    count: int
    rows: list[tuple[object, ...]]


@dataclass(slots=True)
class _Change:
    statement: str
    values: tuple[object, ...]
    count: int = 0
    rows: list[tuple[object, ...]] = field(default_factory=list)
    error: Exception | None = None
    is_done: bool = False


class Database:
    """The SQLite file. Safe to share between threads.

    Parameters
    ----------
    path
        Created if missing, with its folder, for the owner only.

    Raises
    ------
    DatabaseError
        When the file cannot be opened or is not a SQLite database.
    """

    def __init__(self, path: Path) -> None:
        self._writing, self._reading = threading.Lock(), threading.Lock()
        # Each is appended before the lock is asked for: whoever holds it commits them all.
        self._pending: deque[_Change] = deque()
        self._path = path
        self._write_ahead_log = path.with_name(f"{path.name}-wal")
        self._is_broken = False
        try:
            keep_private(path)
            self._writer = _connect(path)
            self._writer.execute("PRAGMA journal_mode = WAL")
            # Beside a write-ahead log, a reader does not wait until a commit is on the disk.
            self._reader = _connect(path)
            self._create_tables()
            for statement in _EXPIRED:
                self._writer.execute(statement, [int(time.time())])
            self._clean()
        except (OSError, sqlite3.Error) as error:
            raise DatabaseError(f"{path} cannot be used ({error}): choose another file") from error

    def _create_tables(self) -> None:
        columns = [row[1] for row in self._writer.execute("PRAGMA table_info(claim)")]
        if "in_progress_expiration" in columns:
            # Written by version 0.1; its claims have no owners.
            self._writer.execute("DROP TABLE claim")
        tables = {row[0] for row in self._writer.execute("SELECT name FROM sqlite_master")}
        if "reaction" in tables:
            # The queue's name when only reactions could ask.
            self._writer.execute("ALTER TABLE reaction RENAME TO gesture")
        self._writer.executescript(_SCHEMA)

    def _clean(self) -> None:
        """Erase what earlier processes, or an earlier version, have left of deleted rows."""
        with suppress(sqlite3.OperationalError):  # no room for a copy: the next start tries again
            [[version]] = self._writer.execute("PRAGMA user_version").fetchall()
            if version < CLEAN_VERSION:
                self._writer.execute("VACUUM")
                self._writer.execute(f"PRAGMA user_version = {CLEAN_VERSION}")
        self.erase()

    def erase(self) -> None:
        """Erase what has been deleted from the write-ahead log, too.

        It cannot be done while another process reads, or the disk is full: call it again. What
        there is to erase is told from the file, since another process may have left it, or a
        change that has been undone.
        """
        with suppress(FileNotFoundError), self._reading, self._writing:
            if self._write_ahead_log.stat().st_size > 0:
                self._truncate_write_ahead_log()

    def _truncate_write_ahead_log(self) -> None:
        try:
            self._reader.execute(f"PRAGMA busy_timeout = {ERASE_TIMEOUT}")
            # A checkpoint that does not truncate leaves the log's old pages in it.
            self._reader.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            self._reader.execute("PRAGMA busy_timeout = 5000")
        except sqlite3.Error as error:
            logger.warning("the database could not be tidied", error=type(error).__name__)

    def delete_expired(self) -> None:
        """Delete what is kept for a limited time, once that is over; a start does so, too."""
        for statement in _EXPIRED:
            self.change(statement, (int(time.time()),))

    def query(self, statement: str, values: tuple[object, ...]) -> list[tuple[object, ...]]:
        """Run a statement that changes nothing, and return its rows."""
        with self._reading:
            return self._reader.execute(statement, values).fetchall()

    def change(self, statement: str, values: tuple[object, ...]) -> Changed:
        """Run a statement, and return once what it has changed survives a power failure.

        What several threads change at the same time shares one commit, because a commit waits
        for the disk (group commit).

        Raises
        ------
        Exception
            When nothing has been changed: `sqlite3.Error`, unless a value is the cause.
        """
        change = _Change(statement, values)
        self._pending.append(change)
        with self._writing:
            if not change.is_done:
                self._commit([self._pending.popleft() for _ in range(len(self._pending))])
        if change.error is not None:
            raise change.error
        return Changed(change.count, change.rows)

    def _commit(self, changes: Sequence[_Change]) -> None:
        try:
            if self._is_broken:
                self._writer = _connect(self._path)
                self._is_broken = False
            self._writer.execute("BEGIN IMMEDIATE")
            for change in changes:
                self._run(change)
            self._writer.execute("COMMIT")
        except Exception as error:
            for change in changes:
                change.error = change.error or error
            self._roll_back()
        finally:
            for change in changes:
                change.is_done = True

    def _roll_back(self) -> None:
        try:
            if self._writer.in_transaction:
                self._writer.execute("ROLLBACK")
        except sqlite3.Error as error:
            logger.error("the database was reconnected", error=type(error).__name__)
            self._is_broken = True
            with suppress(sqlite3.Error):
                # Which undoes what it has not committed.
                self._writer.close()

    def _run(self, change: _Change) -> None:
        try:
            cursor = self._writer.execute(change.statement, change.values)
            change.rows = cursor.fetchall()
            change.count = cursor.rowcount
        except Exception as error:
            change.error = error
            if not self._writer.in_transaction:
                # A full disk, say, has undone the changes of the others, too.
                raise

    def close(self) -> None:
        """Close the file."""
        with self._reading, self._writing:
            self._reader.close()
            self._writer.close()


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("PRAGMA temp_store = MEMORY")
    return connection
