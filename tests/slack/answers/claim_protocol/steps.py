"""A worker that stops before each of its steps, until it is told how the step ends."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from queue import SimpleQueue
from typing import TypeVar

_Result = TypeVar("_Result")

TIMEOUT = 60
"""Seconds after which a worker counts as stuck; a step takes milliseconds."""


class Ending(StrEnum):
    """How a step ends."""

    WORKS = "works"
    FAILS = "fails without effect"
    LOST = "takes effect, but its response is lost"
    LATE = "takes effect later, after its caller gave up"
    KILLED_BEFORE = "its worker is killed before it"
    KILLED_AFTER = "its worker is killed after it"


class KilledError(BaseException):
    """Ends a worker where it is; what it does on its way out has no effect."""


@dataclass(slots=True)
class Try:
    """One try of a worker to answer a gesture.

    Parameters
    ----------
    until
        When it ends at the latest, in Unix seconds.
    disturbed
        Whether any of its steps did not simply work.
    """

    until: float
    disturbed: bool = False


@dataclass(frozen=True, slots=True)
class Late:
    """The effect of a step that comes after its caller gave up, but before the try's claims lapse.

    Parameters
    ----------
    until
        When it comes at the latest, in Unix seconds.
    effect
        What happens then.
    """

    until: float
    effect: Callable[[], object]


_current = threading.local()


def current_steps() -> Steps:
    """Return the steps of the worker whose thread this is."""
    steps: Steps = _current.steps
    return steps


class Steps:
    """The steps of one worker.

    Only one thread runs at a time: the worker's between two steps, or else the machine's.
    """

    def __init__(self) -> None:
        self.attempt = Try(0.0)
        self.waits_at = ""
        """The step that the worker is about to take; empty if it does nothing."""
        self.late: list[Late] = []
        self._at: SimpleQueue[str] = SimpleQueue()
        self._endings: SimpleQueue[Ending] = SimpleQueue()
        self._killed = False
        self._error: BaseException | None = None

    def begin(self, work: Callable[[], None], until: float) -> None:
        """Let the worker do something, up to its first step."""
        self._killed = False
        self.attempt = Try(until)
        threading.Thread(target=self._work, args=(work,), daemon=True).start()
        self._wait()

    def go_on(self, ending: Ending) -> None:
        """End the worker's step, and let it go on to its next one."""
        self.attempt.disturbed |= ending is not Ending.WORKS
        self._endings.put(ending)
        self._wait()

    def take(
        self, name: str, effect: Callable[[], _Result], error: Exception, *, late: bool = False
    ) -> _Result:
        """Take a step of this worker, in its thread.

        Parameters
        ----------
        name
            What it is.
        effect
            Takes it.
        error
            What its caller sees if it does not work.
        late
            Whether its effect can come after the error.
        """
        if self._killed:
            raise KilledError
        self._at.put(name)
        ending = self._endings.get()
        if ending is Ending.LATE and not late:
            ending = Ending.FAILS
        if ending is Ending.LATE:
            self.late.append(Late(self.attempt.until, effect))
        if ending is Ending.KILLED_BEFORE:
            self._killed = True
            raise KilledError
        result = None
        if ending in (Ending.WORKS, Ending.LOST, Ending.KILLED_AFTER):
            result = effect()
        if ending is Ending.KILLED_AFTER:
            self._killed = True
            raise KilledError
        if ending is Ending.WORKS:
            return result  # type: ignore[return-value] # the effect's, if it has one
        raise error

    def _work(self, work: Callable[[], None]) -> None:
        _current.steps = self
        try:
            work()
        except KilledError:
            pass
        except BaseException as error:
            self._error = error
        finally:
            self._at.put("")

    def _wait(self) -> None:
        self.waits_at = self._at.get(timeout=TIMEOUT)
        if self._error is not None:
            error, self._error = self._error, None
            raise error
