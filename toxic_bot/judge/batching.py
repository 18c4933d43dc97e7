"""Dynamic batching: texts that different threads judge at the same time run together.

A batch has one length. With a few lengths instead of any, windows of similar length meet in one
batch, buffers are reused, and a GPU chooses its kernels once for each.
"""

from __future__ import annotations

import queue
import threading
from bisect import bisect_left
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from toxic_bot.judge.forward import Forward, Window

_LENGTHS = (16, 32, 48, 64, 96, 128, 192, 256, 384, 512)
BATCHES = (1, 2, 4, 8, 16, 32, 64)
"""Numbers of windows to which a batch is filled up."""


def lengths(tokens: int) -> tuple[int, ...]:
    """Return the lengths for windows of at most ``tokens`` tokens, which is the last one."""
    return (*(length for length in _LENGTHS if length < tokens), tokens)


def smallest(sizes: Sequence[int], needed: int) -> int:
    """Return the smallest of some ascending sizes that is large enough."""
    return sizes[bisect_left(sizes, needed)]


@dataclass(frozen=True, slots=True)
class _Job:
    windows: Sequence[Window]
    logits: Future[NDArray[np.float32]] = field(default_factory=Future)


class DynamicBatching:
    """Runs what has arrived while the batch before was running; waits for nothing else.

    Parameters
    ----------
    forward
        Computes a batch.
    max_windows
        No further text joins a batch that has so many windows.
    """

    def __init__(self, forward: Forward, max_windows: int = BATCHES[-1]) -> None:
        self._forward = forward
        self._max_windows = max_windows
        self._jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        threading.Thread(target=self._run, name="batching", daemon=True).start()

    @property
    def waiting(self) -> int:
        """Texts that wait for the next batch."""
        return self._jobs.qsize()

    def logits(self, windows: Sequence[Window]) -> NDArray[np.float32]:
        """Return the logits of windows; see `toxic_bot.judge.forward.Forward`."""
        job = _Job(windows)
        self._jobs.put(job)
        return job.logits.result()

    def _run(self) -> None:
        while True:
            jobs = self._batch()
            windows = [window for job in jobs for window in job.windows]
            try:
                logits = self._forward.logits(windows)
            except Exception as error:
                for job in jobs:
                    job.logits.set_exception(error)
                continue
            end = 0
            for job in jobs:
                start, end = end, end + len(job.windows)
                job.logits.set_result(logits[start:end])

    def _batch(self) -> list[_Job]:
        jobs = [self._jobs.get()]
        count = len(jobs[0].windows)
        while count < self._max_windows:
            try:
                jobs.append(self._jobs.get_nowait())
            except queue.Empty:
                break
            count += len(jobs[-1].windows)
        return jobs
