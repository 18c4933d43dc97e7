"""Claims: what keeps a piece of work from being done twice.

While the work is done, its claim is *in progress* and has an owner. When it is done, the claim
is closed with the result, and whoever comes later gets that result. If the work fails, the
claim is released. If its owner dies, or cannot tell whether a post took effect, the claim
*lapses* when the invocation would have timed out, and anybody may make it again.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from toxic_bot.slack.retry import InProgressError, OutcomeUnknownError, TryAgainError
from toxic_bot.slack.telemetry import logger

CLOSE_ATTEMPTS = 3
"""Attempts to close a claim, each with the store's own retries."""

CLOSE_PAUSE = 0.2
"""Seconds between two of them."""

CLOSE_MARGIN = 12.0
"""Seconds before the end of the invocation from which no further attempt is made."""


class Status(StrEnum):
    """Whether the work is still being done."""

    IN_PROGRESS = "INPROGRESS"
    COMPLETED = "COMPLETED"


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim as it is stored.

    Parameters
    ----------
    id
        The piece of work.
    owner
        Who made it; unique for every attempt to make a claim.
    status
        Whether it is closed.
    lease_expires_at
        Unix seconds after which a claim in progress may be made anew.
    expires_at
        Unix seconds after which any claim counts as gone.
    result
        JSON; empty while in progress.
    """

    id: str
    owner: str
    status: Status
    lease_expires_at: float
    expires_at: int
    result: str = ""


class StoreUnavailableError(TryAgainError):
    """The store cannot be reached, or refuses the call."""

    def __init__(self) -> None:
        super().__init__(
            "the claims cannot be reached: check the table and the worker's role", reason="claims"
        )


class ClaimStore(Protocol):
    """Where claims are stored. Every method may raise StoreUnavailableError."""

    def make(self, claim: Claim, now: float) -> Claim:
        """Store a claim, and return it; or return the one that is in its way.

        A claim is in the way unless it has expired, has lapsed, or has the same owner: the
        answer to an earlier try of the same call may have been lost.
        """

    def close(self, claim: Claim) -> bool:
        """Store the result of a completed claim; return whether its owner still held it."""

    def release(self, claim: Claim) -> None:
        """Delete a claim if its owner still holds it."""

    def reserve(self, bucket: str, not_before: float, interval: float) -> float:
        """Return the next free time slot of a rate limit, in Unix seconds, and occupy it.

        Slots follow one another at ``interval`` seconds, the first one at ``not_before``.
        """


@dataclass(frozen=True, slots=True)
class Done:
    """A piece of work that is done.

    Parameters
    ----------
    result
        Its result, as a dictionary of JSON values.
    by_us
        Whether it was done just now, and not by an earlier claim.
    """

    result: dict[str, Any]
    by_us: bool


class Claims:
    """Does each piece of work once.

    Parameters
    ----------
    store
        Where the claims are stored.
    clock
        Returns Unix seconds.
    """

    def __init__(self, store: ClaimStore, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._clock = clock

    def once(
        self,
        claim_id: str,
        work: Callable[[], dict[str, Any]],
        *,
        deadline: float,
        expires_after: int,
    ) -> Done:
        """Do a piece of work under its claim, or return the result of having done it.

        Parameters
        ----------
        claim_id
            The piece of work.
        work
            Does it, and returns the result as JSON values.
        deadline
            Unix seconds at which this invocation ends and the claim lapses.
        expires_after
            Seconds for which the result is kept.

        Raises
        ------
        InProgressError
            When another invocation holds the claim.
        StoreUnavailableError
            When the claim cannot be made.
        """
        now = self._clock()
        ours = Claim(
            id=claim_id,
            owner=uuid.uuid4().hex,
            status=Status.IN_PROGRESS,
            lease_expires_at=max(deadline, now),
            expires_at=int(now) + expires_after,
        )
        held = self._store.make(ours, now)
        if held.owner == ours.owner:
            return Done(self._do(ours, work), by_us=True)
        if held.status is Status.IN_PROGRESS:
            raise InProgressError(
                "another invocation is already working on it",
                reason="in_progress",
                delay=max(0.0, held.lease_expires_at - now),
            )
        return Done(json.loads(held.result), by_us=False)

    def _do(self, claim: Claim, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        try:
            result = work()
        except OutcomeUnknownError as error:
            error.delay = max(0.0, claim.lease_expires_at - self._clock())
            raise
        except BaseException:
            self._release(claim)
            raise
        self._close(
            Claim(
                id=claim.id,
                owner=claim.owner,
                status=Status.COMPLETED,
                lease_expires_at=claim.lease_expires_at,
                expires_at=claim.expires_at,
                result=json.dumps(result),
            )
        )
        return result

    def _release(self, claim: Claim) -> None:
        try:
            self._store.release(claim)
        except StoreUnavailableError:
            logger.warning("a claim could not be released: it lapses by itself", claim=claim.id)

    def _close(self, claim: Claim) -> None:
        """Close a claim. If that fails, the work still counts as done: it must not be repeated."""
        for attempt in range(CLOSE_ATTEMPTS):
            if attempt:
                if self._clock() > claim.lease_expires_at - CLOSE_MARGIN:
                    break
                time.sleep(CLOSE_PAUSE)
            try:
                if not self._store.close(claim):
                    logger.warning("a claim lapsed before its work was done", claim=claim.id)
            except StoreUnavailableError:
                continue
            return
        logger.error("a claim could not be closed: it lapses by itself", claim=claim.id)
