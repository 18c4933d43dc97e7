"""The classifier under load, with texts of realistic length: latency, throughput and memory."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from rich.progress import track
from tokenizers import Tokenizer

from benchmarks.chat import Chat
from benchmarks.percentiles import Latency
from benchmarks.processes import resident_memory
from toxic_bot.judge.classifier import Classifier, load

FLAT_OUT = 2000
"""Texts whose verdicts are asked for at once to find the maximum throughput."""

MEMORY_SAMPLES = 200
"""How often the memory is sampled during a run."""

WARM_UP = 0.2
"""Share of a memory run before the slope is taken: buffers grow to the longest texts first."""


@dataclass(frozen=True, slots=True)
class MemorySample:
    """The resident memory after a number of messages, in MiB."""

    messages: int
    mebibytes: float


@dataclass(frozen=True, slots=True)
class ClassifierLoad:
    """What the classifier held.

    Parameters
    ----------
    model
        The model's name.
    rate
        Average number of messages per second.
    seconds
        Duration of the steady load.
    workers
        Messages classified concurrently.
    latency
        From each message's scheduled arrival to its verdict.
    throughput
        Verdicts per second when messages are always waiting.
    memory
        Resident memory over a long run; empty without one.
    """

    model: str
    rate: float
    seconds: float
    workers: int
    latency: Latency
    throughput: float
    memory: tuple[MemorySample, ...] = ()

    def rows(self) -> dict[str, str]:
        """Return the figures as rows of a table."""
        rows = {
            "messages per second": f"{self.rate:g}",
            "seconds": f"{self.seconds:g}",
            "concurrent verdicts": str(self.workers),
            **self.latency.rows("arrival to verdict"),
            "flat out, verdicts per second": f"{self.throughput:.0f}",
        }
        if self.memory:
            rows |= {
                "memory run, messages": f"{self.memory[-1].messages:,}",
                "memory, first to last, MiB": (
                    f"{self.memory[0].mebibytes:.1f} to {self.memory[-1].mebibytes:.1f}"
                ),
                "memory, KiB per 1,000 messages": f"{growth(self.memory):+.2f}",
            }
        return rows


def growth(samples: tuple[MemorySample, ...]) -> float:
    """Return by how many KiB the memory grows with 1,000 messages, once it is warm."""
    warm = [one for one in samples if one.messages >= WARM_UP * samples[-1].messages]
    if len(warm) < 2:
        return 0.0
    messages, mebibytes = [one.messages for one in warm], [one.mebibytes for one in warm]
    return statistics.linear_regression(messages, mebibytes).slope * 1024 * 1000


def measure_load(
    model: Path, *, rate: float, seconds: float, workers: int, messages: int = 0
) -> ClassifierLoad:
    """Time texts that arrive at random, each classified alone and without padding.

    Latency counts from a text's scheduled arrival, so that queueing delays are included.

    Parameters
    ----------
    model
        The model folder.
    rate
        Average number of messages per second.
    seconds
        Duration of the load.
    workers
        Messages classified concurrently, each on one thread.
    messages
        Messages of the memory run; 0 for none.
    """
    classifier = load(model, threads=1)
    chat = Chat(Tokenizer.from_file(str(model / "tokenizer.json")))
    with ThreadPoolExecutor(workers) as pool:
        latencies = _measure_latencies(classifier, pool, chat, rate=rate, seconds=seconds)
        throughput = _measure_throughput(classifier, pool, chat)
        memory = _measure_memory(classifier, pool, chat, messages) if messages else ()
    return ClassifierLoad(
        model=classifier.config.name,
        rate=rate,
        seconds=seconds,
        workers=workers,
        latency=Latency.from_milliseconds(latencies),
        throughput=throughput,
        memory=memory,
    )


def _measure_latencies(
    classifier: Classifier, pool: ThreadPoolExecutor, chat: Chat, *, rate: float, seconds: float
) -> list[float]:
    chance = random.Random(0)
    texts = list(islice(_texts(chat), int(rate * seconds)))
    latencies: list[Future[float]] = []

    def classify(text: str, due: float) -> float:
        classifier.classify(text)
        return (time.perf_counter() - due) * 1e3

    due = time.perf_counter()
    for text in track(texts, "steady load", transient=True):
        due += chance.expovariate(rate)
        time.sleep(max(0.0, due - time.perf_counter()))
        latencies.append(pool.submit(classify, text, due))
    return [latency.result() for latency in latencies]


def _measure_throughput(classifier: Classifier, pool: ThreadPoolExecutor, chat: Chat) -> float:
    """Return the verdicts per second when messages are always waiting."""
    texts = list(islice(_texts(chat), FLAT_OUT))
    started = time.perf_counter()
    for _ in pool.map(classifier.classify, texts):
        pass
    return len(texts) / (time.perf_counter() - started)


def _measure_memory(
    classifier: Classifier, pool: ThreadPoolExecutor, chat: Chat, messages: int
) -> tuple[MemorySample, ...]:
    samples = [_memory_after(0)]
    step = max(1, messages // MEMORY_SAMPLES)
    for done in track(range(0, messages, step), "memory", transient=True):
        count = min(step, messages - done)
        for _ in pool.map(classifier.classify, islice(_texts(chat), count)):
            pass
        samples.append(_memory_after(done + count))
    return tuple(samples)


def _memory_after(messages: int) -> MemorySample:
    return MemorySample(messages, resident_memory() / 2**20)


def _texts(chat: Chat) -> Iterator[str]:
    while True:
        yield chat.text()
