"""The claims in SQLite."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import asdict, replace

from toxic_bot.slack.answers.claims import Claim, Status, StoreUnavailableError
from toxic_bot.slack.answers.votes import Vote
from toxic_bot.slack.lookups import first_assessments
from toxic_bot.slack.moderators.figures import History
from toxic_bot.slack.telemetry import logger
from toxic_bot.standalone.database import Database

_MAKE = """
INSERT INTO claim (id, owner, status, lapses_at, expires_at) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET
    owner = excluded.owner,
    status = excluded.status,
    lapses_at = excluded.lapses_at,
    expires_at = excluded.expires_at,
    result = ''
WHERE claim.expires_at < ?
    OR claim.owner = excluded.owner
    OR (claim.status = 'INPROGRESS' AND claim.lapses_at < ?)
"""
_SHORTEN = """
UPDATE claim SET lapses_at = ? WHERE id = ? AND owner = ? AND status = 'INPROGRESS'
"""
_CLOSE = """
UPDATE claim SET status = ?, expires_at = ?, result = ? WHERE id = ? AND owner = ?
"""
_RESERVE = """
INSERT INTO slot (bucket, last) VALUES (?1, ?2)
ON CONFLICT (bucket) DO UPDATE SET
    last = CASE WHEN slot.last > ?2 + ?4 THEN ?2 ELSE MAX(?2, slot.last + ?3) END
RETURNING last
"""
MIN_LEASE, MAX_LEASE = 30.0, 300.0
"""Seconds within which a claim lapses. A deadline that is nearer or farther was set before the time
of day jumped; a claim that lapses later was made before the machine was restarted."""
MAX_LINE = 1800.0
"""Seconds ahead of a gesture's own time at which no time slot is, unless the clock has been set
back: a thousand reactions at once take 20 minutes."""

_TALLY = """
INSERT INTO tally (id, name, amount, expires_at)
SELECT ?, key, value, ? FROM json_each(?) WHERE TRUE
ON CONFLICT (id, name) DO UPDATE SET amount = amount + excluded.amount
"""
_SPEND = """
INSERT INTO budget (id, request, expires_at) SELECT ?1, ?2, ?4
WHERE (SELECT COUNT(*) FROM budget WHERE id = ?1) < ?3
ON CONFLICT (id, request) DO NOTHING
"""
_VOTE = """
INSERT INTO vote (id, vote, voted_at, expires_at) VALUES (?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET
    vote = excluded.vote, voted_at = excluded.voted_at, expires_at = excluded.expires_at
WHERE vote.voted_at <= excluded.voted_at
"""


class SQLiteStore:
    """Claims in a SQLite database; implements `toxic_bot.slack.answers.claims.ClaimStore`.

    A claim is closed once its answer has been posted. If the file fails just then, as on a full
    disk, this process remembers that it is closed and writes it down later: otherwise the claim
    would lapse, and an answer that Slack does not keep would be posted again.

    A lease is measured on the machine's steady clock, which all processes share: if the time of day
    jumps ahead, no claim lapses while its owner is at work.

    Parameters
    ----------
    database
        Holds the claims.
    steady
        Returns seconds, of a clock that is never set.
    """

    def __init__(self, database: Database, steady: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self._steady = steady
        self._lock = threading.Lock()
        # Closed, but not yet in the file.
        self._unwritten: dict[str, Claim] = {}

    def make(self, claim: Claim, now: float) -> Claim:
        """Store a claim, or return the one that is in its way."""
        with self._lock:
            closed = self._unwritten.get(claim.id)
        self.write_down()
        if closed is not None and closed.expires_at >= now:
            return closed
        steady = self._steady()
        lease = min(max(claim.lease_expires_at - now, MIN_LEASE), MAX_LEASE)
        lapses_at = steady + lease
        with _reachable():
            made = self._database.change(
                _MAKE,
                (
                    claim.id,
                    claim.owner,
                    claim.status.value,
                    lapses_at,
                    claim.expires_at,
                    now,
                    steady,
                ),
            )
            if made.count:
                return claim
            rows = self._database.query(
                "SELECT owner, status, lapses_at, expires_at, result FROM claim WHERE id = ?",
                (claim.id,),
            )
        if not rows:
            # Released in between; the next try makes it.
            raise StoreUnavailableError
        owner, status, held_until, expires_at, result = map(str, rows[0])
        lease_expires_at = now + float(held_until) - steady
        held = Claim(claim.id, owner, Status(status), lease_expires_at, int(expires_at), result)
        if held.status is Status.IN_PROGRESS and lease_expires_at > now + MAX_LEASE:
            # Of another clock. What its owner posted last may still arrive, so it has a lease more.
            with _reachable():
                self._database.change(_SHORTEN, (lapses_at, held.id, held.owner))
            return replace(held, lease_expires_at=now + lease)
        return held

    def close(self, claim: Claim) -> bool:
        """Store the result of a completed claim; return whether its owner still held it.

        If the file fails, it counts as stored, and is so as soon as the file works again.
        """
        try:
            return self._write(claim)
        except sqlite3.Error as error:
            logger.error("a claim will be closed later", claim=claim.id, error=type(error).__name__)
            with self._lock:
                self._unwritten[claim.id] = claim
            return True

    def write_down(self) -> None:
        """Write down what could not be stored when it was closed, if the file works again."""
        with self._lock:
            unwritten = list(self._unwritten.values())
        for claim in unwritten:
            try:
                self._write(claim)
            except sqlite3.Error:
                return
            with self._lock:
                self._unwritten.pop(claim.id, None)

    def _write(self, claim: Claim) -> bool:
        values = (claim.status.value, claim.expires_at, claim.result, claim.id, claim.owner)
        return self._database.change(_CLOSE, values).count > 0

    def was_asked(self, channel: str, ts: str) -> bool:
        """Report whether a message was asked about; see `toxic_bot.slack.lookups.Lookups`."""
        try:
            rows = self._database.query(
                "SELECT expires_at FROM claim WHERE id IN (?, ?)", first_assessments(channel, ts)
            )
        except sqlite3.Error as error:
            logger.warning("the database failed", error=type(error).__name__)
            return True
        return any(float(str(row[0])) >= time.time() for row in rows)

    def release(self, claim: Claim) -> None:
        """Delete a claim if its owner still holds it."""
        with _reachable():
            self._database.change(
                "DELETE FROM claim WHERE id = ? AND owner = ?", (claim.id, claim.owner)
            )

    def reserve(self, bucket: str, not_before: float, interval: float) -> float:
        """Return the next free time slot of a rate limit, in Unix seconds, and occupy it."""
        with _reachable():
            reserved = self._database.change(_RESERVE, (bucket, not_before, interval, MAX_LINE))
        return float(str(reserved.rows[0][0]))

    def add_counts(
        self, key: str, amounts: Mapping[str, int], expires_at: int
    ) -> Mapping[str, int]:
        """Add to some of the counts in an item at once, and return all of them."""
        with _reachable():
            self._database.change(_TALLY, (key, expires_at, json.dumps(amounts)))
            rows = self._database.query("SELECT name, amount FROM tally WHERE id = ?", (key,))
        return {str(name): int(str(amount)) for name, amount in rows}

    def spend(self, budget: str, request: str, limit: int, expires_at: int) -> Set[str]:
        """Add a request to a budget unless it is full; return all that are in it then."""
        with _reachable():
            self._database.change(_SPEND, (budget, request, limit, expires_at))
            rows = self._database.query("SELECT request FROM budget WHERE id = ?", (budget,))
        return frozenset(str(name) for (name,) in rows)

    def keep_vote(self, vote: Vote, expires_at: int) -> None:
        """Store a vote; a later one of the same person on the same message replaces it."""
        with _reachable():
            self._database.change(
                _VOTE, (vote.id, json.dumps(asdict(vote)), vote.voted_at, expires_at)
            )

    def history(self, since: float) -> History:
        """Return the verdict counts, and the votes since a time in Unix seconds."""
        verdict_counts: dict[str, dict[str, int]] = defaultdict(dict)
        with _reachable():
            rows = self._database.query("SELECT id, name, amount FROM tally", ())
            votes = self._database.query("SELECT vote FROM vote WHERE voted_at >= ?", (since,))
        for key, name, amount in rows:
            verdict_counts[str(key)][str(name)] = int(str(amount))
        return History(verdict_counts, [Vote(**json.loads(str(row[0]))) for row in votes])


@contextmanager
def _reachable() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        logger.warning("the database failed", error=type(error).__name__)
        raise StoreUnavailableError from error
