"""Private answers in a local Slack, from the gesture's payload to what the person sees."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from simulators.slack.faults import Fault
from simulators.slack.interactivity import Interactivity
from simulators.slack.methods import Grant, WebApi
from simulators.slack.rate_limits import NO_LIMITS
from simulators.slack.server import application
from simulators.slack.workspace import Channel, Message, Person, Workspace
from tests.aws_account import BOT_TOKEN, SlackServer
from toxic_bot.judge.classifier import Classifier, load
from toxic_bot.judge.config import EMBEDDED_MODEL
from toxic_bot.judge.verdict import Verdict
from toxic_bot.slack.channel_settings import ChannelSettings
from toxic_bot.slack.composition import compose
from toxic_bot.slack.gesture_router import GestureRouter
from toxic_bot.slack.gestures.gesture import Gesture
from toxic_bot.slack.gestures.private_requests import Trial
from toxic_bot.slack.gestures.reading import read_gesture
from toxic_bot.slack.requests.interactions import (
    COMMAND,
    SHORTCUT,
    parse_command,
    parse_interaction,
)
from toxic_bot.slack.settings import BotSettings
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.slack.word_lists import WordLists
from toxic_bot.standalone.case_database import SQLiteCases
from toxic_bot.standalone.channel_settings_database import SQLiteChannelSettings
from toxic_bot.standalone.database import Database
from toxic_bot.standalone.sqlite_store import SQLiteStore

HERE, ELSEWHERE, SECRET, DIRECT = "C0HERE", "C0ELSEWHERE", "G0SECRET", "D0001"
INSULT = "You are a pathetic idiot and everybody here hates you."
THANKS = "Thanks, that was a great help!"


@dataclass
class Scene:
    """A workspace with places that the bot is in and places that it is not in, and the bot."""

    workspace: Workspace
    api: WebApi
    interactivity: Interactivity
    channels: SQLiteChannelSettings
    bot: GestureRouter
    settings: BotSettings

    def choose(self, message: Message, user: str = "U0ASKS") -> Message:
        """Choose the shortcut on a message, and return the one private answer."""
        return self.answer(
            user,
            lambda: self.interactivity.choose_shortcut(message.channel, message.ts, user, SHORTCUT),
        )

    def click(self, answer: Message, action: str, user: str = "U0ASKS") -> Message:
        return self.answer(
            user, lambda: self.interactivity.click(answer.channel, answer.ts, user, action)
        )

    def answer(self, user: str, make: Any) -> Message:
        sent: list[dict[str, Any]] = []

        def send(_: str, fields: dict[str, Any]) -> Future[str | None]:
            sent.append(fields)
            return Future()

        self.interactivity.send = send
        make()
        parse = parse_command if "command" in sent[0] else parse_interaction
        gesture = parse(
            sent[0], self.settings.subscription, str(time.time()), self.settings.slack_api_url
        )
        assert isinstance(gesture, Gesture)
        before = self.private(user)
        # As it comes out of the queue.
        self.bot.answer(read_gesture(json.loads(gesture.to_json())), time.time() + 25)
        [answer] = [one for one in self.private(user) if one not in before]
        return answer

    def private(self, user: str) -> list[Message]:
        return [
            one
            for channel in self.workspace.channels
            for one in self.workspace.messages(channel)
            if one.only_for == user
        ]


@pytest.fixture(scope="module")
def classifier() -> Classifier:
    return load(EMBEDDED_MODEL)


@pytest.fixture
def scene(slack_server: SlackServer, classifier: Classifier, tmp_path: Path) -> Iterator[Scene]:
    workspace = Workspace()
    for person in ("U0ASKS", "U0WROTE"):
        workspace.add_person(Person(person, person.lower()))
    people = set(workspace.people) - {workspace.bot.id}
    workspace.add_channel(Channel(HERE, "here", members=set(workspace.people)))
    workspace.add_channel(Channel(ELSEWHERE, "elsewhere", members=set(people)))
    for private in (SECRET, DIRECT):
        workspace.add_channel(Channel(private, private.lower(), members=set(people), private=True))
    for channel in (ELSEWHERE, SECRET, DIRECT):
        workspace.channels[channel].members.discard(workspace.bot.id)
    api = WebApi(workspace, {BOT_TOKEN: Grant()}, NO_LIMITS)
    interactivity = Interactivity(workspace, api.modals)
    slack_server.serve(application(api, "U0ASKS", interactivity=interactivity))
    interactivity.address = api.address = slack_server.address
    url = f"{slack_server.address}/api/"
    settings = BotSettings.from_environment({"SLACK_API_URL": url, "HELP_LINES": "on"})
    database = Database(tmp_path / "bot.sqlite")
    channels = SQLiteChannelSettings(database)
    slack = SlackClient(lambda *, fresh: BOT_TOKEN, url)  # noqa: ARG005 - it never changes
    store, cases = SQLiteStore(database), SQLiteCases(database)
    bot = compose(slack, classifier, store, channels, cases, settings)
    yield Scene(workspace, api, interactivity, channels, bot, settings)
    database.close()


def shown(message: Message) -> str:
    return json.dumps(message.blocks, ensure_ascii=False)


def actions(message: Message) -> list[str]:
    blocks = [block for block in message.blocks if block["type"] == "actions"]
    return [element["action_id"] for block in blocks for element in block["elements"]]


@pytest.mark.parametrize("text", [INSULT, THANKS])
def test_a_private_verdict_quotes_and_links_its_message(scene: Scene, text: str) -> None:
    message = scene.workspace.post(HERE, "U0WROTE", text)
    scene.workspace.post(HERE, "U0WROTE", "Something later.")
    answer = scene.choose(message)
    assert f"“{text}”" in shown(answer)
    assert f"<{scene.api.address}/archives/{HERE}/p{message.ts.replace('.', '')}|" in shown(answer)
    assert text not in answer.text


def test_only_the_beginning_of_a_message_is_quoted_and_nothing_in_it_formats(scene: Scene) -> None:
    message = scene.workspace.post(HERE, "U0WROTE", f"*{THANKS}* <!channel> " + "lovely " * 100)
    quotes = [
        block["text"]
        for block in scene.choose(message).blocks
        if block.get("text", {}).get("type") == "plain_text"
    ]
    assert len(quotes) == 1
    assert len(quotes[0]["text"]) < 160


@pytest.mark.parametrize("error", ["ratelimited", "internal_error", "missing_scope"])
def test_a_verdict_without_its_link_is_better_than_none(scene: Scene, error: str) -> None:
    status = 429 if error == "ratelimited" else 200
    scene.api.faults.add("chat.getPermalink", Fault(error=error, status=status))
    answer = scene.choose(scene.workspace.post(HERE, "U0WROTE", INSULT))
    assert f"“{INSULT}”" in shown(answer)
    assert "/archives/" not in shown(answer)


@pytest.mark.parametrize("place", [ELSEWHERE, SECRET, DIRECT])
@pytest.mark.parametrize("text", [INSULT, THANKS])
def test_the_shortcut_judges_a_message_that_only_the_asker_can_read(
    scene: Scene, place: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = scene.choose(scene.workspace.post(place, "U0WROTE", text))
    assert ("reads as toxic" in answer.text) is (text == INSULT)
    assert f"“{text}”" in shown(answer)
    assert "not in this channel" not in shown(answer)
    # No button could ask Slack for the text later, so the reasons come at once.
    assert actions(answer) == []
    assert ("What drove the score" in shown(answer)) is (text == INSULT)
    assert text not in capsys.readouterr().out


def test_what_slack_says_now_counts_where_the_bot_can_read_it(scene: Scene) -> None:
    message = scene.workspace.post(HERE, "U0WROTE", THANKS)

    def choose_and_edit() -> None:
        scene.interactivity.choose_shortcut(HERE, message.ts, "U0ASKS", SHORTCUT)
        scene.workspace.edit(HERE, message.ts, INSULT)

    answer = scene.answer("U0ASKS", choose_and_edit)
    assert "reads as toxic" in answer.text
    assert "why" in actions(answer)


def test_a_message_without_words_says_so_where_the_bot_cannot_read_it(scene: Scene) -> None:
    answer = scene.choose(scene.workspace.post(DIRECT, "U0WROTE", "?!"))
    assert "nothing to judge" in answer.text


def test_a_person_whose_messages_are_not_judged_is_not_judged_by_the_sent_text(
    scene: Scene,
) -> None:
    own = ChannelSettings(exempt=frozenset({"U0WROTE"}))
    scene.channels.keep(SECRET, own, time.time())
    answer = scene.choose(scene.workspace.post(SECRET, "U0WROTE", INSULT))
    assert "do not judge" in answer.text


def test_why_and_the_command_name_the_words_on_the_channels_lists(scene: Scene) -> None:
    lists = WordLists(always=("teapot",), never=("*idiot*",))
    scene.channels.keep(HERE, ChannelSettings(lists=lists), time.time())
    text = "What an Idiotic TEAPOT"
    verdict = scene.choose(scene.workspace.post(HERE, "U0WROTE", text))
    assert "Contains words that are always flagged in this channel." in verdict.text
    typed = scene.answer(
        "U0ASKS", lambda: scene.interactivity.type_command(HERE, "U0ASKS", "/toxic", text)
    )
    for answer in (scene.click(verdict, "why"), typed):
        shown = str(answer.blocks)
        assert "Always flagged in this channel: “TEAPOT”" in shown
        assert "Ignored in this channel: “Idiotic”" in shown


def test_a_typed_text_and_one_on_the_home_tab_are_judged_once(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged: list[str] = []
    classify = Classifier.classify

    def counting(classifier: Classifier, text: str, *rest: Any) -> Verdict:
        # The multilingual model's second opinion belongs to the same judgment.
        if not classifier.config.multilingual:
            judged.append(text)
        return classify(classifier, text, *rest)

    monkeypatch.setattr(Classifier, "classify", counting)
    scene.answer(
        "U0ASKS", lambda: scene.interactivity.type_command(HERE, "U0ASKS", COMMAND, INSULT)
    )
    # What the words cost besides are texts without one of them, or one of them alone.
    assert judged.count(INSULT) == 1
    judged.clear()
    trial = Trial("Tr1", f"{time.time():.6f}", "T0001", "U0ASKS", INSULT)
    scene.bot.answer(trial, time.time() + 25)
    assert judged.count(INSULT) == 1


IN_NEED = "I want to kill myself."


@pytest.mark.parametrize("place", [HERE, DIRECT])
@pytest.mark.parametrize("asker", ["U0ASKS", "U0WROTE"])
def test_who_asks_in_private_about_a_person_in_need_is_told_how_to_help(
    scene: Scene, place: str, asker: str
) -> None:
    answer = scene.choose(scene.workspace.post(place, "U0WROTE", IN_NEED), asker)
    shown = str(answer.blocks)
    assert "findahelpline.com" in shown
    assert "toxic" not in shown
    assert ("I am not judging this message" in shown) == (asker == "U0ASKS")
    # Nobody else is told what was asked in private.
    assert scene.private("U0WROTE") == ([answer] if asker == "U0WROTE" else [])


def test_a_typed_text_of_a_person_in_need_is_answered_with_help_lines(scene: Scene) -> None:
    answer = scene.answer(
        "U0ASKS", lambda: scene.interactivity.type_command(HERE, "U0ASKS", "/toxic", IN_NEED)
    )
    assert "You are not alone." in str(answer.blocks)
    assert "toxic" not in str(answer.blocks)


def test_why_says_nothing_of_words_once_a_message_is_one_of_a_person_in_need(scene: Scene) -> None:
    message = scene.workspace.post(HERE, "U0WROTE", INSULT)
    verdict = scene.choose(message)
    scene.workspace.edit(HERE, message.ts, IN_NEED)
    why = str(scene.click(verdict, "why").blocks)
    assert "I am not judging this message" in why
    assert "kill" not in why
