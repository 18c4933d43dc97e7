"""Reports to the moderators, from the message's menu to their channel, in a local Slack."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulators.slack.faults import Fault
from simulators.slack.workspace import Channel
from tests.slack.moderators.desk import REPORTER, Desk, entered, shown
from tests.slack.moderators.scene import CHANNEL, DIRECT, INSULT, MODERATORS, THANKS, Scene
from tests.slack.web_api.test_events import JSON
from tests.slack.web_api.test_interactions import parse_payload
from toxic_bot.slack.fields import MalformedEventError
from toxic_bot.slack.gestures.reading import read_gesture
from toxic_bot.slack.gestures.report_gestures import Report, ReportedMessage
from toxic_bot.slack.i18n.translation import Language
from toxic_bot.slack.requests.events import Dropped
from toxic_bot.slack.requests.interactions import REPORT
from toxic_bot.slack.requests.report_form import CALLBACK, ReportPlace
from toxic_bot.slack.retry import OutcomeUnknownError, TryAgainError

ELSEWHERE = "C0ELSE"


def test_moderators_get_the_reason_the_word_a_link_and_the_verdict_and_no_text(
    scene: Scene,
) -> None:
    desk, message = Desk(scene), scene.workspace.post(CHANNEL, "U0WROTE", INSULT)
    desk.report(message, entered())
    [case] = desk.cases()
    for part in (
        "Reported: An insult or bullying",
        f"<#{CHANNEL}>",
        "<@U0WROTE>",
        f"<@{REPORTER}>",
        "This is not the first time.",
        "I read it as toxic: an insult, toxicity score",
        f"/archives/{CHANNEL}/p{message.ts.replace('.', '')}|",
    ):
        assert part in shown(case)
    assert "pathetic" not in shown(case)
    assert scene.answers(message) == 0


@pytest.mark.parametrize("text", [THANKS, "!!!", "안녕하세요, 회의는 세 시에 시작합니다"])
def test_what_does_not_read_as_toxic_can_be_reported_too(scene: Scene, text: str) -> None:
    desk = Desk(scene)
    desk.report(scene.workspace.post(CHANNEL, "U0WROTE", text), entered())
    [case] = desk.cases()
    verdict = "I do not read it as toxic" if text == THANKS else "I could not judge it"
    assert verdict in shown(case)


def test_who_reports_anonymously_is_named_nowhere(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    desk, message = Desk(scene), scene.workspace.post(CHANNEL, "U0WROTE", INSULT)
    desk.report(message, entered(name="anonymous"))
    [case] = desk.cases()
    assert "Reported anonymously" in shown(case)
    assert REPORTER not in shown(case)
    assert REPORTER not in json.dumps(case.metadata)
    assert REPORTER not in capsys.readouterr().out


def test_a_message_in_a_channel_without_the_bot_can_be_reported(scene: Scene) -> None:
    people = {REPORTER, "U0WROTE"}
    scene.workspace.add_channel(Channel(ELSEWHERE, "elsewhere", private=True, members=people))
    desk = Desk(scene)
    desk.report(scene.workspace.post(ELSEWHERE, "U0WROTE", INSULT), entered())
    [case] = desk.cases()
    assert "I read it as toxic" in shown(case)
    assert f"<#{ELSEWHERE}>" in shown(case)
    assert "Open the message" not in shown(case)


def test_a_direct_message_can_be_reported_and_its_channel_is_not_shown(scene: Scene) -> None:
    desk = Desk(scene)
    desk.report(scene.workspace.post(DIRECT, "U0WROTE", INSULT), entered())
    [case] = desk.cases()
    assert "In a direct message" in shown(case)
    assert "<@U0WROTE>" in shown(case)
    assert DIRECT not in shown(case)


def test_nothing_in_a_report_formats_links_or_mentions(scene: Scene) -> None:
    desk, word = Desk(scene), "*look* <!channel> <https://example.org|here>"
    desk.report(scene.workspace.post(CHANNEL, "U0WROTE", INSULT), entered(word))
    [case] = desk.cases()
    [block] = [one for one in case.blocks if "look" in json.dumps(one)]
    assert block["text"]["type"] == "plain_text"


def test_the_form_holds_no_text_of_the_message(scene: Scene) -> None:
    desk = Desk(scene)
    desk.handle(desk.choose(scene.workspace.post(CHANNEL, "U0WROTE", INSULT)))
    view = scene.interactivity.modals.of(REPORTER)
    assert "pathetic" not in json.dumps(view)


def test_a_report_that_comes_twice_is_posted_once(scene: Scene) -> None:
    desk = Desk(scene)
    report = desk.report(scene.workspace.post(CHANNEL, "U0WROTE", INSULT), entered())
    for _ in range(3):
        desk.handle(report)
    assert len(desk.cases()) == 1


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault(error="ratelimited", status=429, retry_after=1), TryAgainError),
        (Fault(cut=True), OutcomeUnknownError),
    ],
)
def test_a_report_is_neither_lost_nor_doubled_when_slack_fails(
    scene: Scene, fault: Fault, error: type[TryAgainError]
) -> None:
    desk = Desk(scene)
    desk.handle(desk.choose(scene.workspace.post(CHANNEL, "U0WROTE", INSULT)))
    report = desk.submit(entered())
    scene.api.faults.add("chat.postMessage", fault)
    with pytest.raises(error):
        desk.handle(report)
    scene.clock_offset += 120
    desk.handle(report)
    assert len(desk.cases()) == 1


def test_whoever_comes_too_late_for_the_form_is_asked_to_choose_again(scene: Scene) -> None:
    desk = Desk(scene)
    request = desk.choose(scene.workspace.post(CHANNEL, "U0WROTE", INSULT))
    scene.interactivity.modals.expire_triggers()
    desk.handle(request)
    [told] = [one for one in scene.workspace.messages(CHANNEL) if one.only_for == REPORTER]
    assert "please choose it again" in told.text


def test_without_moderators_the_person_is_told_so(scene: Scene) -> None:
    desk = Desk(scene, MODERATORS="", MODERATOR_NOTES="")
    desk.handle(desk.choose(scene.workspace.post(CHANNEL, "U0WROTE", INSULT)))
    [told] = [one for one in scene.workspace.messages(CHANNEL) if one.only_for == REPORTER]
    assert "nobody to report to" in told.text
    assert scene.workspace.messages(MODERATORS) == []


def test_reports_can_be_switched_off(scene: Scene) -> None:
    desk = Desk(scene, GESTURES="reaction,shortcut")
    message = scene.workspace.post(CHANNEL, "U0WROTE", INSULT)
    scene.interactivity.choose_shortcut(CHANNEL, message.ts, REPORTER, REPORT)
    assert desk.dropped == [Dropped("switched_off")]


def test_a_report_survives_the_queue_and_an_odd_one_stays_anonymous(scene: Scene) -> None:
    desk = Desk(scene)
    desk.handle(desk.choose(scene.workspace.post(CHANNEL, "U0WROTE", INSULT)))
    report = desk.submit(entered())
    assert read_gesture(json.loads(report.to_json())) == report
    raw = json.loads(report.to_json())
    del raw["anonymous"]
    assert read_gesture(raw) == replace(report, anonymous=True)


REPORTED = ReportedMessage(CHANNEL, "1766000000.000100", "U0WROTE", "toxic", 0.9, "insult")
METADATA = json.loads(ReportPlace(REPORTED, Language.GERMAN).to_metadata())


def submission(metadata: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "view_submission",
        "api_app_id": "A0001",
        "team": {"id": "T0001", "domain": "example"},
        "user": {"id": REPORTER, "team_id": "T0001"},
        "trigger_id": "13345224609.738474920.8088930838d88f008e0",
        "view": {
            "id": "V0001",
            "callback_id": CALLBACK,
            "private_metadata": json.dumps(metadata),
            "state": {"values": values},
        },
    }


def test_a_submitted_form_becomes_a_report() -> None:
    report = parse_payload(submission(METADATA, entered("again", "anonymous")))
    assert isinstance(report, Report)
    assert (report.message, report.reason, report.word) == (REPORTED, "insult", "again")
    assert report.anonymous
    assert report.language is Language.GERMAN


@pytest.mark.slow
@given(st.sampled_from(sorted(METADATA)), JSON, st.sampled_from(sorted(entered())), JSON)
def test_any_form_of_a_report_is_either_one_or_malformed(
    name: str, value: object, field: str, state: object
) -> None:
    for metadata, values in (
        (METADATA | {name: value}, entered()),
        (METADATA, entered() | {field: state}),
        (METADATA, entered() | {field: {"value": state}}),
        (METADATA, entered() | {field: {"value": {"selected_option": {"value": state}}}}),
    ):
        with contextlib.suppress(MalformedEventError):
            parse_payload(submission(metadata, values))
