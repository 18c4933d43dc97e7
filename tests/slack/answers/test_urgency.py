"""Urgent messages are reported at once; people who may need help get help lines and no verdict."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simulators.slack.faults import Fault
from simulators.slack.workspace import Channel, Message
from tests.aws_account import dynamodb
from tests.slack.answers.test_answerer import INSULT, THANKS, classifier, scenario
from tests.slack.answers.test_watching import AUTHOR, MODERATORS, Watched, watched
from toxic_bot.slack.channel_settings import ChannelSettings, Urgent, Watch, WatchAction
from toxic_bot.slack.gestures.watched_messages import JudgedMessage
from toxic_bot.slack.retry import TryAgainError

__all__ = ["classifier", "scenario", "watched"]

pytestmark = pytest.mark.slow

SAFETY, PERSON = "C0SAFE", "U0SAFE"
URGENT = {"URGENT": f"{SAFETY},{PERSON}", "HELP_LINES": "on"}
THREAT = "I will find you and break your legs, you moron."
URGED = "just kys, nobody would miss you"
IN_NEED = "I want to disappear. Everyone would be better off without me."
IDIOM = "This meeting makes me want to die lol"


@pytest.fixture
def safety(watched: Watched) -> Watched:
    members = {watched.scenario.workspace.bot.id}
    watched.scenario.workspace.add_channel(Channel(SAFETY, "safety", members=members))
    return watched


def told(watched: Watched, channel: str = SAFETY) -> list[Message]:
    return watched.scenario.workspace.messages(channel)


@pytest.mark.parametrize("action", WatchAction)
@pytest.mark.parametrize("text", [THREAT, URGED])
def test_a_threat_in_a_watched_channel_is_told_at_once_whatever_else_follows(
    safety: Watched, action: WatchAction, text: str
) -> None:
    own = ChannelSettings(watch=Watch(action))
    event = safety.event(safety.scenario.post(text))
    for number in range(3):
        # Slack's retry, in another worker; and the message in another workspace.
        again = event if number < 2 else replace(event, event_id="Ev9", team="T0002")
        safety.handle(safety.worker(own, **URGENT), again)
    [note] = told(safety)
    assert "reads as toxic: a threat" in note.text
    assert f"<@{PERSON}>: please take a look now." in str(note.blocks)
    assert "legs" not in str(note.blocks)
    # What the channel has chosen follows all the same.
    assert len(safety.scenario.answers()) + len(safety.notes()) == 1


@pytest.mark.parametrize("text", [INSULT, THANKS, IDIOM])
def test_what_is_not_urgent_is_not_told(safety: Watched, text: str) -> None:
    safety.handle(safety.worker(None, **URGENT), safety.event(safety.scenario.post(text)))
    assert told(safety) == []


def test_a_reaction_to_a_threat_is_told_once_and_answered_as_ever(safety: Watched) -> None:
    worker = safety.worker(ChannelSettings(), **URGENT)
    message = safety.scenario.post(THREAT)
    safety.handle(worker, safety.scenario.reaction(message))
    safety.scenario.clock_offset += 40
    safety.handle(worker, safety.scenario.reaction(message, "U0001"))
    assert len(told(safety)) == 1
    [answer] = safety.scenario.answers()
    assert "reads as toxic" in answer.text


def test_without_the_setting_nobody_is_told_and_everything_is_judged(safety: Watched) -> None:
    worker = safety.worker(ChannelSettings(watch=Watch(WatchAction.THREAD)))
    for text in (THREAT, "I want to kill myself"):
        safety.handle(worker, safety.event(safety.scenario.post(text)))
    assert told(safety) == []
    assert safety.private() == []


@pytest.mark.parametrize("elsewhere", ["", "C0OTHER,U0OTHER"])
def test_a_channel_that_names_its_own_is_told_of_there(safety: Watched, elsewhere: str) -> None:
    bot = safety.scenario.workspace.bot.id
    safety.scenario.workspace.add_channel(Channel("C0OTHER", "other", members={bot}))
    own = ChannelSettings(urgent=Urgent(SAFETY, (PERSON,)))
    message = safety.scenario.post(THREAT)
    safety.handle(safety.worker(own, URGENT=elsewhere), safety.scenario.reaction(message))
    [note] = told(safety)
    assert f"<@{PERSON}>: please take a look now." in str(note.blocks)
    assert told(safety, "C0OTHER") == []
    assert "U0OTHER" not in str(note.blocks)


def test_a_watched_channel_that_names_its_own_is_told_of_there(safety: Watched) -> None:
    own = ChannelSettings(watch=Watch(WatchAction.NUDGE), urgent=Urgent(SAFETY))
    safety.handle(safety.worker(own), safety.event(safety.scenario.post(THREAT)))
    [note] = told(safety)
    assert "please take a look" not in str(note.blocks)


def test_in_the_moderators_channel_an_urgent_verdict_is_one_of_their_notes(
    safety: Watched,
) -> None:
    worker = safety.worker(ChannelSettings(), URGENT=f"{MODERATORS},{PERSON}")
    message = safety.scenario.post(THREAT)
    safety.handle(worker, safety.scenario.reaction(message))
    [note] = safety.notes()
    assert ":rotating_light:" in str(note.blocks)
    assert f"<@{PERSON}>: please take a look now." in str(note.blocks)
    assert "Seen" in str(note.blocks)


@pytest.mark.parametrize("action", WatchAction)
def test_who_writes_of_ending_their_life_gets_help_lines_and_no_verdict(
    safety: Watched, action: WatchAction
) -> None:
    own = ChannelSettings(watch=Watch(action))
    event = safety.event(safety.scenario.post(IN_NEED))
    for _ in range(2):
        safety.handle(safety.worker(own, **URGENT), event)
    [helped] = safety.scenario.answers()
    assert helped.only_for == AUTHOR
    shown = str(helped.blocks)
    assert "findahelpline.com" in shown
    assert "local emergency number" in shown
    assert "toxic" not in shown + helped.text
    # They are not left to find out later that others know.
    assert "the people here who look after such messages know about yours" in shown
    [note] = told(safety)
    assert "may need help" in note.text
    assert "toxic" not in str(note.text)
    assert "disappear" not in str(note.blocks)
    assert safety.notes() == []


@pytest.mark.parametrize("mode", ["thread", "ephemeral", "nudge"])
def test_a_reaction_to_such_a_message_is_answered_in_private_alone(
    safety: Watched, mode: str
) -> None:
    worker = safety.worker(ChannelSettings(), HELP_LINES="on", ANSWER=mode)
    message = safety.scenario.post(IN_NEED)
    for asker in ("U0ASKS", "U0ASKS", "U0WROTE"):
        safety.scenario.clock_offset += 40
        safety.handle(worker, safety.scenario.reaction(message, asker))
    answers = safety.scenario.answers()
    assert sorted(str(one.only_for) for one in answers) == ["U0ASKS", "U0WROTE"]
    assert "toxic" not in str([one.blocks for one in answers])
    [asked] = [one for one in answers if one.only_for == "U0ASKS"]
    assert "I am not judging this message" in asked.text
    [author] = [one for one in answers if one.only_for == "U0WROTE"]
    assert "Only you can see this." in str(author.blocks)


def test_a_public_answer_goes_when_its_message_becomes_one(safety: Watched) -> None:
    worker = safety.worker(ChannelSettings(watch=Watch(WatchAction.THREAD)), **URGENT)
    message = safety.scenario.post(INSULT)
    safety.handle(worker, safety.event(message))
    assert len(safety.scenario.answers()) == 1
    safety.scenario.workspace.edit("C0001", message.ts, IN_NEED)
    safety.scenario.clock_offset += 10
    safety.handle(worker, safety.event(message, asked=True))
    assert [one.only_for for one in safety.scenario.answers()] == [AUTHOR]


def test_a_reaction_to_the_edited_message_takes_the_public_answer_back_too(
    safety: Watched,
) -> None:
    worker = safety.worker(ChannelSettings(), HELP_LINES="on")
    message = safety.scenario.post(INSULT)
    safety.handle(worker, safety.scenario.reaction(message))
    safety.scenario.workspace.edit("C0001", message.ts, IN_NEED)
    safety.scenario.clock_offset += 40
    safety.handle(worker, safety.scenario.reaction(message, "U0001"))
    answers = safety.scenario.answers()
    assert sorted(str(one.only_for) for one in answers) == ["U0001", AUTHOR]
    assert "toxic" not in str([one.blocks for one in answers])


def test_whoever_is_threatened_beside_is_not_forgotten(safety: Watched) -> None:
    text = f"{THREAT} And then I want to kill myself."
    safety.handle(safety.worker(None, **URGENT), safety.event(safety.scenario.post(text)))
    [note] = told(safety)
    assert "may need help" in note.text
    assert "It also reads as toxic: a threat" in note.text
    [helped] = safety.scenario.answers()
    assert "toxic" not in str(helped.blocks)


def test_an_idiom_is_judged_as_ever(safety: Watched) -> None:
    safety.handle(safety.worker(None, **URGENT), safety.event(safety.scenario.post(IDIOM)))
    assert safety.texts == [IDIOM]
    assert "findahelpline" not in str(safety.scenario.answers())


def test_the_text_with_help_lines_can_be_set(safety: Watched) -> None:
    worker = safety.worker(None, HELP_LINES="on", HELP_TEXT="Ring *116 123*, day and night.")
    safety.handle(worker, safety.event(safety.scenario.post(IN_NEED)))
    [helped] = safety.scenario.answers()
    assert "Ring *116 123*, day and night." in str(helped.blocks)
    assert "findahelpline" not in str(helped.blocks)


@pytest.mark.parametrize("text", [THREAT, IN_NEED])
@pytest.mark.parametrize(
    "fault",
    [
        Fault(error="ratelimited", status=429, retry_after=1),
        Fault(error="internal_error", status=500),
        Fault(cut=True),
    ],
    ids=["limited", "failed", "lost"],
)
def test_under_faults_each_is_told_once_and_what_waits_holds_no_text(
    safety: Watched, text: str, fault: Fault
) -> None:
    own = ChannelSettings(watch=Watch(WatchAction.NUDGE))
    for method in ("chat.postMessage", "chat.postEphemeral"):
        safety.scenario.api.faults.add(method, fault)
    gesture = safety.event(safety.scenario.post(text))
    for _ in range(8):
        try:
            safety.handle(safety.worker(own, **URGENT), gesture)
        except TryAgainError as error:
            rest = error.rest
            assert isinstance(rest, JudgedMessage)
            assert not rest.HOLDS_TEXT
            gesture = rest  # type: ignore[assignment]  # as it comes out of the queue
            safety.scenario.clock_offset += 61
        else:
            break
    assert len(told(safety)) == 1
    # A lost response to a private post cannot be looked up: it may come twice, never not at all.
    assert 1 <= len(safety.private()) <= 2


def test_a_channel_that_is_gone_holds_up_nothing_else(safety: Watched) -> None:
    refused = Fault(error="is_archived")
    safety.scenario.api.faults.add("chat.postMessage", refused)
    safety.handle(safety.worker(None, **URGENT), safety.event(safety.scenario.post(THREAT)))
    assert told(safety) == []
    assert len(safety.private()) == 1


def test_no_claim_and_no_log_line_holds_the_text_or_says_who_is_unwell(
    safety: Watched, capsys: pytest.CaptureFixture[str]
) -> None:
    message = safety.scenario.post(IN_NEED)
    safety.handle(safety.worker(None, **URGENT), safety.event(message))
    items = str(dynamodb().scan(TableName="claims")["Items"])
    assert "better off" not in items
    log = capsys.readouterr().out
    assert "better off" not in log
    assert "self_harm" not in log
