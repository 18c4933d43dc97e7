"""A trial run of the service image: it starts without root, judges, and ends when told to."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import httpx

from image import ImageError
from image.container import peak_memory
from image.engine import Engine
from image.shell import run
from image.trial import TEXTS
from simulators.process import HOST, ServerProcess, free_port

READY_TIMEOUT = 60.0
"""Seconds until the first verdict."""
ROUNDS = 20
"""How often each text is judged."""
SERVE = ("python3", "-m", "toxic_bot", "serve", "--model", "/opt/model")
"""The image's entry point, without the address."""


@dataclass(frozen=True, slots=True)
class ServiceTrial:
    """What the service did in its container.

    Parameters
    ----------
    ready_ms
        Milliseconds from its start to its first verdict.
    verdict_ms
        Median milliseconds of a request with one text.
    peak_bytes
        Peak memory of its processes.
    """

    ready_ms: float
    verdict_ms: float
    peak_bytes: int


def try_service(engine: Engine, tag: str) -> ServiceTrial:
    """Start the service in an image, ask it for verdicts and stop it.

    Raises
    ------
    ImageError
        If it does not serve as it should.
    """
    _check_refusal(engine, tag)
    with (
        tempfile.TemporaryDirectory(prefix="service-") as name,
        engine.container(tag, []) as container,
        httpx.Client(trust_env=False, timeout=30) as client,
    ):
        folder, port = Path(name), free_port()
        address = f"http://{HOST}:{port}"
        started = time.perf_counter()
        process = ServerProcess(
            [*container.command, *SERVE, "--host", "0.0.0.0", "--port", str(port), "--no-keys"],
            port=port,
            log=folder / "toxic_bot.service.log",
            environment={"PATH": os.environ["PATH"]},
            folder=folder,
        )
        try:
            process.wait_until_listening(READY_TIMEOUT)
            _wait_until_ready(client, address)
            ready_ms = (time.perf_counter() - started) * 1000
            times = [_judge(client, address, *pair) for pair in enumerate(TEXTS)]
            for _ in range(ROUNDS - 1):
                times += [_judge(client, address, *pair) for pair in enumerate(TEXTS)]
            peak = sum(peak_memory(pid) for pid in container.pids(process.pid))
            _check_end(process)
        finally:
            process.stop()
    return ServiceTrial(ready_ms, median(times), peak)


def _check_refusal(engine: Engine, tag: str) -> None:
    """Make sure that the image does not admit everybody by default."""
    with engine.container(tag, []) as container:
        try:
            run([*container.command, *SERVE, "--host", "0.0.0.0"], timeout=READY_TIMEOUT)
        except ImageError as error:
            if "--keys" in str(error):
                return
            raise
    raise ImageError("the service starts without keys, and should not")


def _wait_until_ready(client: httpx.Client, address: str) -> None:
    deadline = time.monotonic() + READY_TIMEOUT
    while time.monotonic() < deadline:
        with suppress(httpx.HTTPError):
            if client.get(f"{address}/readyz").status_code == 200:
                return
        time.sleep(0.02)
    raise ImageError("the service gave no verdict in time")


def _judge(client: httpx.Client, address: str, number: int, text: str) -> float:
    """Return the milliseconds that a verdict takes; every second text is toxic."""
    started = time.perf_counter()
    response = client.post(f"{address}/v1/verdicts", json={"text": text})
    milliseconds = (time.perf_counter() - started) * 1000
    if response.status_code != 200:
        raise ImageError(f"the service answers with status {response.status_code}")
    verdict = response.json()["verdicts"][0]["verdict"]
    if verdict != ("toxic" if number % 2 else "fine"):
        raise ImageError(f"the service calls text {number + 1} {verdict}")
    return milliseconds


def _check_end(process: ServerProcess) -> None:
    os.killpg(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(10)
    if process.running:
        raise ImageError("the service does not end when it is told to")
