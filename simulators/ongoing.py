"""Work that other threads are doing, and a wait for its end."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Ongoing:
    """Pieces of work in progress."""

    def __init__(self) -> None:
        self._pieces: set[object] = set()
        self._ended = threading.Condition()

    @contextmanager
    def piece(self) -> Iterator[None]:
        """Count one more piece of work within the context."""
        piece = object()
        with self._ended:
            self._pieces.add(piece)
        try:
            yield
        finally:
            with self._ended:
                self._pieces.discard(piece)
                self._ended.notify_all()

    def wait(self, timeout: float) -> bool:
        """Wait until whatever is in progress now has ended; what begins later does not matter.

        Returns
        -------
        bool
            False after ``timeout`` seconds.
        """
        with self._ended:
            now = frozenset(self._pieces)
            return self._ended.wait_for(lambda: now.isdisjoint(self._pieces), timeout)
