"""Claims in SQLite: what Powertools does on DynamoDB, without DynamoDB."""

from __future__ import annotations

import time

from aws_lambda_powertools.utilities.idempotency.exceptions import (
    IdempotencyItemAlreadyExistsError,
    IdempotencyItemNotFoundError,
)
from aws_lambda_powertools.utilities.idempotency.persistence.base import BasePersistenceLayer
from aws_lambda_powertools.utilities.idempotency.persistence.datarecord import DataRecord

from standalone.database import Database

# The condition that Powertools puts on DynamoDB: a claim is free when nobody has made it, when
# it has expired, or when the process that worked on it has died.
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


class SQLitePersistenceLayer(BasePersistenceLayer):
    """Powertools idempotency records in a SQLite database.

    Parameters
    ----------
    database
        Holds the claims.
    """

    def __init__(self, database: Database) -> None:
        super().__init__()  # type: ignore[no-untyped-call] # Powertools leaves it untyped
        self._database = database

    def _get_record(self, idempotency_key: str) -> DataRecord:
        rows = self._database.query(
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
        claimed = self._database.change(
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
        if not claimed:
            existing = self._get_record(data_record.idempotency_key)
            raise IdempotencyItemAlreadyExistsError(old_data_record=existing)

    def _update_record(self, data_record: DataRecord) -> None:
        self._database.change(
            "UPDATE claim SET status = ?, expiration = ?, data = ? WHERE id = ?",
            (
                data_record.status,
                data_record.expiry_timestamp,
                data_record.response_data,
                data_record.idempotency_key,
            ),
        )

    def _delete_record(self, data_record: DataRecord) -> None:
        self._database.change("DELETE FROM claim WHERE id = ?", (data_record.idempotency_key,))
