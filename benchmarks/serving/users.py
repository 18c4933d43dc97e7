"""A locustfile: one arrival after the other as planned, or a number of clients flat out.

Locust has its own environment, which has nothing else of this project: it is told what to
send in a file, and writes what it saw into another. An open-loop load is one user who begins every
request at its time, whether those before it are answered or not; Locust's own users would wait.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import gevent
from gevent.pool import Group
from locust import FastHttpUser, task

PLAN: dict[str, Any] = json.loads(Path(os.environ["LOAD_PLAN"]).read_text("utf-8"))
SEEN = Path(os.environ["LOAD_SEEN"])


class Clients(FastHttpUser):
    """All clients of the load."""

    concurrency = 4096
    network_timeout = connection_timeout = float(PLAN["patience"])

    @task
    def send_all(self) -> None:
        """Send everything that is planned, write down what came back, and end the run."""
        self.seen: list[tuple[float, float, float, int]] = []
        bodies = [json.dumps(body).encode() for body in PLAN["bodies"]]
        if PLAN["due"]:
            self._send_when_due(bodies)
        else:
            self._send_flat_out(bodies)
        SEEN.write_text(json.dumps(self.seen), "utf-8")
        self.environment.runner.quit()

    def _send_when_due(self, bodies: list[bytes]) -> None:
        group = Group()
        started = time.perf_counter()
        for due, body in zip(PLAN["due"], bodies, strict=True):
            gevent.sleep(max(0.0, started + due - time.perf_counter()))
            group.spawn(self._send, body, started, due)
        group.join()

    def _send_flat_out(self, bodies: list[bytes]) -> None:
        group = Group()
        started = time.perf_counter()

        def client(first: int) -> None:
            number = first
            while (now := time.perf_counter() - started) < PLAN["seconds"]:
                self._send(bodies[number % len(bodies)], started, now)
                number += PLAN["clients"]

        for first in range(PLAN["clients"]):
            group.spawn(client, first)
        group.join()

    def _send(self, body: bytes, started: float, due: float) -> None:
        """Send a request; remember when it was due, begun and answered, and its status."""
        begun = time.perf_counter() - started
        response = self.client.post(
            PLAN["path"], data=body, headers={"Content-Type": "application/json"}
        )
        answered = time.perf_counter() - started
        self.seen.append((due, begun, answered, response.status_code))
