"""Slack's end of Socket Mode: events over a WebSocket that the app opens.

Source: https://docs.slack.dev/apis/events-api/using-socket-mode
"""

from __future__ import annotations

import asyncio
import json
import secrets
import uuid
from dataclasses import dataclass, field
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from local.slack.delivery import PATIENCE, callback
from local.slack.workspace import APP, Reacted, Workspace

MOST_RETRIES = 3
UNKNOWN_TICKET = 4001
"""Code with which a connection that was not asked for is closed."""


@dataclass(eq=False, slots=True)
class Link:
    """One connection, and the envelopes on it that are not acknowledged yet."""

    socket: WebSocket
    loop: asyncio.AbstractEventLoop
    waiting: dict[str, asyncio.Event] = field(default_factory=dict)


class SocketMode:
    """Keeps the connections, and sends each event over one of them.

    Parameters
    ----------
    workspace
        Whose reactions are delivered, from the channels that the bot is in.
    patience
        Seconds that an acknowledgement may take.
    """

    def __init__(self, workspace: Workspace, patience: float = PATIENCE) -> None:
        self._workspace = workspace
        self._patience = patience
        self._tickets: set[str] = set()
        self._links: list[Link] = []
        self.address = ""
        workspace.watch_reactions(self._reacted)

    @property
    def connected(self) -> bool:
        """Whether an app is connected."""
        return bool(self._links)

    def open(self) -> str:
        """Return the address of a connection that may be opened once."""
        ticket = secrets.token_urlsafe(16)
        self._tickets.add(ticket)
        return f"{self.address.replace('http', 'ws', 1)}/link?ticket={ticket}&app_id={APP}"

    def refresh(self) -> None:
        """Ask every app to connect again, as Slack does from time to time."""
        for link in list(self._links):
            message = {"type": "disconnect", "reason": "refresh_requested", "debug_info": {}}
            asyncio.run_coroutine_threadsafe(_send(link, message), link.loop)

    async def serve(self, socket: WebSocket) -> None:
        """Keep one connection, from its start to its end."""
        ticket = socket.query_params.get("ticket", "")
        await socket.accept()
        if ticket not in self._tickets:
            await socket.close(UNKNOWN_TICKET)
            return
        self._tickets.discard(ticket)
        link = Link(socket, asyncio.get_running_loop())
        await _send(
            link,
            {
                "type": "hello",
                "num_connections": len(self._links) + 1,
                "connection_info": {"app_id": APP},
                "debug_info": {"approximate_connection_time": 18060},
            },
        )
        self._links.append(link)
        try:
            while True:
                _acknowledge(link, await socket.receive_text())
        except WebSocketDisconnect:
            pass
        finally:
            self._links.remove(link)

    def _reacted(self, reacted: Reacted) -> None:
        in_channel = self._workspace.bot.id in self._workspace.channels[reacted.channel].members
        if reacted.added and in_channel and self._links:
            # The newest connection: an older one may be about to go.
            link = self._links[-1]
            asyncio.run_coroutine_threadsafe(
                self._deliver(link, callback(self._workspace, reacted)), link.loop
            )

    async def _deliver(self, link: Link, payload: dict[str, Any]) -> None:
        for retry in range(MOST_RETRIES + 1):
            envelope_id = str(uuid.uuid4())
            acknowledged = link.waiting[envelope_id] = asyncio.Event()
            await _send(
                link,
                {
                    "type": "events_api",
                    "envelope_id": envelope_id,
                    "payload": payload,
                    "accepts_response_payload": False,
                    "retry_attempt": retry,
                    "retry_reason": "timeout" if retry else "",
                },
            )
            try:
                await asyncio.wait_for(acknowledged.wait(), self._patience)
            except TimeoutError:
                continue
            finally:
                link.waiting.pop(envelope_id, None)
            return


async def _send(link: Link, message: dict[str, Any]) -> None:
    await link.socket.send_text(json.dumps(message))


def _acknowledge(link: Link, text: str) -> None:
    try:
        envelope_id = json.loads(text)["envelope_id"]
    except (ValueError, KeyError, TypeError):
        return
    if isinstance(envelope_id, str) and envelope_id in link.waiting:
        link.waiting[envelope_id].set()
