"""Claims and waiting reactions in one SQLite file: the table and the queue without AWS."""

from __future__ import annotations

import sqlite3
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from aws_lambda_powertools.utilities.idempotency.exceptions import (
    IdempotencyItemAlreadyExistsError,
    IdempotencyItemNotFoundError,
)
from aws_lambda_powertools.utilities.idempotency.persistence.base import BasePersistenceLayer
from aws_lambda_powertools.utilities.idempotency.persistence.datarecord import DataRecord

from handler.events import Reaction
from local.errors import LocalError

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
# As Powertools does on DynamoDB: a claim is free when there is none, when it has
# expired, or when whoever was at it has died.
_CLAIM = """
INSERT INTO claim (id, status, expiration, in_progress_expiration) VALUES (?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET
    status = excluded.status,
    expiration = excluded.expiration,
    in_progress_expiration = excluded.in_progress_expiration,
    data = NULL
WHERE claim.expiration < ?
    OR (claim.status = 'INPROGRESS' AND claim.in_progress_expiration < ?)
"""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A reaction that waits for its verdict, and how often it has been tried."""

    reaction: Reaction
    tries: int


class Ledger:
    """The file. Safe to share between threads.

    Parameters
    ----------
    path
        Made if it is not there.

    Raises
    ------
    LocalError
        When it cannot be opened, or is no such file.
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.executescript(_SCHEMA)
            self._database.execute("DELETE FROM claim WHERE expiration < ?", [int(time.time())])
        except (OSError, sqlite3.Error) as error:
            raise LocalError(f"{path} cannot be used ({error}): choose another file") from error

    def execute(self, statement: str, values: tuple[object, ...]) -> list[tuple[object, ...]]:
        """Run a statement and return its rows."""
        with self._lock:
            return self._database.execute(statement, values).fetchall()

    def change(self, statement: str, values: tuple[object, ...]) -> int:
        """Run a statement and return how many rows it changed."""
        with self._lock:
            return self._database.execute(statement, values).rowcount

    def add(self, reaction: Reaction) -> None:
        """Keep a reaction until it has its verdict; one that is kept already stays as it is."""
        self.change(
            "INSERT OR IGNORE INTO reaction (event_id, body, due) VALUES (?, ?, ?)",
            (reaction.event_id, reaction.to_json(), time.time()),
        )

    def next_due(self) -> Waiting | None:
        """Return the reaction that has been due for longest."""
        rows = self.execute(
            "SELECT body, tries FROM reaction WHERE due <= ? ORDER BY due LIMIT 1", (time.time(),)
        )
        if not rows:
            return None
        body, tries = rows[0]
        return Waiting(Reaction.from_json(str(body)), int(str(tries)))

    def put_off(self, reaction: Reaction, seconds: float) -> None:
        """Let a reaction come back later."""
        self.change(
            "UPDATE reaction SET due = ?, tries = tries + 1 WHERE event_id = ?",
            (time.time() + seconds, reaction.event_id),
        )

    def remove(self, reaction: Reaction) -> None:
        """Forget a reaction."""
        self.change("DELETE FROM reaction WHERE event_id = ?", (reaction.event_id,))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()


class ClaimStore(BasePersistenceLayer):
    """Powertools idempotency on a ledger.

    Parameters
    ----------
    ledger
        Where the claims lie.
    """

    def __init__(self, ledger: Ledger) -> None:
        super().__init__()  # type: ignore[no-untyped-call] # Powertools leaves it untyped
        self._ledger = ledger

    def _get_record(self, idempotency_key: str) -> DataRecord:
        rows = self._ledger.execute(
            "SELECT status, expiration, in_progress_expiration, data FROM claim WHERE id = ?",
            (idempotency_key,),
        )
        if not rows:
            raise IdempotencyItemNotFoundError
        status, expiration, in_progress, data = rows[0]
        return DataRecord(
            idempotency_key=idempotency_key,
            status=str(status),
            expiry_timestamp=int(str(expiration)),
            in_progress_expiry_timestamp=None if in_progress is None else int(str(in_progress)),
            response_data="" if data is None else str(data),
        )

    def _put_record(self, data_record: DataRecord) -> None:
        now = time.time()
        taken = self._ledger.change(
            _CLAIM,
            (
                data_record.idempotency_key,
                data_record.status,
                data_record.expiry_timestamp,
                data_record.in_progress_expiry_timestamp,
                int(now),
                int(now * 1000),
            ),
        )
        if not taken:
            old = self._get_record(data_record.idempotency_key)
            raise IdempotencyItemAlreadyExistsError(old_data_record=old)

    def _update_record(self, data_record: DataRecord) -> None:
        self._ledger.change(
            "UPDATE claim SET status = ?, expiration = ?, data = ? WHERE id = ?",
            (
                data_record.status,
                data_record.expiry_timestamp,
                data_record.response_data,
                data_record.idempotency_key,
            ),
        )

    def _delete_record(self, data_record: DataRecord) -> None:
        self._ledger.change("DELETE FROM claim WHERE id = ?", (data_record.idempotency_key,))
