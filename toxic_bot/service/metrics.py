"""Metrics for Prometheus: counts and times, never a text and never a key."""

from __future__ import annotations

import os
from typing import Literal

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from toxic_bot.judge.verdict import Status, Verdict

MULTIPROCESS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable that names the folder where several processes count together; the
Prometheus client's own."""
STATUS_NAMES: dict[Status, Literal["toxic", "fine", "not judged"]] = {
    Status.TOXIC: "toxic",
    Status.FINE: "fine",
    Status.NOT_JUDGED: "not judged",
}
"""What a status is called in responses and metrics."""
# Fine where a verdict should be; from there on, as long as a request may take.
_SECONDS = (
    *(0.001, 0.002, 0.003, 0.004, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.025, 0.035, 0.05),
    *(0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0),
)


class Metrics:
    """The service's counters, in their own registry."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "toxic_bot_requests_total",
            "Requests, by endpoint and status.",
            ("endpoint", "status"),
            registry=self.registry,
        )
        self.request_seconds = Histogram(
            "toxic_bot_request_seconds",
            "Time from a request to its response, by endpoint.",
            ("endpoint",),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.texts = Counter(
            "toxic_bot_texts_total",
            "Texts judged, by verdict.",
            ("verdict",),
            registry=self.registry,
        )
        self.text_seconds = Histogram(
            "toxic_bot_text_seconds",
            "Time on a thread for one text, waiting not included.",
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.waiting = Gauge(
            "toxic_bot_texts_waiting",
            "Texts accepted but not yet judged.",
            registry=self.registry,
            multiprocess_mode="livesum",
        )
        self.refused = Counter(
            "toxic_bot_requests_refused_total",
            "Requests refused, by reason: key, rate, queue, deadline or early.",
            ("reason",),
            registry=self.registry,
        )
        for reason in ("key", "rate", "queue", "deadline", "early"):
            self.refused.labels(reason)

    def page(self) -> bytes:
        """Return everything counted, by all processes of the service, in Prometheus's format."""
        registry = self.registry
        if os.environ.get(MULTIPROCESS_FOLDER):
            registry = CollectorRegistry()
            # prometheus_client leaves this one untyped.
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)

    def count_verdict(self, verdict: Verdict) -> None:
        """Count a verdict."""
        self.texts.labels(STATUS_NAMES[verdict.status]).inc()
