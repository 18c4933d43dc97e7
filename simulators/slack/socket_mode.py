"""Slack's side of Socket Mode: events over a WebSocket connection that the app opens.

Source: https://docs.slack.dev/apis/events-api/using-socket-mode
"""

from __future__ import annotations

import asyncio
import json
import secrets
import uuid
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from simulators.slack.delivery import (
    DELIVERY_TIMEOUT,
    event_callback,
    is_heard,
    message_callback,
    occurrence_callback,
)
from simulators.slack.workspace import (
    APP,
    MessageChange,
    Occurrence,
    ReactionChange,
    SlackError,
    Workspace,
)

MAX_RETRIES = 3
RECENT = 20
INVALID_TICKET = 4001
"""WebSocket close code for a ticket that was never issued or has already been used."""


@dataclass(eq=False, slots=True)
class SocketConnection:
    """A WebSocket connection and its unacknowledged envelopes."""

    socket: WebSocket
    loop: asyncio.AbstractEventLoop
    unacknowledged: dict[str, asyncio.Event] = field(default_factory=dict)
    responses: dict[str, str] = field(default_factory=dict)


class SocketMode:
    """Holds the connections and delivers each event over one of them.

    Parameters
    ----------
    workspace
        The workspace; events come only from channels that the bot is a member of.
    timeout
        Seconds to wait for an acknowledgment.
    """

    def __init__(self, workspace: Workspace, timeout: float = DELIVERY_TIMEOUT) -> None:
        self._workspace = workspace
        self._timeout = timeout
        # Slack's term for the one-time key in the URL of a connection.
        self._unused_tickets: set[str] = set()
        self._connections: list[SocketConnection] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._on_the_way = 0
        self.address = ""
        self.undelivered: list[dict[str, Any]] = []
        """What no app has acknowledged, however often it was sent."""
        self.acknowledged: set[str] = set()
        """IDs of the events that an app has acknowledged."""
        self.recent: deque[dict[str, Any]] = deque(maxlen=RECENT)
        """The latest events."""
        workspace.watch_reactions(self._on_reaction_change)
        workspace.watch_changes(self._on_message_change)
        workspace.watch_occurrences(self._on_occurrence)

    @property
    def connected(self) -> bool:
        """Whether an app is connected."""
        return bool(self._connections)

    @property
    def connections(self) -> int:
        """Number of open connections."""
        return len(self._connections)

    @property
    def busy(self) -> bool:
        """Whether something is on its way to an app."""
        return self._on_the_way > 0

    def open(self) -> str:
        """Return a WebSocket URL that can be used once."""
        ticket = secrets.token_urlsafe(16)
        self._unused_tickets.add(ticket)
        return f"{self.address.replace('http', 'ws', 1)}/link?ticket={ticket}&app_id={APP}"

    def refresh(self) -> None:
        """Request that every app reconnect, as Slack does from time to time."""
        for connection in list(self._connections):
            message = {"type": "disconnect", "reason": "refresh_requested", "debug_info": {}}
            asyncio.run_coroutine_threadsafe(_send(connection, message), connection.loop)

    def drop(self) -> None:
        """End every connection without notice, as a failing network does."""
        for connection in list(self._connections):
            asyncio.run_coroutine_threadsafe(connection.socket.close(1011), connection.loop)

    def send_frame(self, text: str) -> None:
        """Send what need not be an envelope over every connection."""
        for connection in list(self._connections):
            asyncio.run_coroutine_threadsafe(connection.socket.send_text(text), connection.loop)

    async def serve(self, socket: WebSocket) -> None:
        """Serve a connection until the app closes it."""
        ticket = socket.query_params.get("ticket", "")
        await socket.accept()
        if ticket not in self._unused_tickets:
            await socket.close(INVALID_TICKET)
            return
        self._unused_tickets.discard(ticket)
        connection = SocketConnection(socket, asyncio.get_running_loop())
        await _send(
            connection,
            {
                "type": "hello",
                "num_connections": len(self._connections) + 1,
                "connection_info": {"app_id": APP},
                "debug_info": {"approximate_connection_time": 18060},
            },
        )
        self._loop = connection.loop
        self._connections.append(connection)
        try:
            while True:
                _acknowledge(connection, await socket.receive_text())
        except WebSocketDisconnect:
            pass
        finally:
            self._connections.remove(connection)

    def _on_reaction_change(self, change: ReactionChange) -> None:
        in_channel = self._workspace.bot.id in self._workspace.channels[change.channel].members
        if change.added and in_channel:
            self._start_delivery(event_callback(self._workspace, change))

    def _on_message_change(self, change: MessageChange) -> None:
        if self._workspace.bot.id in self._workspace.channels[change.message.channel].members:
            self._start_delivery(message_callback(self._workspace, change))

    def _on_occurrence(self, occurrence: Occurrence) -> None:
        if is_heard(self._workspace, occurrence):
            self._start_delivery(occurrence_callback(self._workspace, occurrence))

    def _start_delivery(self, payload: dict[str, Any]) -> None:
        self.recent.append(payload)
        self.send_again(payload)

    def send_again(self, payload: dict[str, Any]) -> None:
        """Send an event, even if it was acknowledged before."""
        if self._loop is not None:
            asyncio.run_coroutine_threadsafe(self._deliver(payload), self._loop)

    def send_interaction(self, kind: str, fields: dict[str, Any]) -> Future[str | None]:
        """Send a slash command or an interaction, once; the future has the response's text.

        Parameters
        ----------
        kind
            ``slash_commands`` or ``interactive``.
        fields
            The command's fields, or the interaction's payload.

        Raises
        ------
        SlackError
            When no app is connected.
        """
        if not self._connections:
            raise SlackError("app_not_connected")
        connection = self._connections[-1]
        return asyncio.run_coroutine_threadsafe(
            self._send_once(connection, kind, fields), connection.loop
        )

    async def _send_once(
        self, connection: SocketConnection, kind: str, fields: dict[str, Any]
    ) -> str | None:
        envelope_id = str(uuid.uuid4())
        acknowledged = connection.unacknowledged[envelope_id] = asyncio.Event()
        await _send(
            connection,
            {
                "type": kind,
                "envelope_id": envelope_id,
                "payload": fields,
                "accepts_response_payload": True,
            },
        )
        try:
            await asyncio.wait_for(acknowledged.wait(), self._timeout)
        except TimeoutError:
            return None
        finally:
            connection.unacknowledged.pop(envelope_id, None)
        return connection.responses.pop(envelope_id, "")

    async def _deliver(self, payload: dict[str, Any]) -> None:
        self._on_the_way += 1
        try:
            if await self._is_acknowledged(payload):
                self.acknowledged.add(str(payload["event_id"]))
            else:
                self.undelivered.append(payload)
        finally:
            self._on_the_way -= 1

    async def _is_acknowledged(self, payload: dict[str, Any]) -> bool:
        for retry in range(MAX_RETRIES + 1):
            if not self._connections:
                await asyncio.sleep(self._timeout)
                continue
            # The newest one: after a refresh request, the app closes the older ones.
            connection = self._connections[-1]
            envelope_id = str(uuid.uuid4())
            acknowledged = connection.unacknowledged[envelope_id] = asyncio.Event()
            envelope = {
                "type": "events_api",
                "envelope_id": envelope_id,
                "payload": payload,
                "accepts_response_payload": False,
                "retry_attempt": retry,
                "retry_reason": "timeout" if retry else "",
            }
            # The app may have gone meanwhile; then nobody acknowledges.
            with suppress(RuntimeError, WebSocketDisconnect):
                await _send(connection, envelope)
            try:
                await asyncio.wait_for(acknowledged.wait(), self._timeout)
            except TimeoutError:
                continue
            finally:
                connection.unacknowledged.pop(envelope_id, None)
            return True
        return False


async def _send(connection: SocketConnection, message: dict[str, Any]) -> None:
    await connection.socket.send_text(json.dumps(message))


def _acknowledge(connection: SocketConnection, text: str) -> None:
    try:
        acknowledgment = json.loads(text)
        envelope_id = acknowledgment["envelope_id"]
    except (ValueError, KeyError, TypeError):
        return
    if isinstance(envelope_id, str) and envelope_id in connection.unacknowledged:
        payload = acknowledgment.get("payload")
        if isinstance(payload, dict):
            is_form = "response_action" in payload
            said = json.dumps(payload) if is_form else str(payload.get("text") or "")
            connection.responses[envelope_id] = said
        connection.unacknowledged[envelope_id].set()
