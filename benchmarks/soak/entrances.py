"""How Slack's events reach copies of the standalone bot, and what befalls them on their way."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from benchmarks.soak.troubles import FRAMES, Trouble, slow_clients
from benchmarks.targets import BOT_TOKEN, HomeName
from simulators import ROOT
from simulators.asgi import Server
from simulators.aws.account import Secrets
from simulators.process import HOST, free_port, inherited_environment
from simulators.samples import VIEWER
from simulators.slack.delivery import LOCAL_DELAYS, Attempt, EventsApi, RetryReason
from simulators.slack.methods import WebApi
from simulators.slack.server import application
from simulators.slack.socket_mode import RECENT, SocketMode
from simulators.slack.workspace import Workspace

APP_TOKEN = "xapp-1-local"

JUMPS = (-3600.0, -120.0, 120.0, 3600.0)
"""Seconds by which the clock may be wrong for a while."""

SIGNED_JUMPS = (-120.0, 120.0)
"""The same where requests are signed: five minutes off, the bot has to refuse all of Slack's."""

Payload = dict[str, Any]
"""An event, as Slack sends it."""


@dataclass(frozen=True, slots=True)
class Entrance:
    """The way of events to the bot.

    Parameters
    ----------
    copies
        For each copy of the bot: arguments of its command, and its port, or 0.
    environment
        Of the copies.
    jumps
        Seconds by which their clock may be wrong.
    secrets
        What no log and no file may contain, by name.
    troubles
        What can befall events on their way.
    is_open
        Says whether events can come in.
    is_busy
        Says whether some are on their way.
    recent
        The latest events.
    send_again
        Sends one of them again, as Slack does when it has not heard that an event is safe.
    refused
        Returns the timestamps of the events that Slack gave up on.
    """

    copies: Sequence[tuple[list[str], int]]
    environment: dict[str, str]
    jumps: Sequence[float]
    secrets: dict[str, str]
    troubles: dict[str, Trouble]
    is_open: Callable[[], bool]
    is_busy: Callable[[], bool]
    recent: Sequence[Payload]
    send_again: Callable[[Payload], object]
    refused: Callable[[], set[str]]


@contextmanager
def open_entrance(
    home: HomeName, workspace: Workspace, web_api: WebApi, copies: int
) -> Iterator[Entrance]:
    """Start a Slack that sends events by Socket Mode or HTTP."""
    open_it = _over_socket_mode if home is HomeName.SOCKET else _over_http
    with open_it(workspace, web_api, copies) as entrance:
        yield entrance


@contextmanager
def _over_socket_mode(workspace: Workspace, web_api: WebApi, copies: int) -> Iterator[Entrance]:
    web_api.app_tokens.add(APP_TOKEN)
    socket_mode = SocketMode(workspace)
    web_api.open_connection = socket_mode.open
    server = Server(application(web_api, VIEWER, socket_mode))
    server.start()
    socket_mode.address = server.address
    chance = random.Random(copies)

    def send_odd_frames() -> None:
        for frame in chance.choices(FRAMES, k=20):
            socket_mode.send_frame(frame)

    try:
        yield Entrance(
            copies=[([], 0)] * copies,
            environment=_environment(server) | {"SLACK_APP_TOKEN": APP_TOKEN},
            jumps=JUMPS,
            secrets={"app token": APP_TOKEN},
            troubles={
                "connections break": lambda _: socket_mode.drop(),
                "Slack wants new connections": lambda _: socket_mode.refresh(),
                "odd frames": lambda _: send_odd_frames(),
            },
            is_open=lambda: socket_mode.connections == copies,
            is_busy=lambda: socket_mode.busy,
            recent=socket_mode.recent,
            send_again=socket_mode.send_again,
            refused=lambda: {
                _event_ts(one)
                for one in socket_mode.undelivered
                if one["event_id"] not in socket_mode.acknowledged
            },
        )
    finally:
        server.stop()


@contextmanager
def _over_http(workspace: Workspace, web_api: WebApi, copies: int) -> Iterator[Entrance]:
    server = Server(application(web_api, VIEWER))
    server.start()
    secret = Secrets().signing_secret
    events = EventsApi(workspace, secret, LOCAL_DELAYS)
    ports = [free_port() for _ in range(copies)]
    # Slack knows one address; the other copies answer what is queued.
    events.request_url = f"http://{HOST}:{ports[0]}/slack/events"
    sent: set[str] = set()
    taken: set[str] = set()
    recent: deque[Payload] = deque(maxlen=RECENT)

    def on_attempt(envelope: Payload, attempt: Attempt) -> None:
        if "event" in envelope:  # else, Slack verified the request URL
            recent.append(envelope)
            (taken if attempt.status == 200 else sent).add(_event_ts(envelope))

    events.watch(on_attempt)
    try:
        with slow_clients(ports[0]) as hold:
            yield Entrance(
                copies=[(["--port", str(port)], port) for port in ports],
                environment=_environment(server) | {"SLACK_SIGNING_SECRET": secret},
                jumps=SIGNED_JUMPS,
                secrets={"signing secret": secret},
                troubles={"slow clients": lambda _: hold()},
                is_open=events.verify_url,
                is_busy=lambda: events.busy,
                recent=recent,
                send_again=lambda one: events.redeliver(one, 1, RetryReason.TIMEOUT),
                refused=lambda: sent - taken,
            )
    finally:
        events.stop()
        server.stop()


def _environment(slack: Server) -> dict[str, str]:
    return inherited_environment() | {
        "PYTHONPATH": str(ROOT),
        "SLACK_API_URL": f"{slack.address}/api/",
        "SLACK_BOT_TOKEN": BOT_TOKEN,
        "USER_BUDGET": "0",
        "CHANNEL_BUDGET": "0",
    }


def _event_ts(envelope: Payload) -> str:
    return str(envelope["event"]["event_ts"])
