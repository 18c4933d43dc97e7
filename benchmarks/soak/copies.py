"""Copies of the standalone bot on one database, which are killed and live by a wrong clock."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from simulators import LocalError
from simulators.process import ServerProcess

START_TIMEOUT = 120.0
"""Seconds for which a copy may start, beside everything else that runs."""

_PROGRAM = """
import sys, time
from pathlib import Path
clock, offset = time.time, Path(sys.argv.pop(1))
time.time = lambda: clock() + float(offset.read_text() or 0)
from toxic_bot.cli.command_line import main
sys.exit(main(sys.argv[1:]))
"""
"""The bot, with a clock that is wrong by the seconds in a file."""


class Copies:
    """Copies of the bot. A copy that is killed is started again at once.

    Parameters
    ----------
    commands
        The arguments of each copy, and the port that it listens on, if any.
    environment
        All of their environment variables.
    folder
        For their logs and the file of the clock.

    Attributes
    ----------
    kills
        How many have been killed so far.
    deaths
        How many have ended by themselves so far.
    """

    def __init__(
        self, commands: list[tuple[list[str], int]], environment: Mapping[str, str], folder: Path
    ) -> None:
        self.kills = 0
        self.deaths = 0
        self._commands = commands
        self._environment = environment
        self._folder = folder
        self._lock = threading.Lock()
        self._clock = folder / "clock"
        self.turn_clock(0)
        self._processes = [self._start(number) for number in range(len(commands))]

    def _start(self, number: int) -> ServerProcess:
        arguments, port = self._commands[number]
        return ServerProcess(
            [sys.executable, "-c", _PROGRAM, str(self._clock), *arguments],
            port=port,
            log=self._folder / f"bot{number}.log",
            environment=self._environment,
            folder=self._folder,
        )

    def turn_clock(self, seconds: float) -> None:
        """Let the copies' clock be wrong by some seconds."""
        new = self._clock.with_suffix(".new")
        new.write_text(str(seconds))
        new.replace(self._clock)

    def kill(self, number: int) -> None:
        """Kill a copy, and start it again."""
        # Nobody else may find it dead in between and start it, too: the two would share its port.
        with self._lock:
            self._processes[number].kill()
            self.kills += 1
            self._processes[number] = self._start(number)

    def revive(self) -> None:
        """Start again what has ended by itself, as a supervisor does."""
        with self._lock:
            for number, process in enumerate(self._processes):
                if not process.running:
                    self.deaths += 1
                    self._processes[number] = self._start(number)

    def wait_until(self, is_ready: Callable[[], bool]) -> None:
        """Wait until the copies are ready.

        Raises
        ------
        LocalError
            When one of them ends, or they are not ready in time.
        """
        deadline = time.monotonic() + START_TIMEOUT
        while not is_ready():
            if time.monotonic() > deadline or not all(one.running for one in self._processes):
                lines = self.log().strip().splitlines()
                raise LocalError(f"the bot does not start: {(lines or ['its log is empty'])[-1]}")
            time.sleep(0.05)

    def log(self) -> str:
        """Return what all copies have written so far."""
        files = sorted(self._folder.glob("bot*.log"))
        return "".join(file.read_text("utf-8", "replace") for file in files)

    def stop(self) -> None:
        """Stop the copies."""
        for process in self._processes:
            process.stop()


@contextmanager
def started(
    commands: list[tuple[list[str], int]], environment: Mapping[str, str], folder: Path
) -> Iterator[Copies]:
    """Start copies of the bot; see `Copies`."""
    copies = Copies(commands, environment, folder)
    try:
        yield copies
    finally:
        copies.stop()
