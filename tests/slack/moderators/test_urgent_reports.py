"""Reports that somebody has to see at once, whatever the model makes of the message."""

from __future__ import annotations

from typing import Any

import boto3
import pytest

from simulators.slack.faults import Fault
from simulators.slack.workspace import Channel, Message
from tests.slack.moderators.desk import REPORTER, Desk, chosen, entered, shown
from tests.slack.moderators.scene import CHANNEL, DIRECT, INSULT, MODERATORS, THANKS, Scene
from toxic_bot.slack.gestures.report_gestures import Report
from toxic_bot.slack.retry import TryAgainError

pytestmark = pytest.mark.slow

SAFETY, PERSON = "C0SAFE", "U0SAFE"
THREAT = "I will find you and break your legs, you moron."
IN_NEED = "I want to disappear. Everyone would be better off without me."
VEILED = "Nice family you have. It would be a shame if something happened to them."
MENTION = f"<@{PERSON}>: please take a look now."


@pytest.fixture
def safety(scene: Scene) -> Scene:
    members = {scene.workspace.bot.id}
    scene.workspace.add_channel(Channel(SAFETY, "safety", members=members))
    return scene


def urgent(channel: str = SAFETY, **environment: str) -> dict[str, str]:
    return {"URGENT": f"{channel},{PERSON}", **environment}


def values(reason: str) -> dict[str, Any]:
    return entered("See for yourself.") | {"reason": chosen(reason)}


def told(scene: Scene) -> list[Message]:
    return scene.workspace.messages(SAFETY)


@pytest.mark.parametrize(
    ("reason", "named"),
    [
        ("threat", "Reported: A threat"),
        ("sexual", "Reported: Sexual harassment"),
        ("self_harm", "Reported: Self-harm or suicide"),
    ],
)
@pytest.mark.parametrize("text", [THANKS, VEILED, "안녕하세요, 회의는 세 시에 시작합니다"])
def test_a_report_with_an_urgent_reason_is_told_at_once_whatever_the_model_says(
    safety: Scene, reason: str, named: str, text: str
) -> None:
    desk = Desk(safety, **urgent())
    message = safety.workspace.post(CHANNEL, "U0WROTE", text)
    report = desk.report(message, values(reason))
    desk.handle(report)
    [note] = told(safety)
    for part in (named, MENTION, f"<#{CHANNEL}>", "Open the message", f"<#{MODERATORS}>"):
        assert part in shown(note)
    # The form says that the moderators read these; nobody else does.
    assert REPORTER not in shown(note)
    assert "See for yourself." not in shown(note)
    assert text not in shown(note)
    [case] = desk.cases()
    assert PERSON not in shown(case)


@pytest.mark.parametrize("reason", ["identity", "insult", "other"])
def test_a_report_with_another_reason_is_a_case_and_no_more(safety: Scene, reason: str) -> None:
    desk = Desk(safety, **urgent())
    desk.report(safety.workspace.post(CHANNEL, "U0WROTE", INSULT), values(reason))
    assert told(safety) == []
    assert len(desk.cases()) == 1


@pytest.mark.parametrize("text", [THREAT, IN_NEED])
def test_what_the_model_finds_urgent_is_told_whatever_the_reason(safety: Scene, text: str) -> None:
    desk = Desk(safety, **urgent(HELP_LINES="on"))
    desk.report(safety.workspace.post(CHANNEL, "U0WROTE", text), values("other"))
    assert len(told(safety)) == 1


@pytest.mark.parametrize("first", ["verdict", "report"])
def test_a_verdict_and_reports_on_the_same_message_are_told_once(safety: Scene, first: str) -> None:
    desk = Desk(safety, **urgent())
    message = safety.workspace.post(CHANNEL, "U0WROTE", THREAT)
    if first == "verdict":
        safety.ask(desk.bot(), message)
    desk.report(message, values("threat"))
    desk.report(message, values("sexual"))
    if first == "report":
        safety.ask(desk.bot(), message)
    assert len(told(safety)) == 1
    # Two reports are two cases, and the verdict has the note that it always gets.
    assert len(desk.cases()) == 3


@pytest.mark.parametrize("first", ["verdict", "report"])
def test_in_the_moderators_channel_people_are_mentioned_once(safety: Scene, first: str) -> None:
    desk = Desk(safety, **urgent(MODERATORS))
    message = safety.workspace.post(CHANNEL, "U0WROTE", THREAT)
    if first == "verdict":
        safety.ask(desk.bot(), message)
    desk.report(message, values("threat"))
    desk.report(message, values("threat"))
    if first == "report":
        safety.ask(desk.bot(), message)
    mentioned = [MENTION in shown(one) for one in desk.cases()]
    assert mentioned == [True, False, False]
    assert "See for yourself." in shown(desk.cases()[1])


def test_an_edited_message_that_is_reported_again_is_told_again(safety: Scene) -> None:
    desk = Desk(safety, **urgent())
    message = safety.workspace.post(CHANNEL, "U0WROTE", THANKS)
    desk.report(message, values("threat"))
    safety.workspace.edit(CHANNEL, message.ts, VEILED)
    desk.report(message, values("threat"))
    assert len(told(safety)) == 2


def test_a_direct_message_is_told_without_its_channel_or_a_link(safety: Scene) -> None:
    desk = Desk(safety, **urgent())
    desk.report(safety.workspace.post(DIRECT, "U0WROTE", VEILED), values("threat"))
    [note] = told(safety)
    assert "In a direct message" in shown(note)
    assert "<@U0WROTE>" in shown(note)
    assert DIRECT not in shown(note)
    assert "Open the message" not in shown(note)


def test_without_the_setting_a_report_is_a_case_and_no_more(safety: Scene) -> None:
    desk = Desk(safety)
    desk.report(safety.workspace.post(CHANNEL, "U0WROTE", THREAT), values("threat"))
    assert told(safety) == []
    assert len(desk.cases()) == 1


@pytest.mark.parametrize("channel", [SAFETY, MODERATORS])
@pytest.mark.parametrize(
    "fault",
    [
        Fault(error="ratelimited", status=429, retry_after=1),
        Fault(error="internal_error", status=500),
        Fault(cut=True),
    ],
    ids=["limited", "failed", "lost"],
)
@pytest.mark.parametrize("failing", [1, 2])
def test_under_faults_the_note_and_the_case_are_posted_once_each(
    safety: Scene, channel: str, fault: Fault, failing: int
) -> None:
    desk = Desk(safety, **urgent(channel))
    desk.handle(desk.choose(safety.workspace.post(CHANNEL, "U0WROTE", VEILED)))
    report = desk.submit(values("threat"))
    for _ in range(failing):
        safety.api.faults.add("chat.postMessage", fault)
    until_done(desk, report)
    assert len(told(safety)) == (channel == SAFETY)
    assert len(desk.cases()) == 1
    assert sum(MENTION in shown(one) for one in (*told(safety), *desk.cases())) == 1


def test_a_channel_that_is_gone_does_not_hold_up_the_case(safety: Scene) -> None:
    desk = Desk(safety, **urgent())
    desk.handle(desk.choose(safety.workspace.post(CHANNEL, "U0WROTE", VEILED)))
    report = desk.submit(values("threat"))
    safety.api.faults.add("chat.postMessage", Fault(error="is_archived"))
    desk.handle(report)
    assert told(safety) == []
    assert len(desk.cases()) == 1


def test_no_log_line_says_of_a_message_that_its_author_is_unwell_and_none_holds_a_text(
    safety: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = Desk(safety, **urgent())
    desk.report(safety.workspace.post(CHANNEL, "U0WROTE", IN_NEED), values("self_harm"))
    log = capsys.readouterr().out
    for one in ("self_harm", "Self-harm", "better off", "See for yourself"):
        assert one not in log
    items = str(boto3.session.Session().client("dynamodb").scan(TableName="claims")["Items"])
    assert "better off" not in items
    assert "See for yourself" not in items


def until_done(desk: Desk, report: Report) -> None:
    for _ in range(8):
        try:
            desk.handle(report)
        except TryAgainError:
            desk.scene.clock_offset += 120
        else:
            return
