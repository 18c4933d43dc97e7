"""The connection over which Slack delivers events: Socket Mode.

slack_sdk has clients of its own. The one without dependencies recurses for every kilobyte that has
arrived and loses the connection in a burst (slackapi/python-slack-sdk, pull request 1232); the one
of websocket-client needs up to ten seconds to notice that Slack wants a new connection.

No frame and no answer of Slack's ends the connection for good, whatever it consists of.

Source: https://docs.slack.dev/apis/events-api/using-socket-mode
"""

from __future__ import annotations

import json
import logging
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from toxic_bot.slack.telemetry import KeyedExecutor, count, logger, metered
from toxic_bot.standalone.socket_address import SlackConnectionError, SocketAddress
from toxic_bot.standalone.socket_frames import DISCONNECT, Envelope, Notice, OddFrame, parse_frame
from toxic_bot.standalone.vital_thread import VitalThread

RECEIVERS = 8
"""Events that are received at the same time: each waits for the disk."""
OPEN_TIMEOUT = 10.0
"""Seconds that opening a connection may take."""
HELLO_TIMEOUT = 30.0
"""Seconds for which a new connection may be silent: Slack greets at once."""
PING_INTERVAL = 10.0
"""Seconds between two pings, and for which a connection may be silent after one."""
SEND_TIMEOUT = 20.0
"""Seconds for which what is sent may wait to be taken."""
MIN_PAUSE, MAX_PAUSE = 1.0, 30.0
"""Seconds from one attempt to connect to the next: each pause is twice the last one, until a
connection brings something or lasts."""
MAX_FRAME = 2**20
"""Size of the largest frame that is read, in bytes; Slack's have a few thousand."""

# Its log would quote what arrives.
_SILENT = logging.Logger("websockets", logging.CRITICAL + 1)

Receive = Callable[[Envelope], dict[str, Any] | None]
"""Makes a request safe, and returns what to respond with, if anything."""


class SocketConnection:
    """Keeps a connection to Slack open, and acknowledges what arrives once it is safe.

    Parameters
    ----------
    app_token
        Slack's app-level token.
    slack_api_url
        Base URL of Slack's Web API.
    receive
        Called for each request, from several threads. What it fails on is not acknowledged, so
        that Slack sends it again.
    """

    def __init__(self, app_token: str, slack_api_url: str, receive: Receive) -> None:
        self._address = SocketAddress(app_token, slack_api_url)
        self._receive = receive
        self._receivers = KeyedExecutor(RECEIVERS, thread_name_prefix="receive")
        self._closing = threading.Event()
        self._greeted = threading.Event()
        self._pauses = _Pauses()
        self._websocket: ClientConnection | None = None
        self._thread = VitalThread(self._run, "connection")

    def open(self) -> None:
        """Connect, and stay connected.

        Raises
        ------
        SlackConnectionError
            When the first connection fails.
        """
        self._websocket = self._connect()
        self._thread.start()

    def close(self) -> None:
        """Close the connection; what has arrived is still received."""
        self._closing.set()
        if self._websocket is not None:
            self._websocket.close()
        if self._thread.is_alive():
            self._thread.join(OPEN_TIMEOUT)
        self._receivers.shutdown()

    @property
    def is_kept(self) -> bool:
        """Whether somebody still looks after the connection."""
        return self._thread.is_alive()

    @property
    def is_connected(self) -> bool:
        """Whether Slack has greeted, and the connection was not lost since."""
        return self.is_kept and self._greeted.is_set()

    def _connect(self) -> ClientConnection:
        url = self._address.ask()
        try:
            websocket = connect(
                url,
                open_timeout=OPEN_TIMEOUT,
                ping_interval=PING_INTERVAL,
                ping_timeout=PING_INTERVAL,
                close_timeout=1.0,
                compression=None,
                max_size=MAX_FRAME,
                logger=_SILENT,
                legacy=True,  # not as a context manager: two connections overlap
            )
            if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux
                # Whoever takes no acknowledgments would otherwise stop even the pings, for good.
                milliseconds = int(SEND_TIMEOUT * 1e3)
                websocket.socket.setsockopt(
                    socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, milliseconds
                )
            return websocket
        # An address of any form can come, and lead to any server.
        except Exception as error:
            raise SlackConnectionError(
                f"Slack's WebSocket cannot be reached ({type(error).__name__}): check the internet "
                "connection, and that it lets WebSockets (wss://) through"
            ) from error

    def _run(self) -> None:
        while (websocket := self._websocket) is not None and not self._closing.is_set():
            opened = time.monotonic()
            self._read(websocket)
            lived = time.monotonic() - opened
            if lived > MAX_PAUSE:
                self._pauses.start_over()
            else:
                # Slack may close each at once, as when there are too many.
                self._closing.wait(self._pauses.next() - lived)
            # The new one first: until then, Slack still has the old one for its events.
            self._websocket = self._connect_again()
            websocket.close()
        if self._websocket is not None:
            self._websocket.close()

    def _read(self, websocket: ClientConnection) -> None:
        """Read until the connection is lost, or Slack asks for a new one."""
        try:
            for frame in _frames(websocket):
                if not self._handle(websocket, frame):
                    return
        except (ConnectionClosed, TimeoutError):
            if not self._closing.is_set():
                logger.warning("the connection to Slack was lost")
        except Exception as error:
            # Its message may quote a frame.
            logger.error("the connection to Slack failed", error=type(error).__name__)
        finally:
            self._greeted.clear()

    @metered
    def _handle(self, websocket: ClientConnection, frame: str | bytes) -> bool:
        """Take a frame; return whether to read on."""
        parsed = parse_frame(frame)
        if isinstance(parsed, OddFrame):
            count("FrameRefused")
            logger.warning("a frame was refused", shape=parsed.shape, length=len(frame))
            if parsed.envelope_id is not None:
                # It would not be understood when it comes again.
                self._receivers.submit(self._acknowledge, websocket, parsed.envelope_id, None)
            return True
        self._greeted.set()
        if isinstance(parsed, Notice):
            return parsed.kind != DISCONNECT
        self._pauses.start_over()
        self._receivers.submit(self._answer, websocket, parsed)
        return True

    def _connect_again(self) -> ClientConnection | None:
        while not self._closing.is_set():
            delay = 0.0
            try:
                return self._connect()
            except SlackConnectionError as error:
                logger.warning(f"no connection: {error}")
                delay = error.delay
            except Exception as error:
                logger.error("no connection", error=type(error).__name__)
            self._closing.wait(max(delay, self._pauses.next()))
        return None

    def _answer(self, websocket: ClientConnection, envelope: Envelope) -> None:
        try:
            response = self._receive(envelope)
        except Exception as error:
            # Its message may quote a text.
            logger.error("an event was not received", error=type(error).__name__)
            return
        self._acknowledge(websocket, envelope.id, response)

    def _acknowledge(
        self, websocket: ClientConnection, envelope_id: str, response: dict[str, Any] | None
    ) -> None:
        payload = {} if response is None else {"payload": response}
        try:
            websocket.send(json.dumps({"envelope_id": envelope_id} | payload))
        except Exception as error:
            logger.warning(
                "an event could not be acknowledged: Slack will resend it",
                error=type(error).__name__,
            )


class _Pauses:
    """Seconds between attempts: each is about twice the last one, so that many bots spread."""

    def __init__(self) -> None:
        self._doublings = 0

    def next(self) -> float:
        longest = min(MIN_PAUSE * 2.0**self._doublings, MAX_PAUSE)
        self._doublings = min(self._doublings + 1, 30)
        return longest * random.uniform(0.5, 1)

    def start_over(self) -> None:
        self._doublings = 0


def _frames(websocket: ClientConnection) -> Iterator[str | bytes]:
    yield websocket.recv(timeout=HELLO_TIMEOUT)
    yield from websocket
