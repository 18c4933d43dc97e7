"""A watched channel: each version of a message is judged once, and what follows is single."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import datetime

import pytest

from handler.case_table import CaseTable
from handler.channel_settings_table import SettingsTable
from handler.dynamodb_store import DynamoDBStore
from simulators.slack.faults import Fault
from simulators.slack.workspace import Channel, Message
from tests.aws_account import BOT_TOKEN, dynamodb
from tests.slack.answers.test_answerer import INSULT, THANKS, Scenario, classifier, scenario
from toxic_bot.judge.classifier import Classifier
from toxic_bot.judge.verdict import Verdict
from toxic_bot.slack.channel_settings import ChannelSettings, QuietHours, Watch, WatchAction
from toxic_bot.slack.channels.settings_posts import describe_channel
from toxic_bot.slack.composition import compose
from toxic_bot.slack.gesture_router import GestureRouter
from toxic_bot.slack.gestures.event_gestures import Reaction
from toxic_bot.slack.gestures.gesture import Gesture
from toxic_bot.slack.gestures.watched_messages import JudgedMessage, WatchedMessage
from toxic_bot.slack.i18n.english import ENGLISH
from toxic_bot.slack.retry import TryAgainError
from toxic_bot.slack.settings import BotSettings
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.slack.word_lists import WordLists

__all__ = ["classifier", "scenario"]

pytestmark = pytest.mark.slow

AUTHOR, MODERATORS = "U0WROTE", "C0MODS"
HOUR = int(time.time()) // 3600 % 24
QUIET_NOW = QuietHours((HOUR - 2) % 24, (HOUR + 3) % 24)


class CountingClassifier(Classifier):
    """A classifier that remembers what it has judged."""

    texts: list[str]

    def classify(self, text: str, language: str | None = None) -> Verdict:
        self.texts.append(text)
        return super().classify(text, language)


@dataclass
class Watched:
    """A watched channel, C0001, and the texts that were judged."""

    scenario: Scenario
    watch: Watch
    texts: list[str]

    def worker(self, own: ChannelSettings | None = None, **environment: str) -> GestureRouter:
        """Return a worker in the state of a new Lambda environment."""
        client = dynamodb()
        table = SettingsTable(client, "claims")
        own = own or ChannelSettings(watch=self.watch)
        table.keep("C0001", own, self.scenario.clock())
        counting = object.__new__(CountingClassifier)
        counting.__dict__ |= self.scenario.classifier.__dict__
        counting.texts = self.texts
        return compose(
            SlackClient(lambda *, fresh: BOT_TOKEN, f"{self.scenario.address}/api/"),  # noqa: ARG005 - the token never changes
            counting,
            DynamoDBStore(client, "claims"),
            table,
            CaseTable(client, "claims"),
            BotSettings.from_environment({"MODERATORS": MODERATORS} | environment),
            clock=self.scenario.clock,
        )

    def event(self, message: Message, *, asked: bool = False) -> WatchedMessage:
        number = next(self.scenario.event_numbers)
        return WatchedMessage(
            event_id=f"Ev{number:06}",
            event_ts=message.edited or message.ts,
            team="T0001",
            user=message.user,
            channel=message.channel,
            ts=message.ts,
            thread=message.thread_ts or message.ts,
            edited=message.edited,
            asked=asked,
            text=message.text,
        )

    def handle(self, worker: GestureRouter, gesture: Gesture) -> None:
        worker.answer(gesture, deadline=self.scenario.clock() + 20)

    def private(self) -> list[Message]:
        return [one for one in self.scenario.answers() if one.only_for is not None]

    def notes(self) -> list[Message]:
        return self.scenario.workspace.messages(MODERATORS)


@pytest.fixture
def watched(scenario: Scenario) -> Watched:
    members = {scenario.workspace.bot.id}
    scenario.workspace.add_channel(Channel(MODERATORS, "moderators", members=members))
    return Watched(scenario, Watch(WatchAction.NUDGE), [])


def with_action(watched: Watched, action: WatchAction) -> Watched:
    watched.watch = Watch(action)
    return watched


@pytest.mark.parametrize("action", WatchAction)
def test_a_message_that_is_not_toxic_costs_no_call_to_slack_and_leaves_nothing(
    watched: Watched, action: WatchAction
) -> None:
    worker = with_action(watched, action).worker()
    watched.handle(worker, watched.event(watched.scenario.post(THANKS)))
    assert watched.texts == [THANKS]
    assert watched.scenario.api.calls == []


def test_the_author_of_a_toxic_message_is_told_in_private(watched: Watched) -> None:
    message = watched.scenario.post(INSULT)
    watched.handle(watched.worker(), watched.event(message))
    [nudge] = watched.private()
    assert nudge.only_for == AUTHOR
    assert "may come across as" in str(nudge.blocks)
    assert watched.notes() == []


def test_moderators_get_a_note_with_a_link_and_no_text(watched: Watched) -> None:
    worker = with_action(watched, WatchAction.NOTE).worker()
    watched.handle(worker, watched.event(watched.scenario.post(INSULT)))
    [note] = watched.notes()
    assert "reads as toxic" in note.text
    assert "pathetic" not in str(note.blocks)
    assert watched.scenario.answers() == []


def test_a_toxic_message_is_answered_in_its_thread(watched: Watched) -> None:
    worker = with_action(watched, WatchAction.THREAD).worker()
    parent = watched.scenario.post(THANKS)
    reply = watched.scenario.post(INSULT, parent.ts)
    for message in (parent, reply):
        watched.handle(worker, watched.event(message))
    [answer] = watched.scenario.answers()
    assert answer.thread_ts == parent.ts
    assert "reads as toxic" in answer.text


@pytest.mark.parametrize("action", WatchAction)
def test_a_doubled_event_is_judged_once_and_nothing_follows_twice(
    watched: Watched, action: WatchAction
) -> None:
    event = with_action(watched, action).event(watched.scenario.post(INSULT))
    watched.handle(watched.worker(), event)
    judged, calls = list(watched.texts), len(watched.scenario.api.calls)
    for _ in range(3):
        # Slack's retry, in another worker.
        watched.handle(watched.worker(), event)
        # The same message in another workspace of a shared channel.
        watched.handle(watched.worker(), replace(event, event_id="Ev9", team="T0002"))
    assert watched.texts == judged
    assert len(watched.scenario.answers()) + len(watched.notes()) == 1
    assert len(watched.scenario.api.calls) <= calls + 1


@pytest.mark.parametrize("hours", [-1, 1, 2])
def test_a_doubled_event_is_judged_once_although_the_clock_is_set_meanwhile(
    watched: Watched, hours: float
) -> None:
    event = watched.event(watched.scenario.post(THANKS))
    watched.handle(watched.worker(), event)
    watched.scenario.clock_offset += hours * 3600 + 60
    watched.handle(watched.worker(), event)
    assert watched.texts == [THANKS]


def test_a_version_is_judged_once_and_an_edit_is_a_version(watched: Watched) -> None:
    worker, message = watched.worker(), watched.scenario.post(THANKS)
    first = watched.event(message)
    watched.scenario.workspace.edit("C0001", message.ts, INSULT)
    second = watched.event(message)
    # The later one comes first.
    for event in (second, first, second, first):
        watched.handle(worker, event)
    # The nudge has read the message once more.
    assert sorted(watched.texts) == sorted([THANKS, INSULT, INSULT])
    assert len(watched.private()) == 1


def test_an_answer_in_the_thread_follows_the_edit(watched: Watched) -> None:
    worker = with_action(watched, WatchAction.THREAD).worker()
    message = watched.scenario.post(INSULT)
    watched.handle(worker, watched.event(message))
    watched.scenario.workspace.edit("C0001", message.ts, THANKS)
    watched.scenario.clock_offset += 10
    watched.handle(worker, watched.event(message, asked=True))
    [answer] = watched.scenario.answers()
    assert "does not read as toxic" in answer.text


def test_a_message_that_was_edited_in_time_is_not_held_against_its_author(
    watched: Watched,
) -> None:
    message = watched.scenario.post(INSULT)
    event = watched.event(message)
    watched.scenario.workspace.edit("C0001", message.ts, THANKS)
    watched.handle(watched.worker(), event)
    assert watched.scenario.answers() == []


def test_the_threshold_for_watching_is_its_own(watched: Watched) -> None:
    own = ChannelSettings(threshold=0.5, watch=Watch(WatchAction.NUDGE, threshold=0.99))
    text = "You are an idiot, but I still like the plan."
    watched.handle(watched.worker(own), watched.event(watched.scenario.post(text)))
    assert watched.texts == [text]
    assert watched.private() == []


def test_exempt_people_are_not_judged(watched: Watched) -> None:
    own = ChannelSettings(watch=watched.watch, exempt=frozenset({AUTHOR}))
    watched.handle(watched.worker(own), watched.event(watched.scenario.post(INSULT)))
    assert watched.texts == []


@pytest.mark.parametrize(
    "own",
    [
        ChannelSettings(),
        ChannelSettings(listens=False, watch=Watch(WatchAction.NUDGE)),
        ChannelSettings(watch=Watch(WatchAction.NUDGE, quiet=QuietHours(0, 23))),
    ],
    ids=["no longer watched", "does not listen", "quiet hours"],
)
def test_where_and_when_nothing_is_watched_nothing_is_judged(
    watched: Watched, own: ChannelSettings
) -> None:
    event = replace(watched.event(watched.scenario.post(INSULT)), event_ts="1766016000.000100")
    watched.handle(watched.worker(own), event)
    assert watched.texts == []
    assert watched.scenario.api.calls == []


@pytest.mark.parametrize(
    ("quiet", "hours"),
    [(QuietHours(18, 8), {*range(18, 24), *range(8)}), (QuietHours(12, 13), {12})],
)
def test_quiet_hours_may_include_midnight(quiet: QuietHours, hours: set[int]) -> None:
    assert {hour for hour in range(24) if quiet.cover(hour * 3600 + 1800.0)} == hours


@pytest.mark.parametrize(
    ("zone", "at", "is_quiet"),
    [
        # 18:30 in New York, in winter and in summer.
        ("America/New_York", "2026-01-15T23:30:00+00:00", True),
        ("America/New_York", "2026-07-15T22:30:00+00:00", True),
        # 17:30, and 8:00, the first hour that is no longer quiet.
        ("America/New_York", "2026-07-15T21:30:00+00:00", False),
        ("America/New_York", "2026-07-15T12:00:00+00:00", False),
        # The hour that summer time leaves out, and the one that comes twice.
        ("Europe/Berlin", "2026-03-29T01:30:00+00:00", True),
        ("Europe/Berlin", "2026-10-25T01:30:00+00:00", True),
        ("Asia/Kolkata", "2026-07-15T12:29:00+00:00", False),
        ("Asia/Kolkata", "2026-07-15T12:30:00+00:00", True),
        # A zone of another version of the database: UTC.
        ("Mars/Olympus", "2026-07-15T18:00:00+00:00", True),
        ("Mars/Olympus", "2026-07-15T17:59:00+00:00", False),
    ],
)
def test_quiet_hours_are_those_of_the_channels_time_zone(
    watched: Watched, zone: str, at: str, is_quiet: bool
) -> None:
    own = ChannelSettings(watch=Watch(WatchAction.NUDGE, quiet=QuietHours(18, 8, zone)))
    event_ts = f"{datetime.fromisoformat(at).timestamp():.6f}"
    event = replace(watched.event(watched.scenario.post(THANKS)), event_ts=event_ts)
    watched.handle(watched.worker(own), event)
    assert watched.texts == ([] if is_quiet else [THANKS])


def test_quiet_hours_of_before_are_in_utc() -> None:
    stored = ChannelSettings(watch=Watch(WatchAction.NUDGE, quiet=QuietHours(18, 8))).to_json()
    older = stored.replace(', "zone": "UTC"', "")
    assert older != stored
    assert ChannelSettings.from_json(older).watch_quiet == QuietHours(18, 8, "UTC")


def test_what_waits_holds_no_text(watched: Watched) -> None:
    watched.scenario.api.faults.add(
        "chat.postEphemeral", Fault(error="ratelimited", status=429, retry_after=1)
    )
    worker, event = watched.worker(), watched.event(watched.scenario.post(INSULT))
    with pytest.raises(TryAgainError) as caught:
        watched.handle(worker, event)
    rest = caught.value.rest
    assert isinstance(rest, JudgedMessage)
    assert "pathetic" not in rest.to_json()
    watched.handle(watched.worker(), rest)
    watched.handle(watched.worker(), rest)
    assert len(watched.private()) == 1


def test_a_late_event_is_judged_all_the_same(watched: Watched) -> None:
    event = watched.event(watched.scenario.post(INSULT))
    watched.scenario.clock_offset += 5 * 3600
    watched.handle(watched.worker(), event)
    assert len(watched.private()) == 1


def reaction_to(watched: Watched, message: Message) -> Reaction:
    return watched.scenario.reaction(message)


@pytest.mark.parametrize("reaction_first", [False, True])
def test_a_reaction_to_a_message_that_is_answered_anyway_gets_no_second_answer(
    watched: Watched, reaction_first: bool
) -> None:
    worker = with_action(watched, WatchAction.THREAD).worker()
    message = watched.scenario.post(INSULT)
    gestures: list[Gesture] = [watched.event(message), reaction_to(watched, message)]
    for gesture in reversed(gestures) if reaction_first else gestures:
        watched.scenario.clock_offset += 40
        watched.handle(worker, gesture)
    assert len(watched.scenario.answers()) == 1


@pytest.mark.parametrize("reaction_first", [False, True])
def test_a_reaction_to_a_message_whose_author_is_nudged_gets_its_answer_too(
    watched: Watched, reaction_first: bool
) -> None:
    worker, message = watched.worker(), watched.scenario.post(INSULT)
    gestures: list[Gesture] = [watched.event(message), reaction_to(watched, message)]
    for gesture in reversed(gestures) if reaction_first else gestures:
        watched.handle(worker, gesture)
    assert len(watched.private()) == 1
    assert len(watched.scenario.answers()) == 2


def test_watching_spends_nobodys_budget(watched: Watched) -> None:
    worker = watched.worker(USER_BUDGET="1", CHANNEL_BUDGET="1")
    for number in range(3):
        watched.handle(worker, watched.event(watched.scenario.post(f"{INSULT} {number}")))
    assert len(watched.private()) == 3


def test_without_the_gesture_no_channel_is_watched(watched: Watched) -> None:
    worker = watched.worker(GESTURES="reaction,settings")
    watched.handle(worker, watched.event(watched.scenario.post(INSULT)))
    assert watched.texts == []


@pytest.mark.parametrize(
    "own",
    [ChannelSettings(), ChannelSettings(watch=Watch(WatchAction.NUDGE, quiet=QUIET_NOW))],
    ids=["no longer watched", "quiet hours"],
)
def test_an_answer_follows_an_edit_also_when_nothing_else_is_judged(
    watched: Watched, own: ChannelSettings
) -> None:
    worker, message = watched.worker(own), watched.scenario.post(INSULT)
    watched.handle(worker, watched.scenario.reaction(message))
    watched.scenario.workspace.edit("C0001", message.ts, THANKS)
    # The cooldown after the first assessment is not over: what waits for that holds no text.
    with pytest.raises(TryAgainError) as caught:
        watched.handle(worker, watched.event(message, asked=True))
    rest = caught.value.rest
    assert not rest.HOLDS_TEXT
    watched.scenario.clock_offset += 10
    watched.handle(worker, rest)
    [answer] = watched.scenario.answers()
    assert "does not read as toxic" in answer.text


def test_how_a_channel_is_watched_is_said_wherever_it_is_described() -> None:
    defaults = BotSettings.from_environment({})
    own = ChannelSettings(watch=Watch(WatchAction.THREAD, quiet=QuietHours(18, 8)))
    how = describe_channel(own, defaults, "C0001", ENGLISH)
    assert "I read every message, and answer it in its thread" in how
    assert "(not from 18:00 to 8:00 UTC)" in how
    without = BotSettings.from_environment({"GESTURES": "reaction,settings"})
    assert "every message" not in describe_channel(own, without, "C0001", ENGLISH)


HARMLESS = "The teapot is on the table."


@pytest.mark.parametrize("action", WatchAction)
def test_a_word_that_always_counts_is_enough_in_a_watched_channel(
    watched: Watched, action: WatchAction
) -> None:
    own = ChannelSettings(watch=Watch(action), lists=WordLists(always=("teapot*",)))
    worker = watched.worker(own)
    event = watched.event(watched.scenario.post(HARMLESS))
    watched.handle(worker, event)
    watched.handle(watched.worker(own), event)
    [said] = watched.scenario.answers() + watched.notes()
    assert "always flagged in this channel" in str(said.blocks)
    assert "Toxicity score" not in str(said.blocks)
    # Which word it is can be seen in the message; the claims do not say.
    items = dynamodb().scan(TableName="claims")["Items"]
    claims = [one for one in items if not one["id"]["S"].startswith("settings#")]
    assert claims
    assert "teapot" not in str(claims)


def test_a_word_that_never_counts_leaves_the_rest_to_be_judged(watched: Watched) -> None:
    own = ChannelSettings(watch=watched.watch, lists=WordLists(never=("idiot", "idiots")))
    worker = watched.worker(own)
    for text in ("You are an idiot.", "You pathetic idiot, everybody here hates you."):
        watched.handle(worker, watched.event(watched.scenario.post(text)))
    assert len(watched.private()) == 1
    assert "idiot" not in " ".join(watched.texts)


def test_a_reaction_is_answered_by_the_lists_of_its_channel(watched: Watched) -> None:
    worker = watched.worker(ChannelSettings(lists=WordLists(("teapot",), ("pathetic idiot",))))
    first, second = watched.scenario.post(HARMLESS), watched.scenario.post("You pathetic idiot.")
    for message in (first, second):
        watched.handle(worker, watched.scenario.reaction(message))
    texts = [one.text for one in watched.scenario.answers()]
    assert "reads as toxic. Contains words that are always flagged in this channel." in texts[0]
    assert "does not read as toxic" in texts[1]
