"""One load on one server: what is sent, and what came back."""

from __future__ import annotations

import json
import math
import os
import random
import resource
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from prometheus_client.parser import text_string_to_metric_families

from benchmarks.serving.servers import PATH, Server
from simulators import ROOT
from toxic_bot.judge.errors import ToxicBotError

LOCUSTFILE = Path(__file__).with_name("users.py")
PATIENCE = 10.0
"""Seconds after which a request counts as not answered."""
Buckets = Mapping[float, float]
"""Requests by the upper bound of their seconds, as in Prometheus's histograms: each bucket counts
those below it too."""


@dataclass(frozen=True, slots=True)
class Load:
    """What is sent.

    Parameters
    ----------
    bodies
        The requests' bodies.
    due
        When each is sent, in seconds from the start; empty for flat out.
    clients, seconds
        Flat out: how many send one request after the other, and for how long.
    """

    bodies: Sequence[Mapping[str, Any]]
    due: Sequence[float] = ()
    clients: int = 0
    seconds: float = 0.0

    @classmethod
    def open_loop(cls, texts: Sequence[str], rate: float, seconds: float) -> Load:
        """Return a load that arrives at random, independent of the answers."""
        generator = random.Random(0)
        due, now = [], 0.0
        while (now := now + generator.expovariate(rate)) < seconds:
            due.append(now)
        return cls([{"text": texts[n % len(texts)]} for n in range(len(due))], due)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came back.

    Parameters
    ----------
    latencies
        Milliseconds from when a request was due to its answer; infinite if there was none.
    lag
        Milliseconds by which the 99th percentile of all requests was sent too late.
    seconds
        From the first request to the last answer.
    server_buckets
        What the server's histogram counted; empty if it has none.
    server_cpu, client_cpu
        Seconds of CPU time.
    """

    latencies: Sequence[float]
    lag: float
    seconds: float
    server_buckets: Buckets
    server_cpu: float
    client_cpu: float

    @property
    def answered(self) -> int:
        """Requests with a verdict."""
        return sum(map(math.isfinite, self.latencies))

    @property
    def rate(self) -> float:
        """Requests answered in a second."""
        return self.answered / self.seconds

    def percentile(self, share: float) -> float:
        """Return the milliseconds in which this share of all requests was answered."""
        ordered = sorted(self.latencies)
        return ordered[max(0, math.ceil(share * len(ordered)) - 1)]

    def server_percentile(self, share: float) -> float | None:
        """Return the same within the server; None if it does not say."""
        quantile = histogram_quantile(self.server_buckets, share)
        return None if quantile is None else quantile * 1e3


def environment() -> Path:
    """Return the environment that Locust is in.

    Raises
    ------
    ToxicBotError
        When it is not installed.
    """
    folder = Path(os.environ.get("LOCUST_ENVIRONMENT") or ROOT / ".venv" / "locust")
    if not (folder / "bin" / "locust").exists():
        raise ToxicBotError("Locust is not installed: 'make .venv/locust' installs it")
    return folder


def drive(server: Server, load: Load) -> Outcome:
    """Put a load on a server.

    Raises
    ------
    ToxicBotError
        When Locust is missing or fails.
    """
    before, cpu = _buckets(server), server.cpu_seconds()
    client_cpu = _children_cpu()
    seen = _run_locust(server.address, load)
    client_cpu = _children_cpu() - client_cpu
    cpu = server.cpu_seconds() - cpu
    after = _buckets(server)
    lags = sorted(begun - due for due, begun, _, _ in seen)
    return Outcome(
        latencies=[
            (answered - due) * 1e3 if status == 200 else math.inf
            for due, _, answered, status in seen
        ],
        lag=lags[math.ceil(0.99 * len(lags)) - 1] * 1e3,
        seconds=max(answered for _, _, answered, _ in seen),
        server_buckets={bound: after[bound] - before.get(bound, 0) for bound in after},
        server_cpu=cpu,
        client_cpu=client_cpu,
    )


def histogram_quantile(buckets: Buckets, share: float) -> float | None:
    """Return a quantile of a histogram as Prometheus computes it, linear within a bucket."""
    total = max(buckets.values(), default=0.0)
    lower, below = 0.0, 0.0
    for upper, count in sorted(buckets.items()):
        if total and count >= share * total:
            if math.isinf(upper):
                return lower
            return lower + (upper - lower) * (share * total - below) / (count - below)
        lower, below = upper, count
    return None


def _run_locust(address: str, load: Load) -> list[tuple[float, float, float, int]]:
    locust = environment() / "bin" / "locust"
    with tempfile.TemporaryDirectory() as folder:
        plan, seen = Path(folder) / "plan.json", Path(folder) / "seen.json"
        content = {
            "path": PATH,
            "bodies": load.bodies,
            "due": load.due,
            "clients": load.clients,
            "seconds": load.seconds,
            "patience": PATIENCE,
        }
        plan.write_text(json.dumps(content), "utf-8")
        finished = subprocess.run(
            [locust, "--locustfile", LOCUSTFILE, "--headless", "--users", "1", "--host", address],
            env=os.environ | {"LOAD_PLAN": str(plan), "LOAD_SEEN": str(seen)},
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if not seen.exists():
            lines = finished.stderr.strip().splitlines() or ["it said nothing"]
            raise ToxicBotError(f"Locust failed: {lines[-1]}")
        answers: list[tuple[float, float, float, int]] = json.loads(seen.read_text("utf-8"))
    return answers


def _buckets(server: Server) -> dict[float, float]:
    """Return what a server's histogram has counted for verdicts; nothing, if it has none."""
    try:
        answer = httpx.get(f"{server.address}/metrics", timeout=60).raise_for_status()
    except httpx.HTTPError:
        # The peer has none, and under load it does not even say so.
        return {}
    return {
        float(sample.labels["le"]): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
        if sample.name == "toxic_bot_request_seconds_bucket" and sample.labels["endpoint"] == PATH
    }


def _children_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
