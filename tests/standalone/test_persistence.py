"""Claims in SQLite follow the same rules as claims in DynamoDB."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from aws_lambda_powertools.utilities.idempotency.exceptions import (
    IdempotencyItemAlreadyExistsError,
    IdempotencyItemNotFoundError,
)
from aws_lambda_powertools.utilities.idempotency.persistence.datarecord import DataRecord

from standalone.database import Database, DatabaseError
from standalone.persistence import SQLitePersistenceLayer


def record(status: str, expiration: float, in_progress: float | None = None) -> DataRecord:
    return DataRecord(
        idempotency_key="assessment#1",
        status=status,
        expiry_timestamp=int(expiration),
        in_progress_expiry_timestamp=None if in_progress is None else int(in_progress * 1000),
        response_data='{"a": 1}' if status == "COMPLETED" else "",
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SQLitePersistenceLayer]:
    database = Database(tmp_path / "claims.sqlite")
    yield SQLitePersistenceLayer(database)
    database.close()


def test_only_one_of_many_simultaneous_attempts_gets_the_claim(
    store: SQLitePersistenceLayer,
) -> None:
    barrier = threading.Barrier(8)

    def claim() -> bool:
        barrier.wait()
        try:
            store._put_record(record("INPROGRESS", time.time() + 60, time.time() + 60))
        except IdempotencyItemAlreadyExistsError:
            return False
        return True

    with ThreadPoolExecutor(8) as executor:
        attempts = [executor.submit(claim) for _ in range(8)]
        claimed = [attempt.result() for attempt in attempts]
    assert sum(claimed) == 1


def test_a_completed_claim_returns_its_result(store: SQLitePersistenceLayer) -> None:
    store._put_record(record("INPROGRESS", time.time() + 60, time.time() + 60))
    store._update_record(record("COMPLETED", time.time() + 60))
    with pytest.raises(IdempotencyItemAlreadyExistsError) as error:
        store._put_record(record("INPROGRESS", time.time() + 60, time.time() + 60))
    assert error.value.old_data_record is not None
    assert error.value.old_data_record.response_data == '{"a": 1}'


@pytest.mark.parametrize(
    ("status", "expires_in", "in_progress_expires_in"),
    [("COMPLETED", -5, None), ("INPROGRESS", 60, -5), ("INPROGRESS", -5, 60)],
)
def test_an_expired_claim_can_be_made_again(
    store: SQLitePersistenceLayer,
    status: str,
    expires_in: float,
    in_progress_expires_in: float | None,
) -> None:
    now = time.time()
    in_progress = None if in_progress_expires_in is None else now + in_progress_expires_in
    store._put_record(record(status, now + expires_in, in_progress))
    store._put_record(record("INPROGRESS", now + 60, now + 60))
    assert store._get_record("assessment#1").status == "INPROGRESS"


def test_a_deleted_claim_is_gone(store: SQLitePersistenceLayer) -> None:
    store._put_record(record("INPROGRESS", time.time() + 60, time.time() + 60))
    store._delete_record(record("INPROGRESS", 0))
    with pytest.raises(IdempotencyItemNotFoundError):
        store._get_record("assessment#1")


def test_a_file_that_is_not_a_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear Sir or Madam, " * 100)
    with pytest.raises(DatabaseError, match="choose another file"):
        Database(tmp_path / "letter.txt")
