"""The HTTP server: waitress, with limits for clients that take their time.

waitress reads all connections in one thread, and a request takes one of its threads only when it
is complete. But it takes no connection at all beyond its limit, and a client that sends a byte now
and then keeps its connection for as long as it likes. Here, a request has to arrive in time, and
where there are too many connections, the one that has kept everybody waiting the longest makes
room.
"""

from __future__ import annotations

import socket
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment] # mypy knows only the module

HEADER_TIMEOUT = 5.0
"""Seconds from a request's first byte to the end of its headers. Slack itself waits three."""
BODY_TIMEOUT = 5.0
"""Seconds from there to the end of its body."""
IDLE_TIMEOUT = 60.0
"""Seconds for which a connection may be idle: proxies keep some for the next request."""
SWEEP_INTERVAL = 0.5
"""Seconds between two looks for what is late."""
MAX_CONNECTIONS = 1000
"""Connections at the same time; fewer where the process may not open that many files."""
MAX_COMPLETE = 200
"""Connections beyond these whose requests are complete, before others have to wait."""
SPARE_FILES = 100
"""Files that the rest of the bot may open, and connections that are about to be closed."""
ACCEPTS = 32
"""New connections that are taken before those that are there are looked at again."""

Application = Callable[[dict[str, Any], Callable[..., object]], Iterable[bytes]]


@dataclass(frozen=True, slots=True)
class Limits:
    """How many connections without a complete request there may be.

    Parameters
    ----------
    from_one_address
        Those of one client, or of the proxy that all clients come through.
    in_all
        Those of all of them.
    """

    from_one_address: int
    in_all: int = MAX_CONNECTIONS


class _Channel(HTTPChannel):  # type: ignore[misc] # waitress has no types
    """A connection that knows for how long it has been waited for."""

    def __init__(self, server: HttpServer, sock: socket.socket, addr: Any) -> None:
        self.since = time.monotonic()
        self.round = server.round
        self._headers_since: float | None = None
        self._body_since: float | None = None
        super().__init__(server, sock, addr, server.adj, map=server.map)

    def received(self, data: bytes) -> bool:
        """Take what has arrived, and note when a request began and when its headers ended."""
        before = self.request
        taken = bool(super().received(data))
        now = time.monotonic()
        if self.request is not before:
            self._headers_since = None if self.request is None else now
            self._body_since = None
        if self.request is not None and self.request.headers_finished and not self._body_since:
            self._body_since = now
        return taken

    def service(self) -> None:
        """Answer a request."""
        super().service()
        self.since = time.monotonic()

    @property
    def is_waited_for(self) -> bool:
        """Whether there is no complete request to answer."""
        return not self.requests and not self.will_close

    def is_late(self, now: float) -> bool:
        """Report whether it has taken longer than it may."""
        if self._body_since is not None:
            return now - self._body_since > BODY_TIMEOUT
        if self._headers_since is not None:
            return now - self._headers_since > HEADER_TIMEOUT
        return now - self.since > IDLE_TIMEOUT

    def end(self) -> None:
        """Have it closed in the next round: until then, no other connection gets its number."""
        self.will_close = True


class HttpServer(TcpWSGIServer):  # type: ignore[misc] # waitress has no types
    """Serves a WSGI application on a socket that listens.

    Parameters
    ----------
    application
        The application.
    listening
        The socket.
    limits
        How many connections there may be.
    adjustments
        Settings of waitress.
    """

    def __init__(
        self, application: Application, listening: socket.socket, limits: Limits, **adjustments: Any
    ) -> None:
        self._limits = Limits(limits.from_one_address, min(limits.in_all, _files()))
        self._swept = time.monotonic()
        self.round = 0
        self.map: dict[int, Any] = {}
        super().__init__(
            application,
            map=self.map,
            _sock=listening,
            adj=Adjustments(sockets=[listening], asyncore_use_poll=True, **adjustments),
            sockinfo=(listening.family, listening.type, listening.proto, listening.getsockname()),
            bind_socket=False,
        )

    def readable(self) -> bool:
        """Begin a round: drop what is late or too much, and take what is new.

        Nobody keeps new connections out by taking time: only while too many complete requests
        wait for their answers, which are given soon, does the system keep them back.
        """
        self.round += 1
        now = time.monotonic()
        if now - self._swept > SWEEP_INTERVAL:
            self._swept = now
            for channel in self._waited_for():
                if channel.is_late(now):
                    channel.end()
        if len(self.active_channels) > min(self._limits.from_one_address, self._limits.in_all):
            self._keep_limits()
        return self.accepting and len(self.active_channels) < self._limits.in_all + MAX_COMPLETE

    def handle_accept(self) -> None:
        """Take the connections that have come."""
        for _ in range(ACCEPTS):
            try:
                accepted = self.accept()
                if accepted is None:
                    return
                connection, address = accepted
                self.set_socket_options(connection)
            except OSError:
                # The client has gone, or there are too many open files.
                for channel in self._waited_for()[:1]:
                    channel.end()
                return
            _Channel(self, connection, address)

    def _keep_limits(self) -> None:
        waited_for = self._waited_for()
        by_address: dict[str, list[_Channel]] = defaultdict(list)
        for channel in waited_for:
            by_address[channel.addr[0]].append(channel)
        for own in by_address.values():
            self._make_room(own, self._limits.from_one_address)
        self._make_room([one for one in waited_for if one.is_waited_for], self._limits.in_all)

    def _make_room(self, channels: list[_Channel], limit: int) -> None:
        for channel in channels[: max(len(channels) - limit, 0)]:
            # What has just come has not been read yet: its request may well be complete.
            if channel.round < self.round - 1:
                channel.end()

    def _waited_for(self) -> list[_Channel]:
        """Return the connections without a complete request, the oldest first."""
        waited_for = [one for one in self.active_channels.values() if one.is_waited_for]
        return sorted(waited_for, key=lambda one: one.since)


def _files() -> int:
    """Return how many connections fit into the open files that the process may have."""
    if resource is None:
        return MAX_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    spare = MAX_COMPLETE + SPARE_FILES
    wanted = MAX_CONNECTIONS + spare
    if soft != resource.RLIM_INFINITY and soft < wanted:
        more = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
        # Some systems allow fewer than they say.
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (more, hard))
            soft = more
    return MAX_CONNECTIONS if soft == resource.RLIM_INFINITY else max(soft - spare, 1)
