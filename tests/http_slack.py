"""A local Slack that sends its events by HTTP, for tests of the bot without AWS."""

from __future__ import annotations

from simulators.asgi import Server
from simulators.samples import VIEWER, create_workspace
from simulators.slack.delivery import EventsApi
from simulators.slack.interactivity import Interactivity
from simulators.slack.methods import Grant, WebApi
from simulators.slack.rate_limits import NO_LIMITS
from simulators.slack.server import application
from simulators.slack.workspace import Message, Workspace
from tests.socket_mode import answers_to

SECRET = "0123456789abcdef0123456789abcdef"
BOT_TOKEN = "xoxb-local"


class HttpSlack:
    """A local Slack; ``environment`` has its address, the signing secret and the bot token."""

    def __init__(self) -> None:
        self.workspace: Workspace = create_workspace()
        self.web_api = WebApi(self.workspace, {BOT_TOKEN: Grant()}, NO_LIMITS)
        self.interactivity = Interactivity(self.workspace, self.web_api.modals)
        self.events = EventsApi(self.workspace, SECRET, delays=(0.0, 0.2, 0.4))
        self.interactivity.send = self.events.send_form
        self.server = Server(application(self.web_api, VIEWER, interactivity=self.interactivity))
        self.server.start()
        self.interactivity.address = self.web_api.address = self.server.address
        self.environment = {
            "SLACK_API_URL": f"{self.server.address}/api/",
            "SLACK_SIGNING_SECRET": SECRET,
            "SLACK_BOT_TOKEN": BOT_TOKEN,
        }

    def stop(self) -> None:
        self.events.stop()
        self.server.stop()

    def answers(self, message: Message) -> list[Message]:
        return answers_to(message, self.workspace)
