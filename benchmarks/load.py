"""The classifier's latency under a steady load of short messages, and its throughput."""

from __future__ import annotations

import random
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from rich.progress import track

from benchmarks.report import Figure, Report
from judge.classifier import Classifier, load
from local.samples import SAMPLES

P50 = 9.0
P99 = 50.0


def measure_load(model: Path, *, rate: float, seconds: float, workers: int) -> Report:
    """Time messages that arrive at random, each classified alone and without padding.

    Latency counts from a message's scheduled arrival, so that queueing delays are included.

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
    """
    classifier = load(model, threads=1)
    texts = [sample.text for sample in SAMPLES if 0 < len(sample.text) < 200]
    with ThreadPoolExecutor(workers) as pool:
        latencies = _measure_latencies(classifier, pool, texts, rate=rate, seconds=seconds)
        throughput = _measure_throughput(classifier, pool, texts)
    return Report.for_this_machine(
        classifier.config.name,
        (
            Figure.from_runs(
                f"arrival to verdict, {rate:.0f} messages per second", latencies, P50, P99
            ),
        ),
        note=f"maximum throughput: {throughput:.0f} verdicts per second",
    )


def _measure_latencies(
    classifier: Classifier,
    pool: ThreadPoolExecutor,
    texts: list[str],
    *,
    rate: float,
    seconds: float,
) -> list[float]:
    generator = random.Random(0)
    latencies: list[Future[float]] = []

    def classify(text: str, due: float) -> float:
        classifier.classify(text)
        return (time.perf_counter() - due) * 1e3

    due = time.perf_counter()
    for _ in track(range(int(rate * seconds)), "steady load", transient=True):
        due += generator.expovariate(rate)
        time.sleep(max(0.0, due - time.perf_counter()))
        latencies.append(pool.submit(classify, generator.choice(texts), due))
    return [latency.result() for latency in latencies]


def _measure_throughput(
    classifier: Classifier, pool: ThreadPoolExecutor, texts: list[str]
) -> float:
    """Return the verdicts per second when messages are always waiting."""
    messages = texts * 100
    started = time.perf_counter()
    for _ in pool.map(classifier.classify, messages):
        pass
    return len(messages) / (time.perf_counter() - started)
