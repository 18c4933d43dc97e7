"""The servers to compare: each in its own process, restarted for every load."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import httpx

from simulators import ROOT
from simulators.process import HOST, ServerProcess, free_port, inherited_environment
from toxic_bot.judge.errors import ToxicBotError

START = 120.0
"""Seconds in which a server has to give its first verdict."""
PATH = "/v1/verdicts"


@dataclass(frozen=True, slots=True)
class Server:
    """A running server.

    Parameters
    ----------
    address
        Where it listens.
    pid
        Its process.
    """

    address: str
    pid: int

    def cpu_seconds(self) -> float:
        """Return the CPU time of its process and their children so far."""
        return sum(_cpu_seconds(pid) for pid in _family(self.pid))


StartServer = Callable[[], AbstractContextManager[Server]]


@contextmanager
def service(model: Path, *options: str) -> Iterator[Server]:
    """Run ``toxic-bot serve`` with a model folder."""
    command = ["-m", "toxic_bot", "serve", "--model", str(model.resolve()), *options]
    with _started(command, {}) as server:
        yield server


@contextmanager
def peer(checkpoint: Path, device: str = "cpu") -> Iterator[Server]:
    """Run the peer with a Hugging Face folder."""
    command = ["-m", "uvicorn", "benchmarks.serving.peer:app", "--no-access-log"]
    variables = {
        "PEER_CHECKPOINT": str(checkpoint.resolve()),
        "PEER_DEVICE": device,
        "HF_HUB_OFFLINE": "1",
    }
    with _started(command, variables) as server:
        yield server


def has_pytorch() -> bool:
    """Report whether the peer can run: PyTorch and transformers are installed."""
    return find_spec("torch") is not None and find_spec("transformers") is not None


@contextmanager
def _started(command: list[str], variables: Mapping[str, str]) -> Iterator[Server]:
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        process = ServerProcess(
            [sys.executable, *command, "--port", str(port)],
            port=port,
            log=Path(folder) / "server.log",
            environment={**inherited_environment(), **variables},
            folder=ROOT,
        )
        try:
            process.wait_until_listening(START)
            server = Server(f"http://{HOST}:{port}", process.pid)
            _warm_up(server)
            yield server
        finally:
            process.stop()


def _warm_up(server: Server) -> None:
    deadline = time.monotonic() + START
    with httpx.Client(base_url=server.address, timeout=START) as client:
        answered = 0
        while answered < 20:
            if client.post(PATH, json={"text": "ready to judge the first message"}).is_success:
                answered += 1
            elif time.monotonic() > deadline:
                raise ToxicBotError(f"{server.address} gives no verdict")


def _family(pid: int) -> list[int]:
    children = (
        int(child)
        for tasks in Path(f"/proc/{pid}/task").glob("*/children")
        for child in tasks.read_text().split()
    )
    return [pid, *(each for child in children for each in _family(child))]


def _cpu_seconds(pid: int) -> float:
    # Fields 14 and 15 of proc(5)'s stat; the name before them may hold spaces.
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
