"""Callers: the function's process at the other end of a connection on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from signal import SIGKILL

RUNTIME = b"awslambdaric"
"""In the command line of every process that runs a function."""
_LOOKS = 5


def kill_caller(port: int, server: int) -> bool:
    """Kill the function at the other end of a connection.

    Parameters
    ----------
    port
        Port of its end. Connections to other servers may have the same.
    server
        Port of the end that is asked.

    Returns
    -------
    bool
        Whether a function was killed; nothing but a function's process ever is.
    """
    # A list that the kernel writes while connections come and go may lack one that stays.
    return any(_kill_owner(f"socket:[{_inode(port, server)}]") for _ in range(_LOOKS))


def _kill_owner(socket: str) -> bool:
    for process in _functions():
        if socket in _files(process):
            with suppress(ProcessLookupError):
                os.kill(int(process.name), SIGKILL)
                return True
    return False


def _files(process: Path) -> Iterator[str]:
    """Return what a process has open; a file that it closes meanwhile hides no other."""
    with suppress(OSError):
        for file in Path(process, "fd").iterdir():
            with suppress(OSError):
                yield str(file.readlink())


def _inode(port: int, server: int) -> str:
    """Return the inode of the socket with a local port that is connected to a server's."""
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        ends = fields[1].rpartition(":")[2], fields[2].rpartition(":")[2]
        if ends == (f"{port:04X}", f"{server:04X}") and fields[9] != "0":
            return fields[9]
    return ""


def _functions() -> Iterator[Path]:
    for process in Path("/proc").iterdir():
        with suppress(OSError):
            # The emulator's command line contains the function's.
            words = process.name.isdigit() and Path(process, "cmdline").read_bytes().split(b"\0")
            if words and RUNTIME in words and words[0].rpartition(b"/")[2].startswith(b"python"):
                yield process
