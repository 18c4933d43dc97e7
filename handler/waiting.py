"""Waiting: how long a reaction waits before it is tried again, and when to give up."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from handler.answer.claims import ClaimStore, ClaimsUnreachableError
from handler.retry import InProgressError, RateLimitedError, TryAgainError
from handler.slack.events import MalformedEventError, Reaction

FIRST_DELAY = 5.0
"""Seconds before the second try after an error that names no delay; each later one doubles."""

FIRST_LOOK = 1.0
"""Seconds before the second try while another invocation works; each later one doubles."""

MAX_DELAY = 900.0
"""Seconds that a reaction waits at once: the longest delay that SQS offers."""

MAX_WAIT = 2 * 3600.0
"""Seconds that a reaction waits in all before it goes to the dead-letter queue. A thousand
reactions at once take 20 minutes at the rate that Slack allows."""


@dataclass(frozen=True, slots=True)
class WaitingReaction:
    """A reaction on the queue, and how long it has waited there.

    Parameters
    ----------
    reaction
        Who asks, and about which message.
    waits
        How many times it has been put back to wait.
    since
        Unix seconds of the first time; 0 before that.
    """

    reaction: Reaction
    waits: int = 0
    since: float = 0.0

    def to_json(self) -> str:
        """Return the body of its SQS message."""
        waiting = {"waits": self.waits, "since": self.since}
        return json.dumps(json.loads(self.reaction.to_json()) | waiting)

    @classmethod
    def from_json(cls, body: str) -> WaitingReaction:
        """Read the body of an SQS message: of this class, or of a reaction that never waited.

        Raises
        ------
        MalformedEventError
            When neither wrote the body.
        """
        reaction = Reaction.from_json(body)
        raw = json.loads(body)
        waits, since = raw.get("waits", 0), raw.get("since", 0.0)
        if not isinstance(waits, int) or not isinstance(since, int | float):
            raise MalformedEventError("the fields 'waits' and 'since' are not numbers")
        return cls(reaction, waits, float(since))

    def put_back(self, now: float) -> WaitingReaction:
        """Return the reaction as it goes back to wait."""
        return replace(self, waits=self.waits + 1, since=self.since or now)

    def is_exhausted(self, now: float) -> bool:
        """Report whether it has waited as long as a reaction may."""
        return self.since > 0 and now - self.since > MAX_WAIT


class Waiting:
    """Decides how long a reaction waits.

    Parameters
    ----------
    store
        Hands out the time slots of a rate limit, so that all workers keep to it together.
    clock
        Returns Unix seconds.
    """

    def __init__(self, store: ClaimStore, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._clock = clock

    def delay(self, waiting: WaitingReaction, error: TryAgainError) -> float:
        """Return the seconds until a reaction is tried again, at most `MAX_DELAY`.

        A rate limit gives each waiting reaction a slot of its own. Who waits for a claim
        looks again soon and then less often, at the latest when the claim lapses. Other
        errors wait longer each time. Chance spreads those that would come back together.
        """
        if isinstance(error, RateLimitedError):
            delay = self._until_slot(error)
        elif isinstance(error, InProgressError):
            delay = min(error.delay or 0.0, FIRST_LOOK * 2 ** min(waiting.waits, 10))
            delay += random.uniform(0, FIRST_LOOK)
        elif error.delay is not None:
            delay = error.delay + random.uniform(0, FIRST_LOOK)
        else:
            delay = FIRST_DELAY * 2 ** min(waiting.waits, 10) * random.uniform(0.5, 1)
        return min(delay, MAX_DELAY)

    def _until_slot(self, error: RateLimitedError) -> float:
        now = self._clock()
        delay = error.delay or 0.0
        try:
            return self._store.reserve(error.bucket, now + delay, error.interval) - now
        except ClaimsUnreachableError:
            return delay * random.uniform(1, 3)
