"""slack_sdk's client over a connection that stays open between calls.

slack_sdk opens a new connection for every call, which costs two more round trips to Slack:
one for TCP and one for TLS. And its timeout is that of a single read, so a server that sends
a byte now and then could hold a call forever.
"""

from __future__ import annotations

import socket
import ssl
import threading
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


class _Current(threading.local):
    """The call that the current thread makes."""

    deadline: _Deadline | None = None


_current = _Current()


class _Deadline:
    """Breaks a call's connection when the call has taken too long."""

    def __init__(self, seconds: float) -> None:
        self.sock: socket.socket | None = None
        self._timer = threading.Timer(seconds, self._break)
        self._timer.daemon = True

    def __enter__(self) -> None:
        _current.deadline = self
        self._timer.start()

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        _current.deadline = None

    def _break(self) -> None:
        if self.sock is not None:
            with suppress(OSError):
                # Not SSLSocket's own method, which changes state that the reader still uses.
                socket.socket.shutdown(self.sock, socket.SHUT_RDWR)


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
            num_pools=1, retries=False, timeout=Timeout(timeout), ssl_context=ssl_context
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
