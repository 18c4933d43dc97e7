"""ASGI applications on a port of this machine, in a thread of this process."""

from __future__ import annotations

import socket
import threading
import time

import uvicorn
from starlette.types import ASGIApp

from local.errors import LocalError
from local.process import HOST


class Server:
    """A uvicorn server that runs until it is stopped.

    Parameters
    ----------
    application
        What it serves.
    port
        Where; 0 takes a free port.
    """

    def __init__(self, application: ASGIApp, port: int = 0) -> None:
        # asyncio sends at once only where a socket is known to be TCP's; else a second answer
        # on one connection would wait 40 ms for the client's acknowledgement of the first part.
        self._socket = socket.socket(proto=socket.IPPROTO_TCP)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind((HOST, port))
        except OSError as error:
            self._socket.close()
            raise LocalError(
                f"port {port} cannot be used ({error.strerror}): choose another with --port"
            ) from error
        self.port: int = self._socket.getsockname()[1]
        self.address = f"http://{HOST}:{self.port}"
        config = uvicorn.Config(
            application,
            log_config=None,
            access_log=False,
            lifespan="off",
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, args=([self._socket],), name="server", daemon=True
        )

    def start(self) -> None:
        """Start serving, and return once connections are accepted."""
        self._thread.start()
        while not self._server.started and self._thread.is_alive():
            time.sleep(0.005)

    def stop(self) -> None:
        """Stop serving."""
        self._server.should_exit = True
        self._server.force_exit = True
        if self._thread.is_alive():
            self._thread.join(5)
        self._socket.close()
