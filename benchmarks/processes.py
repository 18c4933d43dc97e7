"""What the processes of a load use: CPU time and memory, from ``/proc``."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")

ROLES = {
    "handler.receiver": "receiver",
    "handler.worker": "worker",
    "simulators.aws.moto_server": "moto",
    "toxic_bot": "bot",
}
"""What a process is, by a word of its command."""

SELF = "Slack, gateway, pollers and this benchmark"
EMULATOR = "emulator"


@dataclass(frozen=True, slots=True)
class Process:
    """A process at one moment.

    Parameters
    ----------
    role
        What it is.
    cpu
        Seconds of CPU time so far, in user space and in the kernel.
    memory
        Resident bytes.
    """

    role: str
    cpu: float
    memory: int


def own_processes() -> dict[int, Process]:
    """Return this process and all its descendants by process ID."""
    found: dict[int, Process] = {}
    waiting = [os.getpid()]
    while waiting:
        pid = waiting.pop()
        process = _read(pid)
        if process is not None:
            found[pid] = process
            waiting += _children(pid)
    return found


def cpu_between(before: Mapping[int, Process], after: Mapping[int, Process]) -> dict[str, float]:
    """Return the seconds of CPU time that each role used between two moments.

    A process that ended in between is not counted, and one that started counts as a whole.
    """
    seconds: defaultdict[str, float] = defaultdict(float)
    for pid, process in after.items():
        earlier = before.get(pid)
        seconds[process.role] += process.cpu - (earlier.cpu if earlier else 0.0)
    return dict(seconds)


def memory_of(processes: Mapping[int, Process], role: str) -> int:
    """Return the resident bytes of the largest process of a role; 0 without one."""
    return max((one.memory for one in processes.values() if one.role == role), default=0)


def resident_memory() -> int:
    """Return the resident bytes of this process."""
    process = _read(os.getpid())
    return process.memory if process else 0


def role_of(command: str) -> str:
    """Return what a process is, by its command line."""
    role = next((role for word, role in ROLES.items() if word in command), SELF)
    return f"{role}'s {EMULATOR}" if "aws-lambda-rie" in command else role


def _read(pid: int) -> Process | None:
    folder = Path(f"/proc/{pid}")
    try:
        # The name of the program, in parentheses, may contain anything.
        fields = (folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return None
    ticks = int(fields[11]) + int(fields[12])
    role = SELF if pid == os.getpid() else role_of(command)
    return Process(role, ticks / TICKS_PER_SECOND, int(fields[21]) * PAGE)


def _children(pid: int) -> Iterator[int]:
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            yield from map(int, path.read_text().split())
        except OSError:
            continue
