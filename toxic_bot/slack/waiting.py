"""Waiting: how long a gesture waits before it is tried again, and when to give up."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass

from toxic_bot.slack.answers.claims import ClaimStore, StoreUnavailableError
from toxic_bot.slack.fields import MalformedEventError, read_json
from toxic_bot.slack.gestures.gesture import Gesture
from toxic_bot.slack.gestures.private_requests import TEXT_LIFETIME
from toxic_bot.slack.gestures.reading import read_gesture
from toxic_bot.slack.retry import InProgressError, RateLimitedError, TryAgainError

FIRST_DELAY = 5.0
"""Seconds before the second try after an error that names no delay; each later one doubles."""

FIRST_LOOK = 1.0
"""Seconds before the second try while another invocation works; each later one doubles."""

MAX_DELAY = 900.0
"""Seconds that a gesture waits at once: the longest delay that SQS offers."""

MAX_WAIT = 2 * 3600.0
"""Seconds that a gesture waits in all; then a reaction goes to the dead-letter queue. A thousand
reactions at once take 20 minutes at the rate that Slack allows."""


@dataclass(frozen=True, slots=True)
class QueuedGesture:
    """A gesture on the queue, and how long it has waited there.

    Parameters
    ----------
    gesture
        Who asks, and for what.
    waits
        How many times it has been put back to wait, for anything but a rate limit.
    waited
        Seconds that it has been told to wait, in all. They are added up, not taken from a clock:
        clocks differ and jump.
    """

    gesture: Gesture
    waits: int = 0
    waited: float = 0.0

    def to_json(self) -> str:
        """Return the body of its SQS message."""
        waiting = {"waits": self.waits, "waited": self.waited}
        return json.dumps(json.loads(self.gesture.to_json()) | waiting)

    @classmethod
    def from_json(cls, body: str) -> QueuedGesture:
        """Read the body of an SQS message: of this class, or of a gesture that never waited.

        Raises
        ------
        MalformedEventError
            When neither wrote the body.
        """
        raw = read_json(body, "an SQS message")
        gesture = read_gesture(raw)
        waits, waited = raw.get("waits", 0), raw.get("waited", 0.0)
        if not isinstance(waits, int) or not isinstance(waited, int | float):
            raise MalformedEventError("the fields 'waits' and 'waited' are not numbers")
        return cls(gesture, waits, float(waited))

    def put_back(self, delay: float, error: TryAgainError) -> QueuedGesture:
        """Return the gesture as it waits ``delay`` seconds, or what is left of it to be done."""
        gesture = error.rest or self.gesture
        # Slots of a rate limit lengthen no later wait: after a dozen of them, a single error would
        # cost a quarter of an hour.
        failed = not isinstance(error, RateLimitedError)
        return QueuedGesture(gesture, waits=self.waits + failed, waited=self.waited + delay)

    def is_exhausted(self, now: float) -> bool:
        """Report whether it has waited as long as it may, or for longer than anybody would."""
        longest = TEXT_LIFETIME if self.gesture.HOLDS_TEXT else MAX_WAIT
        return self.waited > longest or self.gesture.is_expired(now)


class Waiting:
    """Decides how long a gesture waits.

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

    def delay(self, waiting: QueuedGesture, error: TryAgainError) -> float:
        """Return the seconds until a gesture is tried again, at most `MAX_DELAY`.

        A rate limit gives each waiting gesture its own slot. Who waits for a claim
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
        except StoreUnavailableError:
            return delay * random.uniform(1, 3)
