"""slack_sdk's client over a connection that stays open between calls.

slack_sdk opens a new connection for every call, which costs two more round trips to Slack:
one for TCP and one for TLS. And its timeout is that of a single read, so a server that sends
a byte now and then could hold a call forever.
"""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.request import Request

from slack_sdk import WebClient
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager, Timeout
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ResponseError

MAX_RESPONSE = 20_000_000
"""Size of the largest response that is read, in bytes; a page of a thread has far less."""

MAX_CONNECTIONS = 16
"""Connections to a server that stay open; each is made when a thread first needs one."""

IDLE = 3600.0
"""Seconds between two looks of the watchdog while there is no call."""


class _Current(threading.local):
    """The call that the current thread makes."""

    deadline: _Deadline | None = None


_current = _Current()


class _Deadline:
    """Breaks a call's connection when the call has taken too long."""

    def __init__(self, seconds: float) -> None:
        self.sock: socket.socket | None = None
        self.at = time.monotonic() + seconds

    def __enter__(self) -> None:
        _current.deadline = self
        _watchdog.watch(self)

    def __exit__(self, *_: object) -> None:
        _watchdog.forget(self)
        _current.deadline = None

    def break_connection(self) -> None:
        if self.sock is not None:
            with suppress(OSError):
                # Not SSLSocket's own method, which changes state that the reader still uses.
                socket.socket.shutdown(self.sock, socket.SHUT_RDWR)


class _Watchdog:
    """Waits for the deadlines of all calls, in one thread: starting one for each is slow."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._deadlines: set[_Deadline] = set()
        self._wakes_at = 0.0
        self._thread: threading.Thread | None = None

    def watch(self, deadline: _Deadline) -> None:
        with self._changed:
            self._deadlines.add(deadline)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)
                self._thread.start()
            elif deadline.at < self._wakes_at:
                self._changed.notify()

    def forget(self, deadline: _Deadline) -> None:
        with self._changed:
            self._deadlines.discard(deadline)

    def _run(self) -> None:
        with self._changed:
            while True:
                now = time.monotonic()
                for late in [one for one in self._deadlines if one.at <= now]:
                    self._deadlines.discard(late)
                    late.break_connection()
                # Later ones are found then: calls that have ended need not wake this thread.
                self._wakes_at = min((one.at for one in self._deadlines), default=now + IDLE)
                self._changed.wait(self._wakes_at - now)


_watchdog = _Watchdog()


def _register(connection: HTTPConnection) -> None:
    if _current.deadline is not None:
        _current.deadline.sock = connection.sock


class _Connection(HTTPConnection):
    def request(self, *arguments: Any, **options: Any) -> None:
        super().request(*arguments, **options)
        _register(self)


class _SecureConnection(HTTPSConnection):
    def request(self, *arguments: Any, **options: Any) -> None:
        super().request(*arguments, **options)
        _register(self)


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _SecurePool(HTTPSConnectionPool):
    ConnectionCls = _SecureConnection


class BoundedPool:
    """Connections to one server that stay open, with a bound on every request.

    Parameters
    ----------
    timeout
        Seconds that a request may take, from its first byte to the response's last.
    ssl_context
        Whom to trust; None for plain HTTP.
    """

    def __init__(self, timeout: float, ssl_context: ssl.SSLContext | None) -> None:
        self._timeout = timeout
        self._pool = PoolManager(
            num_pools=1,
            maxsize=MAX_CONNECTIONS,
            retries=False,
            timeout=Timeout(timeout),
            ssl_context=ssl_context,
        )
        self._pool.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}

    def request(
        self, method: str, url: str, body: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Return the status, headers and body of a response.

        Raises
        ------
        OSError or urllib3.exceptions.HTTPError
            When there is none in time, or it is too long.
        """
        with _Deadline(self._timeout):
            response = self._pool.request(
                method, url, body=body, headers=headers, preload_content=False
            )
            content = response.read(MAX_RESPONSE)
        if len(content) == MAX_RESPONSE:
            response.close()
            raise ResponseError("the response is too long")
        response.release_conn()
        return response.status, response.headers, content


class KeepAliveClient(WebClient):
    """A `slack_sdk.WebClient` that reuses its connection, except behind a proxy.

    A connection that Slack has closed is noticed before anything is sent, and a new one is
    opened. Nothing is ever sent twice, and no call takes longer than ``timeout`` seconds,
    however slowly the response arrives.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._pool = BoundedPool(self.timeout, self.ssl)

    def _perform_urllib_http_request_internal(self, url: str, req: Request) -> dict[str, Any]:
        if self.proxy is not None:
            return super()._perform_urllib_http_request_internal(url, req)
        body: Any = req.data  # bytes, although urllib would accept more
        status, headers, content = self._pool.request(
            req.get_method(), url, body, dict(req.header_items())
        )
        return {
            "status": status,
            # A server may send names in lower case; the client reads ``Retry-After``.
            "headers": {name.title(): value for name, value in headers.items()},
            "body": content.decode("utf-8"),
        }
