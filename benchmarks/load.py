"""How the classifier stands a steady load of short messages, and how much it can take."""

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
    """Let messages arrive at random at a steady rate, each judged alone and unpadded.

    Latency counts from the moment a message was due, so that a queue that builds up shows.

    Parameters
    ----------
    model
        The model folder.
    rate
        Messages a second.
    seconds
        How long.
    workers
        Messages judged at the same time, each on one thread.
    """
    classifier = load(model, threads=1)
    texts = [sample.text for sample in SAMPLES if 0 < len(sample.text) < 200]
    with ThreadPoolExecutor(workers) as pool:
        latencies = _arrivals(classifier, pool, texts, rate=rate, seconds=seconds)
        most = _throughput(classifier, pool, texts)
    return Report.here(
        classifier.config.name,
        (Figure.of(f"message due to verdict, {rate:.0f} a second", latencies, P50, P99),),
        note=f"flat out: {most:.0f} verdicts a second",
    )


def _arrivals(
    classifier: Classifier,
    pool: ThreadPoolExecutor,
    texts: list[str],
    *,
    rate: float,
    seconds: float,
) -> list[float]:
    random_ = random.Random(0)
    judged: list[Future[float]] = []

    def judge(text: str, due: float) -> float:
        classifier.classify(text)
        return (time.perf_counter() - due) * 1e3

    due = time.perf_counter()
    for _ in track(range(int(rate * seconds)), "a steady load", transient=True):
        due += random_.expovariate(rate)
        time.sleep(max(0.0, due - time.perf_counter()))
        judged.append(pool.submit(judge, random_.choice(texts), due))
    return [one.result() for one in judged]


def _throughput(classifier: Classifier, pool: ThreadPoolExecutor, texts: list[str]) -> float:
    """Return verdicts a second when there is always a message waiting."""
    messages = texts * 100
    started = time.perf_counter()
    for _ in pool.map(classifier.classify, messages):
        pass
    return len(messages) / (time.perf_counter() - started)
