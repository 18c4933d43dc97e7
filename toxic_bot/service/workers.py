"""The service in several processes, which share a port, the keys' rates and the counters.

One process judges on all threads, because ONNX Runtime releases the interpreter's lock. What
remains under the lock, HTTP and the reading of texts, is what further processes take over.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from fastapi import FastAPI
from prometheus_client.multiprocess import mark_process_dead
from uvicorn import Config
from uvicorn.supervisors import Multiprocess

from toxic_bot.service.application import create
from toxic_bot.service.keys import Keys, read_keys
from toxic_bot.service.listener import (
    address,
    bind,
    configuration,
    keeping_keys,
    load_classifier,
)
from toxic_bot.service.metrics import MULTIPROCESS_FOLDER
from toxic_bot.service.settings import ServiceSettings

_HEALTH_TIMEOUT = 60
"""Seconds after which a process that does not answer is replaced; a busy machine starts slowly."""


def serve(settings: ServiceSettings, started: Callable[[str], None]) -> int:
    """Serve until a signal asks to stop, and return the signal's number.

    A process that dies is replaced. SIGHUP replaces them all, one after the other, and reads the
    file of keys again.

    Parameters
    ----------
    settings
        The service's settings.
    started
        Called with the service's address.

    Raises
    ------
    ToxicBotError
        When the model, the keys or the port cannot be used.
    """
    settings.check_exposure()
    keys = read_keys(settings.keys, shared=True)
    # A folder that cannot be loaded is found here, once, and not by every process again and again.
    load_classifier(settings)
    with bind(settings.host, settings.port) as listener, TemporaryDirectory() as folder:
        os.environ[MULTIPROCESS_FOLDER] = folder
        try:
            return _supervise(settings, keys, listener, started)
        finally:
            del os.environ[MULTIPROCESS_FOLDER]


def _supervise(
    settings: ServiceSettings,
    keys: Keys,
    listener: socket.socket,
    started: Callable[[str], None],
) -> int:
    config = configuration(
        partial(_application, keys, settings),
        settings,
        factory=True,
        workers=settings.workers,
        timeout_worker_healthcheck=_HEALTH_TIMEOUT,
    )
    supervisor = _Supervisor(config, [listener], settings, keys)
    # Connections wait in the socket's queue until the first process takes them.
    listener.listen(config.backlog)
    started(address(listener))
    supervisor.run()
    return supervisor.signal


def _application(keys: Keys, settings: ServiceSettings) -> FastAPI:
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    return create(load_classifier(settings), keys, settings)


def _end_with_parent() -> None:
    """Stop this process when the one that started it is killed; it would serve on unseen."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


class _Supervisor(Multiprocess):
    """Uvicorn's, which also remembers why it ended and forgets what dead processes measured."""

    signal: int = signal.SIGTERM

    def __init__(
        self,
        config: Config,
        sockets: list[socket.socket],
        settings: ServiceSettings,
        keys: Keys,
    ) -> None:
        super().__init__(config, sockets)
        self._settings = settings
        self._keys = keys

    def handle_hup(self) -> None:
        """Replace all processes, one after the other; the new ones have the file's keys."""
        with keeping_keys():
            keys = read_keys(self._settings.keys, shared=True)
            self._keys = keys.keeping_rates_of(self._keys)
        self.config.app = partial(_application, self._keys, self._settings)
        super().handle_hup()

    def handle_int(self) -> None:
        """Stop."""
        self.signal = signal.SIGINT
        super().handle_int()

    def keep_subprocess_alive(self) -> None:
        """Replace dead processes."""
        for process in self.processes:
            # With the process's end of its pipe open in this one, too, a process that dies during a
            # health check would hold up everything until that times out.
            process.child_conn.close()
        before = {process.pid for process in self.processes}
        super().keep_subprocess_alive()
        folder = os.environ[MULTIPROCESS_FOLDER]
        for pid in before - {process.pid for process in self.processes}:
            if Path(folder).is_dir():
                # prometheus_client leaves this one untyped.
                mark_process_dead(pid, folder)  # type: ignore[no-untyped-call]
