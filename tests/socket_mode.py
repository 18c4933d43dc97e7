"""A local Slack with Socket Mode, for tests of the bot without AWS."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial

from simulators.asgi import Server
from simulators.samples import CHANNEL, VIEWER, create_workspace
from simulators.slack.interactivity import Interactivity
from simulators.slack.methods import Grant, WebApi
from simulators.slack.rate_limits import NO_LIMITS
from simulators.slack.server import application
from simulators.slack.socket_mode import SocketMode
from simulators.slack.workspace import Message, Workspace
from toxic_bot.standalone.settings import read_app_token
from toxic_bot.standalone.socket_transport import SocketTransport
from toxic_bot.standalone.transport import TransportMaker

TOKENS = {"SLACK_APP_TOKEN": "xapp-1-local", "SLACK_BOT_TOKEN": "xoxb-local"}
TIMEOUT = 120.0


class SocketModeSlack:
    """A local Slack; ``environment`` contains its address and tokens."""

    def __init__(self) -> None:
        self.workspace: Workspace = create_workspace()
        self.web_api = WebApi(self.workspace, {TOKENS["SLACK_BOT_TOKEN"]: Grant()}, NO_LIMITS)
        self.web_api.app_tokens.add(TOKENS["SLACK_APP_TOKEN"])
        self.socket_mode = SocketMode(self.workspace, timeout=1.0)
        self.web_api.open_connection = self.socket_mode.open
        self.interactivity = Interactivity(self.workspace, self.web_api.modals)
        self.interactivity.send = self.socket_mode.send_interaction
        self.server = Server(
            application(self.web_api, VIEWER, self.socket_mode, interactivity=self.interactivity)
        )
        self.server.start()
        self.interactivity.address = self.server.address
        self.socket_mode.address = self.server.address
        self.environment = TOKENS | {"SLACK_API_URL": f"{self.server.address}/api/"}

    def answers(self, message: Message) -> list[Message]:
        return answers_to(message, self.workspace)


def answers_to(message: Message, workspace: Workspace) -> list[Message]:
    return [
        answer
        for answer in workspace.messages(CHANNEL)
        if answer.user == workspace.bot.id and answer.thread_ts == message.ts
    ]


def socket_transport(environment: Mapping[str, str]) -> TransportMaker:
    return partial(SocketTransport, read_app_token(environment))


def wait_for(condition: Callable[[], bool], timeout: float = TIMEOUT) -> None:
    end = time.monotonic() + timeout
    # What once held may not hold at a second look.
    while not condition():
        assert time.monotonic() < end, f"still waiting after {timeout:g} s"
        time.sleep(0.02)
