"""The threads that judge, and the fair queue that they take their jobs from."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

from toxic_bot.service.fair_queue import FairQueue, Job

SPARE_COST = 4
"""Windows of the longest text that the spare thread takes; about 2,000 characters."""
_GUESS = 0.02
"""Seconds that a window takes, until some have been timed."""
_WEIGHT = 0.05
"""Weight of the latest job in the mean of the seconds."""
_LONGEST_WAIT = 60


class JudgingThreads:
    """Runs jobs, each on one thread.

    A job cannot be interrupted, and one text may take a second. So that somebody else's short text
    need not wait for it, there is a spare thread: while all others are busy, it takes a short text
    of a client none of whose texts is being judged.

    Parameters
    ----------
    threads
        Jobs that run at a time, the spare thread's not counted.
    limit
        Windows that may be pending; see `FairQueue`.
    changed
        Called with the number of jobs that wait or run.
    """

    def __init__(self, threads: int, limit: int, changed: Callable[[int], None]) -> None:
        self._threads = threads
        self._queue = FairQueue(limit)
        self._changed = changed
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="judge")
        self._spare = ThreadPoolExecutor(1, thread_name_prefix="spare-judge")
        self._lock = threading.Lock()
        self._busy = 0
        self._spare_busy = False
        self._window_seconds = _GUESS

    @property
    def wait(self) -> int:
        """Seconds, from 1 to 60, after which what is pending now is done."""
        with self._lock:
            seconds = self._queue.pending * self._window_seconds / self._threads
        return min(_LONGEST_WAIT, max(1, math.ceil(seconds)))

    def submit(self, jobs: Sequence[Job]) -> bool:
        """Take on all jobs of one client's request, or none if they exceed its share."""
        with self._lock:
            if not self._queue.put(jobs):
                return False
            self._changed(self._queue.count)
            self._use_spare()
        for _ in jobs:
            self._executor.submit(self._run_next)
        return True

    def withdraw(self, jobs: Iterable[Job]) -> None:
        """Drop those of some jobs that have not begun."""
        with self._lock:
            self._queue.withdraw(jobs)
            self._changed(self._queue.count)

    def close(self) -> None:
        """Stop the threads; what has not begun is dropped."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._spare.shutdown(wait=False, cancel_futures=True)

    def _run_next(self) -> None:
        with self._lock:
            job = self._queue.take()
            # The spare thread has taken one, or some were withdrawn.
            if job is None:
                return
            self._busy += 1
            self._use_spare()
        self._run(job)
        with self._lock:
            self._busy -= 1

    def _use_spare(self) -> None:
        """Give the spare thread a job, if it is free and there is one for it."""
        if self._spare_busy or self._busy < self._threads:
            return
        job = self._queue.take(SPARE_COST)
        if job is not None:
            self._spare_busy = True
            self._spare.submit(self._run_spare, job)

    def _run_spare(self, job: Job) -> None:
        self._run(job)
        with self._lock:
            self._spare_busy = False
            self._use_spare()

    def _run(self, job: Job) -> None:
        started = time.perf_counter()
        job.run()
        seconds = time.perf_counter() - started
        with self._lock:
            self._window_seconds += _WEIGHT * (seconds / job.cost - self._window_seconds)
            self._queue.settle(job)
            self._changed(self._queue.count)
            self._use_spare()
