"""Texts judged off the event loop, by a bounded number of threads with a fair, bounded queue.

Each text is one job on one thread. Where all threads are busy, a second one for a text would be
taken from another text, and a batch through the model would let one text change another's score
(`toxic_bot.judge.classifier`).
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TypeVar

from toxic_bot.judge.classifier import Classifier
from toxic_bot.judge.verdict import Verdict
from toxic_bot.service.fair_queue import Job
from toxic_bot.service.judging import JudgingThreads
from toxic_bot.service.metrics import Metrics
from toxic_bot.service.request_errors import RequestError

T = TypeVar("T")
_BYTES_PER_TOKEN = 5
"""Bytes of UTF-8, about, that a token of the model stands for."""


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
        Windows that may wait or be judged at a time.
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
        self._threads = JudgingThreads(threads, queue, metrics.waiting.set)
        self.deadline = deadline
        self._metrics = metrics

    def cost(self, text: str) -> int:
        """Return about how many windows it takes the model to read a text."""
        window = self.classifier.config.window
        size = len(text.encode("utf-8", "surrogatepass"))
        windows = -(-size // ((window.tokens - window.overlap) * _BYTES_PER_TOKEN))
        return min(max(1, windows), window.max_windows)

    async def classify(self, texts: Sequence[str], client: str = "") -> list[Verdict]:
        """Judge texts, in their order; see `each`."""
        verdicts = await self.each(lambda text, _: self.classifier.classify(text), texts, client)
        for verdict in verdicts:
            self._metrics.count_verdict(verdict)
        return verdicts

    async def each(
        self,
        work: Callable[[str, Callable[[], None]], T],
        texts: Sequence[str],
        client: str = "",
        cost: Callable[[str], int] | None = None,
    ) -> list[T]:
        """Do some work for each text, in their order.

        When nobody waits for the result any longer – the deadline has passed, or the caller is
        cancelled – what has not begun is dropped.

        Parameters
        ----------
        work
            Gets a text, and a function that long work calls now and then: it raises
            `AbandonedError` once nobody waits for the result.
        texts
            The texts.
        client
            For whom; clients take turns.
        cost
            Windows that the work for a text takes; None for those of the text.

        Raises
        ------
        RequestError
            When too much waits, or the deadline passes.
        """
        abandoned = threading.Event()

        def check() -> None:
            if abandoned.is_set():
                raise AbandonedError

        def job(text: str, future: Future[T]) -> Job:
            def run() -> None:
                if not future.set_running_or_notify_cancel():
                    return
                started = time.perf_counter()
                try:
                    future.set_result(work(text, check))
                except BaseException as error:
                    future.set_exception(error)
                self._metrics.text_seconds.observe(time.perf_counter() - started)

            return Job(client, (cost or self.cost)(text), run)

        futures: list[Future[T]] = [Future() for _ in texts]
        jobs = [job(text, future) for text, future in zip(texts, futures, strict=True)]
        if not self._threads.submit(jobs):
            self._metrics.refused.labels("queue").inc()
            message = "too many texts are waiting"
            raise RequestError(503, message, "overloaded", self._threads.wait)
        try:
            async with asyncio.timeout(self.deadline):
                return await asyncio.gather(*map(asyncio.wrap_future, futures))
        except TimeoutError:
            self._metrics.refused.labels("deadline").inc()
            message = f"the texts were not judged within {self.deadline:g} seconds"
            raise RequestError(503, message, "deadline_exceeded", self._threads.wait) from None
        finally:
            abandoned.set()
            self._threads.withdraw(jobs)

    def close(self) -> None:
        """Stop the threads; what is not begun is dropped."""
        self._threads.close()
