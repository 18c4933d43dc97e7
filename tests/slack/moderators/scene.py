"""A workspace with moderators in a local Slack, for the tests of what they get."""

from __future__ import annotations

import time
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest

from handler.case_table import CaseTable
from handler.channel_settings_table import SettingsTable
from handler.dynamodb_store import DynamoDBStore
from simulators.slack.interactivity import Interactivity
from simulators.slack.methods import Grant, WebApi
from simulators.slack.rate_limits import NO_LIMITS
from simulators.slack.server import application
from simulators.slack.workspace import Channel, Message, Person, Workspace
from tests.aws_account import BOT_TOKEN, Account, SlackServer, dynamodb
from toxic_bot.judge.classifier import Classifier, load
from toxic_bot.judge.config import EMBEDDED_MODEL
from toxic_bot.slack.cases.case import CaseStore
from toxic_bot.slack.channel_settings import SettingsStore
from toxic_bot.slack.composition import Store, compose
from toxic_bot.slack.gesture_router import GestureRouter
from toxic_bot.slack.gestures.clicks import Click
from toxic_bot.slack.gestures.event_gestures import Reaction
from toxic_bot.slack.requests.events import Dropped
from toxic_bot.slack.requests.interactions import parse_interaction
from toxic_bot.slack.settings import BotSettings
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.standalone.case_database import SQLiteCases
from toxic_bot.standalone.channel_settings_database import SQLiteChannelSettings
from toxic_bot.standalone.database import Database
from toxic_bot.standalone.sqlite_store import SQLiteStore

CHANNEL, MODERATORS, DIRECT = "C0001", "C0MODS", "D0001"
INSULT = "You are a pathetic idiot and everybody here hates you."
THANKS = "Thanks, that was a great help!"
ENVIRONMENT = {"MODERATORS": MODERATORS, "MODERATOR_NOTES": "80"}


@dataclass
class Scene:
    """A workspace with moderators, and the bot."""

    workspace: Workspace
    api: WebApi
    interactivity: Interactivity
    address: str
    classifier: Classifier
    numbers: count[int]
    clock_offset: float = 0.0
    database: Database | None = None
    """Stores everything, if the bot is to run without AWS."""
    cases: CaseStore | None = None
    """Stores the cases instead."""

    def clock(self) -> float:
        return time.time() + self.clock_offset

    def settings(self, **environment: str) -> BotSettings:
        url = f"{self.address}/api/"
        return BotSettings.from_environment({"SLACK_API_URL": url, **ENVIRONMENT, **environment})

    def bot(self, **environment: str) -> GestureRouter:
        settings = self.settings(**environment)
        slack = SlackClient(lambda *, fresh: BOT_TOKEN, settings.slack_api_url)  # noqa: ARG005 - it never changes
        return compose(slack, self.classifier, *self._stores(), settings, self.clock)

    def _stores(self) -> tuple[Store, SettingsStore, CaseStore]:
        database = self.database
        if database is None:
            client = dynamodb()
            own = SettingsTable(client, "claims")
            cases = self.cases or CaseTable(client, "claims")
            return DynamoDBStore(client, "claims"), own, cases
        store, cases = SQLiteStore(database, self.clock), self.cases or SQLiteCases(database)
        return store, SQLiteChannelSettings(database), cases

    def ask(
        self, bot: GestureRouter, message: Message, *, seconds: float = 30.0, event: str = ""
    ) -> None:
        reaction = Reaction(
            event_id=event or f"Ev{next(self.numbers)}",
            event_ts=f"{self.clock():.6f}",
            team="T0001",
            user="U0ASKS",
            channel=message.channel,
            ts=message.ts,
            author=message.user,
            reaction="biohazard_sign",
        )
        bot.answer(reaction, self.clock() + seconds)

    def click(self, note: Message, action: str, **environment: str) -> Click | Dropped:
        """Click a button, and return what the receiver makes of it."""
        sent: list[dict[str, Any]] = []

        def send(_: str, fields: dict[str, Any]) -> Future[str | None]:
            sent.append(fields)
            return Future()

        self.interactivity.send = send
        self.interactivity.click(MODERATORS, note.ts, "U0MOD", action)
        settings = self.settings(**environment)
        parsed = parse_interaction(
            sent[0], settings.subscription, str(self.clock()), settings.slack_api_url
        )
        assert isinstance(parsed, Click | Dropped)
        return parsed

    def notes(self) -> list[Message]:
        bot = self.workspace.bot.id
        return [one for one in self.workspace.messages(MODERATORS) if one.user == bot]

    def answers(self, message: Message) -> int:
        return len(self.workspace.thread(message.channel, message.ts)) - 1


@pytest.fixture(scope="module")
def classifier() -> Classifier:
    return load(EMBEDDED_MODEL)


@pytest.fixture
def scene(
    account: Account,  # noqa: ARG001 - it must exist first
    slack_server: SlackServer,
    classifier: Classifier,
) -> Scene:
    workspace = Workspace()
    for person in ("U0ASKS", "U0WROTE", "U0MOD"):
        workspace.add_person(Person(person, person.lower()))
    for channel in (CHANNEL, MODERATORS, DIRECT):
        workspace.add_channel(Channel(channel, channel.lower(), members=set(workspace.people)))
    api = WebApi(workspace, {BOT_TOKEN: Grant()}, NO_LIMITS)
    interactivity = Interactivity(workspace, api.modals)
    slack_server.serve(application(api, "U0ASKS", interactivity=interactivity))
    interactivity.address = api.address = slack_server.address
    return Scene(workspace, api, interactivity, slack_server.address, classifier, count())
