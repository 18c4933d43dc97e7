"""What befalls the standalone bot in a soak, besides what Slack does."""

from __future__ import annotations

import os
import random
import socket
import sqlite3
import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from benchmarks.soak.copies import Copies
from simulators.process import HOST

EVERY = 25
"""Reactions, on average, between two troubles."""

DISK = "64m"
"""Size of the disk that is filled: what the bot keeps of thousands of reactions is a tenth."""

LONGEST = 4.0
"""Seconds that a trouble lasts at most."""

SLOW_CLIENTS = 100

FRAMES = (
    "",
    "no JSON",
    "[]",
    "7",
    '"text"',
    "{}",
    '{"type": "telegram"}',
    '{"type": "events_api"}',
    '{"type": "events_api", "envelope_id": 7, "payload": {}}',
    '{"type": "events_api", "envelope_id": "odd", "payload": []}',
    '{"type": "events_api", "envelope_id": "odd", "payload": {"event": {"type": ["list"]}}}',
    '{"type": "interactive", "envelope_id": "odd", "payload": {"type": null}}',
    '{"type": "slash_commands", "envelope_id": "odd", "payload": {"text": 5}}',
    '{"type": "hello", "connection_info": 5}',
    '{"type": "events_api", "envelope_id": "odd", "payload": {"event": ' + "[" * 900,
)

_BEGINNINGS = (
    b"",
    b"POST /slack/events HTTP/1.1\r\nHost: bot\r\nX-Slow: ",
    b"POST /slack/events HTTP/1.1\r\nHost: bot\r\nContent-Length: 900000\r\n\r\n{",
    b"POST /slack/events HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
)

Trouble = Callable[[float], None]
"""Lasts for some seconds."""


class Troubles:
    """Troubles, one at a time, chosen by chance.

    Parameters
    ----------
    kinds
        What can happen, by name.
    chance
        Chooses.

    Attributes
    ----------
    played
        How often each has happened.
    """

    def __init__(self, kinds: dict[str, Trouble], chance: random.Random) -> None:
        self.played: Counter[str] = Counter()
        self._kinds = kinds
        self._chance = chance
        self._thread: threading.Thread | None = None

    def tick(self) -> None:
        """Begin one, perhaps: call it for each reaction."""
        if self._chance.random() >= 1 / EVERY:
            return
        name = self._chance.choice(sorted(self._kinds))
        seconds = self._chance.uniform(0.2, LONGEST)
        self.wait()
        self.played[name] += 1
        self._thread = threading.Thread(target=self._kinds[name], args=(seconds,))
        self._thread.start()

    def wait(self) -> None:
        """Wait until the last one is over."""
        if self._thread is not None:
            self._thread.join()


def killing(copies: Copies, count: int, chance: random.Random) -> Trouble:
    """Return the trouble that a copy is killed."""

    def kill(seconds: float) -> None:
        threading.Event().wait(seconds / LONGEST)
        copies.kill(chance.randrange(count))

    return kill


def turning(copies: Copies, jumps: Sequence[float], chance: random.Random) -> Trouble:
    """Return the trouble that the clock jumps, and jumps back."""

    def turn(seconds: float) -> None:
        copies.turn_clock(chance.choice(jumps))
        threading.Event().wait(seconds)
        copies.turn_clock(0)

    return turn


def filling(folder: Path) -> Trouble:
    """Return the trouble that the disk is full."""
    ballast = folder / "ballast"

    def fill(seconds: float) -> None:
        with ballast.open("wb", buffering=0) as file:
            for size in (65536, 4096, 1):
                with suppress(OSError):
                    while True:
                        file.write(b"x" * size)
        threading.Event().wait(seconds)
        ballast.unlink()

    return fill


def locking(database: Path) -> Trouble:
    """Return the trouble that another process holds the database."""

    def lock(seconds: float) -> None:
        connection = sqlite3.connect(database, isolation_level=None, timeout=30)
        with suppress(sqlite3.Error):
            connection.execute("BEGIN IMMEDIATE")
            threading.Event().wait(seconds)
        connection.close()

    return lock


@contextmanager
def small_disk(folder: Path) -> Iterator[bool]:
    """Mount a disk that can be filled; yield False where only root may, and none is mounted."""
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        yield False
        return
    try:
        yield True
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def slow_clients(port: int, count: int = SLOW_CLIENTS) -> Iterator[Callable[[], None]]:
    """Hold requests open that have begun and do not end; yield what opens them anew."""
    with ExitStack() as exits:
        held: list[socket.socket] = []

        def release() -> None:
            for connection in held:
                connection.close()
            held.clear()

        def hold() -> None:
            release()
            for number in range(count):
                with suppress(OSError):
                    connection = socket.create_connection((HOST, port), timeout=1)
                    held.append(connection)
                    connection.sendall(_BEGINNINGS[number % len(_BEGINNINGS)])

        exits.callback(release)
        hold()
        yield hold
