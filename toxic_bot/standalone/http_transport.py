"""Events over HTTP: Slack's signed requests, as a deployment on AWS receives them."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any

from toxic_bot.judge.errors import ToxicBotError
from toxic_bot.slack.lookups import Lookups
from toxic_bot.slack.request_handler import Put, SlackRequestHandler
from toxic_bot.slack.requests.http import MAX_BODY, Request, Response
from toxic_bot.slack.settings import BotSettings
from toxic_bot.slack.telemetry import logger, metered
from toxic_bot.standalone.http_server import HttpServer, Limits
from toxic_bot.standalone.vital_thread import VitalThread

PATH = "/slack/events"
"""The path of the request URL, as in a deployment."""
HEALTH_PATH = "/health"
"""Answers load balancers."""
THREADS = 8
"""Requests that are answered at the same time: each waits for the disk."""
CLOSE_TIMEOUT = 5.0
"""Seconds that requests which have begun may take when the transport closes."""

# The request_handler logs what becomes of a request; waitress would quote what it cannot parse.
logging.getLogger("waitress").setLevel(logging.CRITICAL)

_Headers = list[tuple[str, str]]
_StartResponse = Callable[[str, _Headers], object]


class AddressError(ToxicBotError):
    """The address to listen on is taken, or is not this machine's."""


class HttpTransport:
    """The transport over HTTP: Slack must reach it by HTTPS, through a proxy or tunnel before it.

    Parameters
    ----------
    listening
        The socket that Slack's requests arrive at; see `listen`.
    signing_secret
        The secret with which Slack signs.
    limits
        How many connections there may be.
    bot, lookups, put
        See `toxic_bot.standalone.transport.TransportMaker`.
    """

    def __init__(
        self,
        listening: socket.socket,
        signing_secret: str,
        limits: Limits,
        bot: BotSettings,
        lookups: Lookups,
        put: Put,
    ) -> None:
        self._request_handler = SlackRequestHandler(
            bot,
            lookups,
            lambda *, fresh: signing_secret,  # noqa: ARG005 - it never changes
            put,
        )
        self._server = HttpServer(
            self._application,
            listening,
            limits,
            threads=THREADS,
            ident=None,
            # A body that is a little too large still gets the response that stops Slack.
            max_request_body_size=2 * MAX_BODY,
            clear_untrusted_proxy_headers=True,
        )
        self._thread = VitalThread(self._server.run, "http")

    def open(self) -> None:
        """Start to take requests; those that are early have waited."""
        self._thread.start()

    def close(self) -> None:
        """Answer what has begun, and nothing more: Slack sends the rest again."""
        self._server.task_dispatcher.shutdown(cancel_pending=False, timeout=CLOSE_TIMEOUT)
        if self._thread.is_alive():
            # In the thread that serves: nobody else may close what it waits for. It may run this
            # before the pull has written to the trigger, and must not close that before.
            pulled = threading.Event()
            self._server.trigger.pull_trigger(lambda: self._end(pulled))
            pulled.set()
            self._thread.join(1.0)

    @property
    def is_kept(self) -> bool:
        """Whether requests are still taken."""
        return self._thread.is_alive()

    @property
    def is_open(self) -> bool:
        """Whether requests are taken; whether Slack reaches them is up to the proxy."""
        return self.is_kept

    def _end(self, pulled: threading.Event) -> None:
        pulled.wait(CLOSE_TIMEOUT)
        for channel in self._server.active_channels.values():
            channel.close_when_flushed = True
        self._server.close()

    def _application(
        self, environ: dict[str, Any], start_response: _StartResponse
    ) -> Iterable[bytes]:
        response = self._respond(environ)
        status = HTTPStatus(response.status)
        start_response(f"{status.value} {status.phrase}", list(response.headers.items()))
        return [response.body.encode()]

    def _respond(self, environ: dict[str, Any]) -> Response:
        if environ["PATH_INFO"] == HEALTH_PATH:
            return Response(200, "ok")
        if environ["PATH_INFO"] != PATH:
            return Response(404, f"there is only {PATH}", final=True)
        if environ["REQUEST_METHOD"] != "POST":
            return Response(405, "Slack sends events by POST", final=True)
        try:
            return self._receive(environ)
        except Exception as error:
            # Its message may quote a text.
            logger.error("an event was not received", error=type(error).__name__)
            return Response(500, "try again")

    @metered
    def _receive(self, environ: dict[str, Any]) -> Response:
        headers = {
            name.removeprefix("HTTP_").replace("_", "-").lower(): str(value)
            for name, value in environ.items()
            if name.startswith("HTTP_") or name == "CONTENT_TYPE"
        }
        return self._request_handler.respond(Request.of(headers, environ["wsgi.input"].read()))


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 for any free port.

    Raises
    ------
    AddressError
        When the port is taken, or the address is not this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not an address"
        raise AddressError(
            f"nothing can listen on {host}:{port} ({reason}): choose another --host or --port"
        ) from error
