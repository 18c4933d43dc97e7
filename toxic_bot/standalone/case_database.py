"""The moderators' cases in SQLite."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from toxic_bot.slack.answers.claims import StoreUnavailableError
from toxic_bot.slack.cases.case import Case
from toxic_bot.slack.telemetry import logger
from toxic_bot.standalone.database import Database

_OPEN = """
INSERT INTO moderation_case (id, author, message, opened_at, state, version, content, expires_at,
    number)
SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, CASE ?2 WHEN '' THEN 0 ELSE 1 + (
    SELECT COUNT(DISTINCT message) FROM moderation_case
    WHERE author = ?2 AND message != ?3 AND opened_at >= ?9
) END
WHERE TRUE
ON CONFLICT (id) DO NOTHING
"""
_CHANGE = """
UPDATE moderation_case SET state = ?1, version = ?2, content = ?3, expires_at = ?4
WHERE id = ?5 AND (version = ?2 - 1 OR content = ?3)
"""
_READ = "SELECT content, number FROM moderation_case WHERE id = ? AND expires_at >= ?"
_UNCLOSED = """
SELECT content, number FROM moderation_case WHERE state != 'closed' AND expires_at >= ?
ORDER BY opened_at
"""


class SQLiteCases:
    """Cases in a SQLite database; implements `toxic_bot.slack.cases.case.CaseStore`.

    Parameters
    ----------
    database
        Holds them.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def open(self, case: Case, since: float, expires_at: int) -> Case:
        """Store a case, numbered, unless it is stored already; return what is stored."""
        with _reachable():
            self._database.change(
                _OPEN,
                (
                    case.id,
                    case.author,
                    case.message,
                    case.opened_at,
                    case.state.value,
                    case.version,
                    case.to_json(),
                    expires_at,
                    since,
                ),
            )
            rows = self._database.query(_READ, (case.id, 0))
        if not rows:
            # It has expired in between, and will not be opened again.
            raise StoreUnavailableError
        return _case(rows[0])

    def read(self, case: str) -> Case | None:
        """Return a case by its ID; None if it is no longer kept."""
        with _reachable():
            rows = self._database.query(_READ, (case, time.time()))
        return _case(rows[0]) if rows else None

    def change(self, case: Case, expires_at: int) -> bool:
        """Store a new version of a case; return whether it was the next one."""
        values = (case.state.value, case.version, case.to_json(), expires_at, case.id)
        with _reachable():
            return self._database.change(_CHANGE, values).count > 0

    def unclosed(self) -> Sequence[Case]:
        """Return the cases that are open or taken, the oldest first."""
        with _reachable():
            return [_case(row) for row in self._database.query(_UNCLOSED, (time.time(),))]


def _case(row: tuple[object, ...]) -> Case:
    content, number = row
    return replace(Case.from_json(str(content)), number=int(str(number)))


@contextmanager
def _reachable() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        logger.warning("the database failed", error=type(error).__name__)
        raise StoreUnavailableError from error
