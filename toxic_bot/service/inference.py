"""Texts judged off the event loop, by a bounded number of threads with a bounded queue.

Each text is one job on one thread. Where all threads are busy, a second one for a text would be
taken from another text, and a batch through the model would let one text change another's score
(`toxic_bot.judge.classifier`).
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from toxic_bot.judge.classifier import Classifier
from toxic_bot.judge.verdict import Verdict
from toxic_bot.service.metrics import Metrics
from toxic_bot.service.request_errors import RequestError

T = TypeVar("T")
RETRY_AFTER = 1
"""Seconds after which a client may try again when the queue is full."""


class AbandonedError(Exception):
    """Nobody waits for this job any longer."""


class Inference:
    """The threads that judge.

    Parameters
    ----------
    classifier
        Loaded with one thread.
    threads
        Texts judged at a time.
    queue
        Texts that may wait or be judged at a time.
    deadline
        Seconds that a request's texts may take together.
    metrics
        Counts what happens.
    """

    def __init__(
        self,
        classifier: Classifier,
        *,
        threads: int,
        queue: int,
        deadline: float,
        metrics: Metrics,
    ) -> None:
        self.classifier = classifier
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="judge")
        self._queue = queue
        self._deadline = deadline
        self._metrics = metrics
        self._lock = threading.Lock()
        self._pending = 0

    async def classify(self, texts: Sequence[str]) -> list[Verdict]:
        """Judge texts, in their order.

        Raises
        ------
        RequestError
            When too many texts wait, or the deadline passes.
        """
        verdicts = await self.each(lambda text, _: self.classifier.classify(text), texts)
        for verdict in verdicts:
            self._metrics.count_verdict(verdict)
        return verdicts

    async def each(
        self, work: Callable[[str, Callable[[], None]], T], texts: Sequence[str]
    ) -> list[T]:
        """Do some work for each text, in their order.

        Parameters
        ----------
        work
            Gets a text, and a function that long work calls now and then: it raises
            `AbandonedError` once nobody waits for the result.
        texts
            The texts.

        Raises
        ------
        RequestError
            When too many texts wait, or the deadline passes.
        """
        self._take_on(len(texts))
        abandoned = threading.Event()

        def check() -> None:
            if abandoned.is_set():
                raise AbandonedError

        def job(text: str) -> T:
            check()
            started = time.perf_counter()
            result = work(text, check)
            self._metrics.text_seconds.observe(time.perf_counter() - started)
            return result

        futures = [self._executor.submit(job, text) for text in texts]
        for future in futures:
            future.add_done_callback(self._settle)
        try:
            async with asyncio.timeout(self._deadline):
                return await asyncio.gather(*map(asyncio.wrap_future, futures))
        except TimeoutError:
            self._metrics.refused.labels("deadline").inc()
            message = f"the texts were not judged within {self._deadline:g} seconds"
            raise RequestError(503, message, "deadline_exceeded", RETRY_AFTER) from None
        finally:
            abandoned.set()

    def close(self) -> None:
        """Stop the threads; what is not begun is dropped."""
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _take_on(self, count: int) -> None:
        with self._lock:
            full = self._pending + count > self._queue
            if not full:
                self._pending += count
                self._metrics.waiting.set(self._pending)
        if full:
            self._metrics.refused.labels("queue").inc()
            raise RequestError(503, "too many texts are waiting", "overloaded", RETRY_AFTER)

    def _settle(self, _: Future[T]) -> None:
        with self._lock:
            self._pending -= 1
            self._metrics.waiting.set(self._pending)
