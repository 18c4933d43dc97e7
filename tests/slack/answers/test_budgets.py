"""Budgets, on DynamoDB and on SQLite: counted once, dropped with one note."""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from handler.dynamodb_store import DynamoDBStore
from simulators.slack.faults import Fault
from simulators.slack.interactivity import Interactivity
from simulators.slack.methods import Grant, WebApi
from simulators.slack.rate_limits import NO_LIMITS
from simulators.slack.server import application
from simulators.slack.workspace import Channel, Message, Person, Workspace
from tests.aws_account import BOT_TOKEN, SlackServer, dynamodb
from toxic_bot.judge.classifier import Classifier, load
from toxic_bot.judge.config import EMBEDDED_MODEL
from toxic_bot.slack.answers.budgets import PERIOD
from toxic_bot.slack.answers.claims import StoreUnavailableError
from toxic_bot.slack.cases.case import CaseStore
from toxic_bot.slack.channel_settings import ChannelSettings, SettingsStore
from toxic_bot.slack.composition import Store, compose
from toxic_bot.slack.gesture_router import GestureRouter
from toxic_bot.slack.gestures.clicks import Action, Click, Subject
from toxic_bot.slack.gestures.event_gestures import HomeVisit, Reaction
from toxic_bot.slack.gestures.gesture import Gesture
from toxic_bot.slack.gestures.private_requests import Command, Trial
from toxic_bot.slack.gestures.settings_gestures import SettingsChange, SettingsRequest
from toxic_bot.slack.retry import TryAgainError
from toxic_bot.slack.settings import BotSettings
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.standalone.case_database import SQLiteCases
from toxic_bot.standalone.channel_settings_database import SQLiteChannelSettings
from toxic_bot.standalone.database import Database
from toxic_bot.standalone.sqlite_store import SQLiteStore

HOUR = 500_000
"""An hour in the future, counted as budgets do."""
START = float(HOUR * PERIOD + 60)


@pytest.fixture(params=["DynamoDB", "SQLite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "DynamoDB":
        request.getfixturevalue("account")
        yield DynamoDBStore(dynamodb(), "claims")
    else:
        database = Database(tmp_path / "bot.sqlite")
        yield SQLiteStore(database)
        database.close()


@pytest.fixture
def channel_store(tmp_path: Path) -> Iterator[SettingsStore]:
    """Return a store without settings of any channel."""
    database = Database(tmp_path / "settings.sqlite")
    yield SQLiteChannelSettings(database)
    database.close()


@pytest.fixture
def case_store(tmp_path: Path) -> Iterator[CaseStore]:
    """Return a store without cases."""
    database = Database(tmp_path / "cases.sqlite")
    yield SQLiteCases(database)
    database.close()


@pytest.fixture(scope="module")
def classifier() -> Classifier:
    return load(EMBEDDED_MODEL)


@dataclass
class Scene:
    """A workspace, and bots that share a store."""

    workspace: Workspace
    api: WebApi
    address: str
    classifier: Classifier
    store: Store
    channel_store: SettingsStore
    case_store: CaseStore
    now: float = START
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def bot(self, **budgets: str) -> GestureRouter:
        """Return the bot as a new execution environment has it."""
        return compose(
            SlackClient(lambda *, fresh: BOT_TOKEN, f"{self.address}/api/"),  # noqa: ARG005 - it never changes
            self.classifier,
            self.store,
            self.channel_store,
            self.case_store,
            BotSettings.from_environment(
                {"SLACK_API_URL": f"{self.address}/api/", "CHANNEL_BUDGET": "0", **budgets}
            ),
            clock=lambda: self.now,
        )

    def reaction(self, user: str = "U1") -> Reaction:
        """Let somebody react to a message of its own."""
        number = next(self.numbers)
        message = self.workspace.post("C1", "U9", "You are an idiot.")
        ts = f"{self.now + number / 1000:.6f}"
        return Reaction(f"Ev{number}", ts, "T1", user, "C1", message.ts, "U9", "biohazard_sign")

    def answer(self, bot: GestureRouter, gesture: Gesture) -> None:
        bot.answer(gesture, deadline=self.now + 25)

    def posts(self, user: str | None) -> list[Message]:
        """Return what only one person sees, or everybody."""
        bot = self.workspace.bot.id
        messages = self.workspace.messages("C1")
        return [one for one in messages if one.user == bot and one.only_for == user]


@pytest.fixture
def scene(
    store: Store,
    channel_store: SettingsStore,
    case_store: CaseStore,
    slack_server: SlackServer,
    classifier: Classifier,
) -> Scene:
    workspace = Workspace()
    for user in ("U1", "U2", "U3", "U9"):
        workspace.add_person(Person(user, user.lower()))
    workspace.add_channel(Channel("C1", "general", members=set(workspace.people)))
    api = WebApi(workspace, {BOT_TOKEN: Grant()}, NO_LIMITS)
    interactivity = Interactivity(workspace, api.modals)
    slack_server.serve(application(api, "U1", interactivity=interactivity))
    interactivity.address = slack_server.address
    address = slack_server.address
    return Scene(workspace, api, address, classifier, store, channel_store, case_store)


def dropped(log: str) -> list[dict[str, object]]:
    lines = [json.loads(line) for line in log.splitlines() if '"message":"request dropped' in line]
    return [{key: line[key] for key in ("level", "budget")} for line in lines]


def test_a_budget_takes_each_request_once_and_no_more_than_it_has(store: Store) -> None:
    assert store.spend("b", "one", 2, 9) == {"one"}
    assert store.spend("b", "one", 2, 9) == {"one"}
    assert store.spend("b", "two", 2, 9) == {"one", "two"}
    assert store.spend("b", "three", 2, 9) == {"one", "two"}
    assert store.spend("b", "one", 2, 9) == {"one", "two"}
    assert store.spend("other", "three", 2, 9) == {"three"}


def test_many_at_once_spend_no_more_than_a_budget_has(store: Store) -> None:
    with ThreadPoolExecutor(8) as executor:
        results = executor.map(lambda n: store.spend("b", f"r{n}", 5, 9), range(20))
        admitted = [n for n, requests in enumerate(results) if f"r{n}" in requests]
    assert len(admitted) == 5


def test_a_spent_budget_drops_requests_with_one_private_note(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    bot = scene.bot(USER_BUDGET="2")
    for _ in range(2):
        scene.answer(bot, scene.reaction())
    assert len(scene.posts(None)) == 2
    assert dropped(capsys.readouterr().out) == []
    # One whose bot does not know yet that the budget is spent, and one whose bot does.
    for other in (scene.bot(USER_BUDGET="2"), bot, bot):
        scene.answer(other, scene.reaction())
    [note] = scene.posts("U1")
    assert "hourly limit for requests (2)" in note.text
    assert f"<!date^{(HOUR + 1) * PERIOD}^" in note.text
    assert dropped(capsys.readouterr().out) == [{"level": "WARNING", "budget": "user"}] * 3
    assert len(scene.posts(None)) == 2
    # Nobody else pays for it.
    scene.answer(bot, scene.reaction("U2"))
    assert len(scene.posts(None)) == 3


def test_a_request_that_is_dropped_costs_no_call_and_no_write(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = scene.bot(USER_BUDGET="1")
    for _ in range(2):
        scene.answer(bot, scene.reaction())
    calls = len(scene.api.calls)
    for method in ("make", "spend", "add_counts"):
        monkeypatch.setattr(scene.store, method, None)
    scene.answer(bot, scene.reaction())
    assert len(scene.api.calls) == calls


def test_a_reaction_that_is_toggled_is_dropped_instead_of_waiting(scene: Scene) -> None:
    bot = scene.bot(USER_BUDGET="3")
    reaction = scene.reaction()
    scene.answer(bot, reaction)
    waited = 0
    for number in range(1, 6):
        again = dataclasses.replace(
            reaction, event_id=f"Again{number}", event_ts=f"{scene.now + number:.6f}"
        )
        try:
            scene.answer(bot, again)
        except TryAgainError:
            waited += 1
    assert waited == 2
    assert len(scene.posts("U1")) == 1


WRITES = ("make", "close", "release", "spend", "add_counts", "reserve", "keep_vote")


def count_writes(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that grows with every write to the store."""
    writes: list[str] = []
    for name in WRITES:
        method = getattr(scene.store, name)

        def write(*arguments: object, name: str = name, method: Any = method) -> object:
            writes.append(name)
            return method(*arguments)

        monkeypatch.setattr(scene.store, name, write)
    return writes


@pytest.mark.slow
def test_a_reaction_that_is_toggled_a_hundred_times_costs_a_few_writes_and_one_note(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = scene.bot(USER_BUDGET="1000")
    writes = count_writes(scene, monkeypatch)
    reaction = scene.reaction()
    for number in range(100):
        scene.now += 30
        toggled = dataclasses.replace(
            reaction, event_id=f"Ev{number}", event_ts=f"{scene.now - 1:.6f}"
        )
        scene.answer(bot, toggled)
        # Slack delivers the event once more, which counts as the same request.
        scene.answer(bot, toggled)
        if number == 20:
            so_far = len(writes)
    assert len(writes) == so_far < 150
    [note] = scene.posts("U1")
    assert "hourly limit for this message (10)" in note.text
    assert len(scene.posts(None)) == 1
    # Another message, and another person, still get their verdict.
    scene.answer(bot, scene.reaction())
    other = dataclasses.replace(
        reaction, user="U2", event_id="EvOther", event_ts=f"{scene.now:.6f}"
    )
    scene.answer(bot, other)
    assert len(scene.posts(None)) == 2
    assert scene.posts("U2") == []


@pytest.mark.slow
def test_repetitions_are_counted_anew_in_the_next_hour(scene: Scene) -> None:
    bot = scene.bot()
    reaction = scene.reaction()
    for hour in range(2):
        for number in range(12):
            scene.now += 30
            event_ts = f"{scene.now - 1:.6f}"
            again = dataclasses.replace(reaction, event_id=f"Ev{hour}x{number}", event_ts=event_ts)
            scene.answer(bot, again)
        assert len(scene.posts("U1")) == hour + 1
        scene.now += PERIOD


@pytest.mark.parametrize("limit", [3, 0])
@pytest.mark.parametrize("kind", ["settings", "form", "home", "click"])
@pytest.mark.slow
def test_each_kind_of_gesture_has_a_budget_of_its_own_and_one_sentence_for_it(
    scene: Scene, kind: str, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = scene.bot(USER_BUDGET=str(limit))
    said: list[str] = []

    def say(*arguments: Any, **_: object) -> None:
        said.append(arguments[-1].text)

    monkeypatch.setattr(bot._slack, "respond", say)
    monkeypatch.setattr(bot._slack, "post_privately", say)
    writes = count_writes(scene, monkeypatch)
    url = f"{scene.address}/none"
    ts = f"{scene.now:.6f}"
    subject = Subject("1766000000.000100", "", "toxic", 0.9, "insult", "0123456789ab")

    def gesture(number: int) -> Gesture:
        event = (f"E{number}", ts, "T1", "U1")
        if kind == "settings":
            return SettingsRequest(*event, "C1", False, url)
        if kind == "form":
            return SettingsChange(*event, "C1", ChannelSettings().to_json())
        if kind == "home":
            return HomeVisit(*event)
        return Click(*event, "C1", Action.RIGHT, subject, None, url)

    for number in range(12):
        scene.answer(bot, gesture(number))
        if number == 6:
            so_far = len(writes)
    told = [text for text in said if "You have reached the hourly limit" in text]
    if kind == "home":
        told = re.findall(
            r"the hourly limit for this tab.*? again", json.dumps(scene.workspace.homes)
        )
    assert len(told) == bool(limit)
    assert (len(writes) == so_far) is bool(limit)
    # It takes nothing from the verdicts.
    scene.answer(bot, scene.reaction())
    assert len(scene.posts(None)) == 1


def test_what_is_delivered_again_spends_nothing_and_is_still_answered(scene: Scene) -> None:
    scene.api.faults.add("conversations.replies", Fault(error="ratelimited", status=429))
    first = scene.reaction()
    with pytest.raises(TryAgainError):
        scene.answer(scene.bot(USER_BUDGET="2"), first)
    bot = scene.bot(USER_BUDGET="2")
    # A shared channel's event comes once from each workspace.
    other = dataclasses.replace(first, event_id="EvOther", team="T2")
    scene.answer(bot, other)
    scene.answer(bot, scene.reaction())
    scene.answer(bot, scene.reaction())
    assert len(scene.posts(None)) == 2
    for later in (bot, scene.bot(USER_BUDGET="2")):
        scene.answer(later, first)
        scene.answer(later, other)
    assert len(scene.posts(None)) == 2
    assert len(scene.posts("U1")) == 1


def test_a_budget_starts_anew_with_the_hour(scene: Scene) -> None:
    bot = scene.bot(USER_BUDGET="1")
    for _ in range(2):
        scene.answer(bot, scene.reaction())
    scene.now += PERIOD
    for _ in range(2):
        scene.answer(bot, scene.reaction())
    assert len(scene.posts(None)) == 2
    assert len(scene.posts("U1")) == 2


def test_a_channel_has_a_budget_that_one_person_cannot_use_up(scene: Scene) -> None:
    bots = [scene.bot(USER_BUDGET="1", CHANNEL_BUDGET="2") for _ in range(4)]
    for bot in bots:
        scene.answer(bot, scene.reaction("U1"))
    scene.answer(bots[0], scene.reaction("U2"))
    assert len(scene.posts(None)) == 2
    scene.answer(bots[0], scene.reaction("U3"))
    assert len(scene.posts(None)) == 2
    [note] = scene.posts("U3")
    assert note.text.startswith("This channel has reached the hourly limit for requests (2)")


def test_a_note_that_slack_does_not_take_comes_later_but_not_after_the_hour(scene: Scene) -> None:
    bot = scene.bot(USER_BUDGET="1")
    scene.answer(bot, scene.reaction())
    late, too_late = scene.reaction(), scene.reaction()
    limited = Fault(error="ratelimited", status=429, retry_after=1)
    scene.api.faults.add("chat.postEphemeral", limited, times=2)
    for one in (late, too_late):
        with pytest.raises(TryAgainError):
            scene.answer(scene.bot(USER_BUDGET="1"), one)
    scene.answer(scene.bot(USER_BUDGET="1"), late)
    assert len(scene.posts("U1")) == 1
    scene.now += PERIOD
    scene.answer(scene.bot(USER_BUDGET="1"), too_late)
    assert len(scene.posts("U1")) == 1


def test_every_gesture_that_asks_spends_and_is_told_where_it_asked(scene: Scene) -> None:
    ts = f"{scene.now:.6f}"
    trial = Trial("Tr1", ts, "T1", "U1", "You are an idiot.")
    bot = scene.bot(USER_BUDGET="1")
    scene.answer(bot, trial)
    scene.answer(bot, dataclasses.replace(trial, event_id="Tr2"))
    assert "hourly limit" in json.dumps(scene.workspace.homes["U1"])
    other = dataclasses.replace(trial, user="U2", event_id="Tr3")
    scene.answer(bot, other)
    url = f"{scene.address}/none"
    command = Command("Co1", ts, "T1", "U2", "C1", "You are an idiot.", url)
    scene.answer(bot, command)
    assert "hourly limit" not in json.dumps(scene.workspace.homes["U2"])


def test_no_limit_asks_nobody(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scene.store, "spend", None)
    bot = scene.bot(USER_BUDGET="0", CHANNEL_BUDGET="0")
    for _ in range(3):
        scene.answer(bot, scene.reaction())
    assert len(scene.posts(None)) == 3


def test_a_store_that_cannot_be_asked_stops_nobody(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(*_: object) -> None:
        raise StoreUnavailableError

    monkeypatch.setattr(scene.store, "spend", unreachable)
    bot = scene.bot(USER_BUDGET="1")
    for _ in range(2):
        scene.answer(bot, scene.reaction())
    assert len(scene.posts(None)) == 2
