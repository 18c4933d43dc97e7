"""Server processes: free ports, start, readiness and stop."""

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

from simulators import LocalError

HOST = "127.0.0.1"
# Below the ephemeral range, from which the system assigns ports to outgoing connections: such
# a connection could take the port before the server listens on it (ip_local_port_range in
# Linux's ip-sysctl, RFC 6335).
_PORTS = range(10_000, 32_768)
_ports = itertools.cycle(random.sample(_PORTS, len(_PORTS)))
INHERITED_VARIABLES = ("HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH", "TMPDIR", "TZ")


def inherited_environment() -> dict[str, str]:
    """Return the only environment variables that a server inherits from this process."""
    return {name: os.environ[name] for name in INHERITED_VARIABLES if name in os.environ}


def free_port() -> int:
    """Return a TCP port that nothing listens on, a different one each time.

    Raises
    ------
    LocalError
        When every port is in use.
    """
    for _ in _PORTS:
        port = next(_ports)
        with suppress(OSError), socket.socket() as listener:
            listener.bind((HOST, port))
            return port
    raise LocalError(f"no port from {_PORTS.start} to {_PORTS.stop - 1} is free: stop a server")


class ServerProcess:
    """A command that listens on a port, in its own process group.

    Parameters
    ----------
    command
        Program and arguments.
    port
        The port that the command will listen on.
    log
        File to which its standard output and standard error are appended.
    environment
        All of its environment variables; it inherits none.
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
        """The process ID, which is also the process group ID."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the process is still running."""
        return self._process.poll() is None

    def wait_until_listening(self, timeout: float = 20.0) -> None:
        """Wait until the port accepts connections.

        Raises
        ------
        LocalError
            When the process exits first, or ``timeout`` seconds pass.
        """
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            with suppress(OSError), socket.create_connection((HOST, self.port), timeout=1):
                return
            if not self.running:
                reason = _last_line(self.log.read_text("utf-8", "replace"))
                raise LocalError(f"{self._name} exited during startup: {reason}")
            time.sleep(0.02)
        raise LocalError(
            f"{self._name} is not listening after {timeout:.0f} seconds: see {self.log}"
        )

    def wait(self, timeout: float) -> None:
        """Wait until the process has ended.

        Raises
        ------
        subprocess.TimeoutExpired
            When it runs on.
        """
        self._process.wait(timeout)

    def kill(self) -> None:
        """End the whole process group at once."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()

    def stop(self, timeout: float = 3.0) -> None:
        """Stop the whole process group; do nothing if it has already exited.

        Parameters
        ----------
        timeout
            Seconds to wait after each signal: SIGTERM, then SIGKILL.
        """
        for signal_number in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal_number)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout)
                break
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)


@contextmanager
def no_children_left() -> Iterator[None]:
    """Kill every child process that is left when the block ends, however it ends.

    Whoever starts a server also stops it. A signal may arrive after a process has started
    but before its starter holds a reference to it; only then is a child left.
    """
    try:
        yield
    finally:
        for tasks in Path("/proc/self/task").glob("*/children"):
            for pid in tasks.read_text().split():
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(int(pid), signal.SIGKILL)


def _last_line(text: str) -> str:
    """Return the last line of a log, or the last one before a Go program's panic trace."""
    before_panic = text.rpartition("\npanic: ")[0] or text
    return (before_panic.strip().splitlines() or ["its log is empty"])[-1]
