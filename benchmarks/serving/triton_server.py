"""Triton Inference Server, the real one, from the wheel in its own environment."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from simulators import ROOT
from simulators.process import HOST, ServerProcess, free_port
from toxic_bot.judge.errors import ToxicBotError

START = 60.0
"""Seconds within which the server must be ready."""


@dataclass(frozen=True, slots=True)
class Triton:
    """A server, which may not be ready yet.

    Parameters
    ----------
    http, grpc
        Where it listens: host and port.
    process
        Its process.
    """

    http: str
    grpc: str
    process: ServerProcess

    def wait_until_ready(self) -> None:
        """Wait until it serves its models.

        Raises
        ------
        ToxicBotError
            When it has ended, or is not ready in time.
        """
        deadline = time.monotonic() + START
        while not is_ready(self.http):
            if not self.process.running or time.monotonic() > deadline:
                log = self.process.log.read_text("utf-8", "replace")
                raise ToxicBotError(f"Triton is not ready: {' '.join(log[-500:].split())}")
            time.sleep(0.1)


def is_ready(address: str) -> bool:
    """Report whether a server serves its models, by the host and port of its HTTP endpoint."""
    try:
        return httpx.get(f"http://{address}/v2/health/ready", trust_env=False).is_success
    except httpx.HTTPError:
        return False


def environment() -> Path:
    """Return the environment that the server is in.

    Raises
    ------
    ToxicBotError
        When it is not installed.
    """
    folder = Path(os.environ.get("TRITON_ENVIRONMENT") or ROOT / ".venv" / "triton")
    if not list(folder.glob("lib/python3.*/site-packages/pytriton")):
        raise ToxicBotError("Triton's server is not installed: 'make .venv/triton' installs it")
    return folder


@contextmanager
def started(repository: Path, folder: Path, *options: str) -> Iterator[Triton]:
    """Start a server with a model repository.

    Parameters
    ----------
    repository
        The repository.
    folder
        For its log and its backend.
    options
        Further options of ``tritonserver``.

    Raises
    ------
    ToxicBotError
        When it is not installed.
    """
    [packages] = environment().glob("lib/python3.*/site-packages")
    http, grpc = free_port(), free_port()
    process = ServerProcess(
        [
            str(packages / "pytriton" / "tritonserver" / "bin" / "tritonserver"),
            f"--model-repository={repository}",
            f"--backend-directory={_backends(packages, folder)}",
            f"--http-port={http}",
            f"--grpc-port={grpc}",
            f"--http-address={HOST}",
            f"--grpc-address={HOST}",
            "--allow-metrics=false",
            *options,
        ],
        port=http,
        log=folder / "triton.log",
        environment={
            "PATH": f"{environment() / 'bin'}:{os.environ['PATH']}",
            "LD_LIBRARY_PATH": str(packages / "nvidia_pytriton.libs"),
            "PYTHONPATH": str(packages),
        },
        folder=folder,
    )
    try:
        yield Triton(f"{HOST}:{http}", f"{HOST}:{grpc}", process)
    finally:
        process.stop(20)


def _backends(packages: Path, folder: Path) -> Path:
    """Write the Python backend with the stub of its Python, as Triton's container has them."""
    parts = packages / "pytriton" / "tritonserver"
    backends = folder / "backends"
    if not backends.exists():
        shutil.copytree(parts / "backends" / "python", backends / "python")
        version = packages.parent.name.removeprefix("python")
        stub = parts / "python_backend_stubs" / version / "triton_python_backend_stub"
        shutil.copy(stub, backends / "python")
    return backends
