"""Connections with limits that hold before a request is complete, and so before its key is known.

Uvicorn bounds neither headers nor the time that they take, nor how many connections an address
may hold. What a request sends besides its body – headers, the address, trailers, extensions of
chunks – is bounded here; the body is bounded in `toxic_bot.service.edge`.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import resource
import time
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from toxic_bot.service.addresses import network

MAX_HEADER_BYTES = 32_768
"""Bytes of a request besides its body."""
MAX_HEADERS = 100
MAX_CONNECTIONS = 1000
"""Connections of a process at the same time; fewer where it may not open that many files."""
MAX_PIPELINED = 16
"""Requests that may wait for the one before on their connection."""
_OTHER_FILES = 200


class BoundedProtocol(HttpToolsProtocol):
    """One connection.

    Parameters
    ----------
    from_one_address
        Connections that an address may hold; a proxy that is trusted with ``X-Forwarded-For`` may
        hold any number.
    header_timeout
        Seconds in which the headers have to arrive, once the connection is open or a request begun.
    options
        Uvicorn's.
    """

    def __init__(self, *, from_one_address: int, header_timeout: float, **options: Any) -> None:
        super().__init__(**options)
        self._header_timeout = header_timeout
        self._from_one_address = from_one_address
        self._timer: asyncio.TimerHandle | None = None
        self._refused = False
        self._header_bytes = 0
        self._header_count = 0
        self._unread_bytes = 0
        self.network = ""
        self.waiting_since = time.monotonic()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn's
        """Take a connection, if need be in place of one that has waited longer."""
        super().connection_made(transport)
        self.network = network(self.client)
        self._expect_headers()
        peers = [each for each in self.connections if isinstance(each, BoundedProtocol)]
        own = [each for each in peers if each.network == self.network]
        if not _is_trusted(self.client, self.config.forwarded_allow_ips):
            self._make_room(own, self._from_one_address)
        self._make_room(peers, _max_connections())

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what has arrived."""
        if self._refused:
            return
        if self.is_waited_for:
            self._expect_headers()
        self._unread_bytes += len(data)
        super().data_received(data)
        if not self._refused and self._unread_bytes > MAX_HEADER_BYTES:
            self._refuse(431, f"the headers have more than {MAX_HEADER_BYTES:,} bytes")

    def on_message_begin(self) -> None:
        """Begin a request."""
        if self._refused:
            return
        self._header_bytes = self._header_count = self._unread_bytes = 0
        self._expect_headers()
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Take a part of the address."""
        if self._has_room_for(len(url), count=0):
            super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header or a trailer."""
        if self._has_room_for(len(name) + len(value), count=1):
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Begin to answer."""
        self._stop_timer()
        if self._refused:
            return
        if len(self.pipeline) >= MAX_PIPELINED:
            self._refuse(429, "too many requests wait on this connection")
            return
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take a part of the body."""
        self._unread_bytes = 0
        if not self._refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """End a request."""
        self._unread_bytes = 0
        if not self._refused:
            super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self.waiting_since = time.monotonic()
        super().on_response_complete()

    @property
    def is_waited_for(self) -> bool:
        """Whether there is no request that is being answered or that brings its body."""
        return self.cycle is None or self.cycle.response_complete

    def _expect_headers(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(self._header_timeout, self._give_up)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self._refuse(408, f"the headers did not arrive within {self._header_timeout:g} seconds")

    def _has_room_for(self, size: int, *, count: int) -> bool:
        self._unread_bytes = 0
        self._header_bytes += size
        self._header_count += count
        if not self._refused and self._header_bytes > MAX_HEADER_BYTES:
            self._refuse(431, f"the headers have more than {MAX_HEADER_BYTES:,} bytes")
        if not self._refused and self._header_count > MAX_HEADERS:
            self._refuse(431, f"there are more than {MAX_HEADERS} headers")
        return not self._refused

    def _make_room(self, connections: Sequence[BoundedProtocol], limit: int) -> None:
        """Close the one that has waited the longest, or this one if none of the others waits."""
        if len(connections) <= limit:
            return
        waiting = [each for each in connections if each.is_waited_for and each is not self]
        oldest = min(waiting, key=lambda each: each.waiting_since, default=self)
        oldest._refused = True
        oldest.transport.abort()

    def _refuse(self, status: int, message: str) -> None:
        """Answer a request that has not arrived, and close the connection."""
        self._refused = True
        self._stop_timer()
        arriving = self.cycle is not None and self.cycle.more_body
        if self.is_waited_for or (arriving and not self.cycle.response_started):
            phrase = HTTPStatus(status).phrase
            code = phrase.lower().replace(" ", "_")
            body = json.dumps({"error": {"message": message, "code": code}})
            self.transport.write(
                f"HTTP/1.1 {status} {phrase}\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode("ascii")
            )
        self.transport.close()


def _is_trusted(client: tuple[str, int] | None, trusted: Sequence[str] | str) -> bool:
    """Report whether a connection is from a proxy whose ``X-Forwarded-For`` is believed."""
    entries = trusted.split(",") if isinstance(trusted, str) else trusted
    hosts = [entry.strip() for entry in entries]
    if client is None or "*" in hosts or client[0] in hosts:
        return True
    try:
        address = ipaddress.ip_address(client[0])
        return any(address in ipaddress.ip_network(host) for host in hosts if "/" in host)
    except ValueError:
        return False


def _max_connections() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    return max(1, min(MAX_CONNECTIONS, soft - _OTHER_FILES))
