"""Claims in SQLite follow the same rules as on DynamoDB."""

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


def test_a_claim_is_taken_once_however_many_try(store: SQLitePersistenceLayer) -> None:
    barrier = threading.Barrier(8)

    def claim() -> bool:
        barrier.wait()
        try:
            store._put_record(record("INPROGRESS", time.time() + 60, time.time() + 60))
        except IdempotencyItemAlreadyExistsError:
            return False
        return True

    with ThreadPoolExecutor(8) as executor:
        taken = [attempt.result() for attempt in [executor.submit(claim) for _ in range(8)]]
    assert sum(taken) == 1


def test_a_completed_claim_gives_its_result(store: SQLitePersistenceLayer) -> None:
    store._put_record(record("INPROGRESS", time.time() + 60, time.time() + 60))
    store._update_record(record("COMPLETED", time.time() + 60))
    with pytest.raises(IdempotencyItemAlreadyExistsError) as error:
        store._put_record(record("INPROGRESS", time.time() + 60, time.time() + 60))
    assert error.value.old_data_record is not None
    assert error.value.old_data_record.response_data == '{"a": 1}'


@pytest.mark.parametrize(
    ("status", "expires", "lapses"),
    [("COMPLETED", -5, None), ("INPROGRESS", 60, -5), ("INPROGRESS", -5, 60)],
)
def test_a_claim_that_has_run_out_is_free(
    store: SQLitePersistenceLayer, status: str, expires: float, lapses: float | None
) -> None:
    now = time.time()
    store._put_record(record(status, now + expires, None if lapses is None else now + lapses))
    store._put_record(record("INPROGRESS", now + 60, now + 60))
    assert store._get_record("assessment#1").status == "INPROGRESS"


def test_a_failed_claim_is_deleted(store: SQLitePersistenceLayer) -> None:
    store._put_record(record("INPROGRESS", time.time() + 60, time.time() + 60))
    store._delete_record(record("INPROGRESS", 0))
    with pytest.raises(IdempotencyItemNotFoundError):
        store._get_record("assessment#1")


def test_a_file_that_is_not_a_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear Sir or Madam, " * 100)
    with pytest.raises(DatabaseError, match="choose another file"):
        Database(tmp_path / "letter.txt")
