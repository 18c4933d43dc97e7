"""A queue that is fair to clients: whoever has had the least of the judge is next.

Start-time fair queueing (Goyal, Vin and Cheng 1996, https://doi.org/10.1145/248156.248171): what a
client has been given grows by the cost of each of its jobs, and the client with the least is
served. One that comes anew starts where the others are, so it saves nothing up while it is away.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field


@dataclass(eq=False, slots=True)
class Job:
    """One text's work.

    Parameters
    ----------
    client
        Whose it is.
    cost
        Windows that it takes the model to read.
    run
        Does it; must not raise.
    """

    client: str
    cost: int
    run: Callable[[], None]


@dataclass(eq=False, slots=True)
class _Line:
    """The jobs of one client."""

    given: float
    waiting: deque[Job] = field(default_factory=deque)
    running: int = 0
    pending: int = 0
    """Cost of what waits or runs."""

    @property
    def idle(self) -> bool:
        return not self.waiting and not self.running


class FairQueue:
    """Jobs by client. Not safe to share between threads.

    Parameters
    ----------
    limit
        Cost that may be pending. A client may use its share of it, by the number of clients that
        have jobs here, and one that has nothing here is always let in.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lines: dict[str, _Line] = {}
        self._now = 0.0

    @property
    def pending(self) -> int:
        """Cost of what waits or runs."""
        return sum(line.pending for line in self._lines.values())

    @property
    def count(self) -> int:
        """Jobs that wait or run."""
        return sum(len(line.waiting) + line.running for line in self._lines.values())

    def put(self, jobs: Sequence[Job]) -> bool:
        """Take on all jobs of one client's request, or none if they exceed its share."""
        client, cost = jobs[0].client, sum(job.cost for job in jobs)
        line = self._lines.get(client) or _Line(self._now)
        others = sum(not each.idle for each in self._lines.values() if each is not line)
        if line.pending and line.pending + cost > self._limit / (others + 1):
            return False
        # Who was away has saved nothing up.
        line.given = max(line.given, self._now) if line.idle else line.given
        line.waiting.extend(jobs)
        line.pending += cost
        self._lines[client] = line
        return True

    def take(self, most: int | None = None) -> Job | None:
        """Return the next job, if there is one.

        Parameters
        ----------
        most
            Only a job that costs no more, of a client none of whose jobs runs.
        """
        lines = [
            line
            for line in self._lines.values()
            if line.waiting and (most is None or not (line.running or line.waiting[0].cost > most))
        ]
        if not lines:
            return None
        line = min(lines, key=lambda line: line.given)
        job = line.waiting.popleft()
        self._now = max(self._now, line.given)
        line.given += job.cost
        line.running += 1
        return job

    def settle(self, job: Job) -> None:
        """Forget a job that was taken and is done."""
        line = self._lines[job.client]
        line.running -= 1
        line.pending -= job.cost
        self._drop_idle()

    def withdraw(self, jobs: Iterable[Job]) -> None:
        """Drop those of some jobs that still wait."""
        dropped = set(jobs)
        for line in self._lines.values():
            if not dropped.isdisjoint(line.waiting):
                line.pending -= sum(job.cost for job in line.waiting if job in dropped)
                line.waiting = deque(job for job in line.waiting if job not in dropped)
        self._drop_idle()

    def _drop_idle(self) -> None:
        if all(line.idle for line in self._lines.values()):
            self._lines.clear()
        for client, line in list(self._lines.items()):
            if line.idle and line.given <= self._now:
                del self._lines[client]
