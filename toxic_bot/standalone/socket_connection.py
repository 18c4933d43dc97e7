"""The connection over which Slack delivers events: Socket Mode.

slack_sdk has clients of its own. The one without dependencies recurses for every kilobyte that has
arrived and loses the connection in a burst (slackapi/python-slack-sdk, pull request 1232); the one
of websocket-client needs up to ten seconds to notice that Slack wants a new connection.

Source: https://docs.slack.dev/apis/events-api/using-socket-mode
"""

from __future__ import annotations

import json
import logging
import random
import threading
import time
from collections.abc import Callable
from typing import Any

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse
from websockets.exceptions import ConnectionClosed, InvalidURI, WebSocketException
from websockets.sync.client import ClientConnection, connect

from toxic_bot.judge.errors import ToxicBotError
from toxic_bot.slack.telemetry import KeyedExecutor, logger

RECEIVERS = 8
"""Events that are received at the same time: each waits for the disk."""
OPEN_TIMEOUT = 10.0
"""Seconds that opening a connection may take."""
PING_INTERVAL = 10.0
"""Seconds between two pings, and for which a connection may be silent after one."""
MIN_PAUSE, MAX_PAUSE = 1.0, 30.0
"""Seconds between two attempts to connect again: each pause is twice the last one."""

# Its log would quote what arrives.
_SILENT = logging.Logger("websockets", logging.CRITICAL + 1)

Receive = Callable[[SocketModeRequest], dict[str, Any] | None]
"""Makes a request safe, and returns what to respond with, if anything."""


class SlackConnectionError(ToxicBotError):
    """Slack refuses the Socket Mode connection or cannot be reached."""


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
        self._app_token = app_token
        self._web = WebClient(base_url=slack_api_url)
        self._receive = receive
        self._receivers = KeyedExecutor(RECEIVERS, thread_name_prefix="receive")
        self._closing = threading.Event()
        self._websocket: ClientConnection | None = None
        self._thread = threading.Thread(target=self._run, name="connection", daemon=True)

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

    def _connect(self) -> ClientConnection:
        try:
            response = self._web.apps_connections_open(app_token=self._app_token)
            return connect(
                str(response.get("url")),
                open_timeout=OPEN_TIMEOUT,
                ping_interval=PING_INTERVAL,
                ping_timeout=PING_INTERVAL,
                close_timeout=1.0,
                compression=None,
                logger=_SILENT,
                legacy=True,  # not as a context manager: two connections overlap
            )
        except SlackApiError as error:
            raise SlackConnectionError(
                f"Slack answered {error.response.get('error')}: check SLACK_APP_TOKEN, and that "
                "Socket Mode is enabled for the app"
            ) from error
        except (SlackClientError, OSError, WebSocketException, InvalidURI) as error:
            raise SlackConnectionError(
                f"Slack cannot be reached ({type(error).__name__}): check SLACK_API_URL, the "
                "internet connection, and that it lets WebSockets (wss://) through"
            ) from error

    def _run(self) -> None:
        while (websocket := self._websocket) is not None and not self._closing.is_set():
            opened = time.monotonic()
            self._read(websocket)
            if time.monotonic() - opened < MIN_PAUSE:
                # Slack may close each at once, as when there are too many.
                self._closing.wait(MIN_PAUSE)
            # The new one first: until then, Slack still has the old one for its events.
            self._websocket = self._connect_again()
            websocket.close()
        if self._websocket is not None:
            self._websocket.close()

    def _read(self, websocket: ClientConnection) -> None:
        """Read until the connection is lost, or Slack asks for a new one."""
        try:
            for text in websocket:
                message = _parse(text)
                if message.get("type") == "disconnect":
                    return
                request = SocketModeRequest.from_dict(message)
                if request is not None:
                    self._receivers.submit(self._answer, websocket, request)
        except ConnectionClosed:
            if not self._closing.is_set():
                logger.warning("the connection to Slack was lost")

    def _connect_again(self) -> ClientConnection | None:
        pause = MIN_PAUSE
        while not self._closing.is_set():
            try:
                return self._connect()
            except SlackConnectionError as error:
                logger.warning(f"no connection: {error}")
            self._closing.wait(pause * random.uniform(0.5, 1))
            pause = min(2 * pause, MAX_PAUSE)
        return None

    def _answer(self, websocket: ClientConnection, request: SocketModeRequest) -> None:
        try:
            response = self._receive(request)
        except Exception as error:
            # Its message may quote a text.
            logger.error("an event was not received", error=type(error).__name__)
            return
        acknowledgment = SocketModeResponse(request.envelope_id, response)
        try:
            websocket.send(json.dumps(acknowledgment.to_dict()))
        except (ConnectionClosed, OSError):
            logger.warning("an event could not be acknowledged: Slack sends it again")


def _parse(text: str | bytes) -> dict[str, Any]:
    try:
        message = json.loads(text)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}
