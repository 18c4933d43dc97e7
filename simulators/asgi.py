"""ASGI applications on a port of this machine, in a thread of this process."""

from __future__ import annotations

import asyncio
import socket
import threading
import time

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from simulators import LocalError
from simulators.process import HOST

GRACE = 1
"""Seconds that requests may take to end once the server is asked to stop."""


class Server:
    """A uvicorn server that runs until it is stopped.

    Parameters
    ----------
    application
        The application to serve.
    port
        Port to listen on; 0 for any free port.

    Raises
    ------
    LocalError
        When the port is in use.
    """

    def __init__(self, application: ASGIApp, port: int = 0) -> None:
        # asyncio disables Nagle's algorithm only where a socket says that it is TCP. Otherwise
        # a second response on a connection waits 40 ms for the client's delayed acknowledgment.
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
        self._application = _Stoppable(application)
        config = uvicorn.Config(
            self._application,
            log_config=None,
            access_log=False,
            lifespan="off",
            timeout_graceful_shutdown=GRACE,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, args=([self._socket],), name="server", daemon=True
        )

    def start(self) -> None:
        """Start serving; return once connections are accepted."""
        self._thread.start()
        while not self._server.started and self._thread.is_alive():
            time.sleep(0.005)

    def stop(self) -> None:
        """Stop serving; streams end, and other requests have `GRACE` seconds."""
        self._application.stop()
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join(GRACE + 5)
        self._socket.close()


class _Stoppable:
    """An application whose requests learn that the server stops.

    uvicorn tells a request nothing when it shuts down. A stream would go on, and canceling
    it after the grace period prints a traceback.
    """

    def __init__(self, application: ASGIApp) -> None:
        self._application = application
        self._lock = threading.Lock()
        self._stopping = False
        self._waiting: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}

    def stop(self) -> None:
        with self._lock:
            self._stopping = True
            for event, loop in self._waiting.items():
                loop.call_soon_threadsafe(event.set)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        stopped = asyncio.Event()
        response = _Response(send)

        async def receive_or_stop() -> Message:
            message = asyncio.ensure_future(receive())
            stop = asyncio.ensure_future(stopped.wait())
            try:
                await asyncio.wait({message, stop}, return_when=asyncio.FIRST_COMPLETED)
                return message.result() if message.done() else {"type": "http.disconnect"}
            finally:
                message.cancel()
                stop.cancel()

        with self._lock:
            self._waiting[stopped] = asyncio.get_running_loop()
            if self._stopping:
                stopped.set()
        try:
            await self._application(scope, receive_or_stop, response.send)
        except asyncio.CancelledError:
            if not self._stopping:
                raise
        finally:
            with self._lock:
                del self._waiting[stopped]
        if self._stopping:
            await response.complete()


class _Response:
    """A response that can be completed wherever the application left it."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._started = False
        self._completed = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._started = True
        elif message["type"] == "http.response.body":
            self._completed = not message.get("more_body", False)
        await self._send(message)

    async def complete(self) -> None:
        if not self._started:
            await self.send({"type": "http.response.start", "status": 503, "headers": []})
        if not self._completed:
            await self.send({"type": "http.response.body", "body": b""})
