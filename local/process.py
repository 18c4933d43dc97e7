"""Server processes that are started, waited for and stopped."""

from __future__ import annotations

import itertools
import os
import random
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from local import LocalError

HOST = "127.0.0.1"
# Below those that outgoing connections are given: one of these could be taken by a connection
# before the server listens on it (ip_local_port_range in Linux's ip-sysctl, RFC 6335).
_PORTS = range(10_000, 32_768)
_ports = itertools.cycle(random.sample(_PORTS, len(_PORTS)))
INHERITED = ("HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH", "TMPDIR", "TZ")


def inherited() -> dict[str, str]:
    """Return the variables that a server gets from this process; it sees no others of it."""
    return {name: os.environ[name] for name in INHERITED if name in os.environ}


def free_port() -> int:
    """Return a TCP port of this machine that nothing listens on, another one each time.

    Raises
    ------
    LocalError
        When there is none.
    """
    for _ in _PORTS:
        port = next(_ports)
        with suppress(OSError), socket.socket() as listener:
            listener.bind((HOST, port))
            return port
    raise LocalError(f"no port from {_PORTS.start} to {_PORTS.stop - 1} is free: stop a server")


class ServerProcess:
    """A command that serves a port, in a process group of its own.

    Parameters
    ----------
    command
        Program and arguments.
    port
        Where it will listen.
    log
        Takes its standard output and standard error.
    environment
        Its whole environment.
    folder
        Its working directory.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        port: int,
        log: Path,
        environment: Mapping[str, str],
        folder: Path,
    ) -> None:
        self.port = port
        self.log = log
        self._name = Path(command[0]).name
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=dict(environment),
                cwd=folder,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """The process id, which is the process group's too."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    def wait_until_listening(self, seconds: float = 20.0) -> None:
        """Return once the port accepts connections.

        Raises
        ------
        LocalError
            When the process ends first, or takes longer.
        """
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with suppress(OSError), socket.create_connection((HOST, self.port), timeout=1):
                return
            if not self.running:
                said = _last_words(self.log.read_text("utf-8", "replace"))
                raise LocalError(f"{self._name} ended while it started: {said}")
            time.sleep(0.02)
        raise LocalError(f"{self._name} does not listen after {seconds:.0f} seconds: {self.log}")

    def stop(self, patience: float = 3.0) -> None:
        """End the whole process group; harmless when it has ended."""
        for sign in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.killpg(self.pid, sign)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(patience)
                break
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)


@contextmanager
def no_children_left() -> Iterator[None]:
    """Kill every child that is still there at the end, however the block ends.

    Servers are stopped by whoever started them. This is for the moment between starting a
    process and knowing it, in which a signal may arrive.
    """
    try:
        yield
    finally:
        for tasks in Path("/proc/self/task").glob("*/children"):
            for pid in tasks.read_text().split():
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(int(pid), signal.SIGKILL)


def _last_words(text: str) -> str:
    """Return the last line of a log, or the one before the trace that a Go program ends with."""
    before = text.rpartition("\npanic: ")[0] or text
    return (before.strip().splitlines() or ["-"])[-1]
