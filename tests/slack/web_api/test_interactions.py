from __future__ import annotations

import contextlib
import copy
import dataclasses
import json
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.slack.web_api.test_events import CALLBACK, JSON
from toxic_bot.slack.fields import MalformedEventError
from toxic_bot.slack.gestures.clicks import Action, Click, Subject
from toxic_bot.slack.gestures.event_gestures import HomeVisit, Invitation
from toxic_bot.slack.gestures.gesture import Gesture
from toxic_bot.slack.gestures.private_requests import TEXT_LIFETIME, Command, Shortcut, Trial
from toxic_bot.slack.gestures.reading import read_gesture
from toxic_bot.slack.gestures.settings_gestures import SettingsRequest
from toxic_bot.slack.requests.events import MAX_TEXT, Dropped, parse_callback
from toxic_bot.slack.requests.interactions import parse_form
from toxic_bot.slack.requests.settings_form import Rejected, Tried
from toxic_bot.slack.settings import GestureName, Subscription
from toxic_bot.slack.waiting import QueuedGesture

SUBSCRIPTION = Subscription(frozenset({"biohazard_sign"}), app_id="A0001")
API = "https://slack.com/api/"
SENT_AT = "1766000000"
TRIGGER = "13345224609.738474920.8088930838d88f008e0"
HOOK = "https://hooks.slack.com/actions/T0001/1234/abcDEF"
SUBJECT = Subject("1766000000.000100", "", "toxic", 0.92, "insult,threat", "0123456789ab")

# In the shape of the samples in Slack's documentation and SDKs.
COMMAND: dict[str, str] = {
    "token": "gIkuvaNzQIHg97ATvDxqgjtO",
    "team_id": "T0001",
    "team_domain": "example",
    "channel_id": "C0001",
    "channel_name": "test",
    "user_id": "U0ASKS",
    "user_name": "Steve",
    "command": "/toxic",
    "text": "you are &lt;3",
    "api_app_id": "A0001",
    "is_enterprise_install": "false",
    "response_url": "https://hooks.slack.com/commands/1234/5678",
    "trigger_id": TRIGGER,
}
SHORTCUT: dict[str, Any] = {
    "type": "message_action",
    "token": "verification_token",
    "action_ts": "1766000005.207593",
    "team": {"id": "T0001", "domain": "example"},
    "user": {"id": "U0ASKS", "username": "steve", "team_id": "T0001", "name": "steve"},
    "channel": {"id": "C0001", "name": "dev"},
    "is_enterprise_install": False,
    "enterprise": None,
    "callback_id": "is_this_toxic",
    "trigger_id": TRIGGER,
    "response_url": HOOK,
    "message_ts": "1766000000.000100",
    "message": {
        "client_msg_id": "1c10ad4e",
        "type": "message",
        "text": "a text that is nobody's business",
        "user": "U0WROTE",
        "ts": "1766000000.000100",
        "thread_ts": "1765999999.000100",
        "team": "T0001",
    },
}
CLICK: dict[str, Any] = {
    "type": "block_actions",
    "user": {"id": "U0ASKS", "username": "steve", "name": "steve", "team_id": "T0001"},
    "api_app_id": "A0001",
    "token": "verification_token",
    "container": {
        "type": "message",
        "message_ts": "1766000003.000200",
        "channel_id": "C0001",
        "is_ephemeral": False,
    },
    "trigger_id": TRIGGER,
    "team": {"id": "T0001", "domain": "example"},
    "enterprise": None,
    "is_enterprise_install": False,
    "channel": {"id": "C0001", "name": "dev"},
    "message": {"type": "message", "ts": "1766000003.000200", "thread_ts": "1766000000.000100"},
    "response_url": HOOK,
    "actions": [
        {
            "action_id": "why",
            "block_id": "qXW",
            "text": {"type": "plain_text", "text": "Why?", "emoji": True},
            "value": SUBJECT.to_value(),
            "type": "button",
            "action_ts": "1766000009.000400",
        }
    ],
}
TRIAL: dict[str, Any] = {
    **{key: CLICK[key] for key in ("type", "user", "api_app_id", "trigger_id", "team")},
    "container": {"type": "view", "view_id": "V0001"},
    "view": {
        "id": "V0001",
        "type": "home",
        "state": {"values": {"try_text": {"text": {"type": "plain_text_input", "value": " hi "}}}},
    },
    "actions": [{"action_id": "try", "type": "button", "action_ts": "1766000009.000400"}],
}


def parse(
    form: dict[str, Any], subscription: Subscription = SUBSCRIPTION
) -> Gesture | Dropped | Rejected | Tried:
    return parse_form(urlencode(form).encode(), subscription, SENT_AT, API)


def parse_payload(
    payload: dict[str, Any], subscription: Subscription = SUBSCRIPTION
) -> Gesture | Dropped | Rejected | Tried:
    return parse({"payload": json.dumps(payload)}, subscription)


def test_a_command_becomes_a_gesture_with_its_text() -> None:
    assert parse(COMMAND) == Command(
        event_id=TRIGGER,
        event_ts="1766000000.000000",
        team="T0001",
        user="U0ASKS",
        channel="C0001",
        text="you are &lt;3",
        response_url=COMMAND["response_url"],
    )


def test_a_shortcut_becomes_a_gesture_with_the_text_that_slack_sends_along() -> None:
    shortcut = parse_payload(SHORTCUT)
    assert shortcut == Shortcut(
        event_id=TRIGGER,
        event_ts="1766000005.207593",
        team="T0001",
        user="U0ASKS",
        channel="C0001",
        ts="1766000000.000100",
        thread="1765999999.000100",
        author="U0WROTE",
        text="a text that is nobody's business",
        response_url=HOOK,
    )
    # To the queue that has no dead letters, and for ten minutes.
    assert shortcut.HOLDS_TEXT
    assert shortcut.is_expired(1766000005.3 + TEXT_LIFETIME)
    assert read_gesture(json.loads(shortcut.to_json())) == shortcut
    queued_earlier = {k: v for k, v in json.loads(shortcut.to_json()).items() if k != "text"}
    assert read_gesture(queued_earlier) == dataclasses.replace(shortcut, text="")


@pytest.mark.parametrize("text", [None, 5, "x" * 50_000])
def test_a_shortcut_takes_a_text_of_any_shape_and_length(text: object) -> None:
    shortcut = parse_payload({**SHORTCUT, "message": {**SHORTCUT["message"], "text": text}})
    assert isinstance(shortcut, Shortcut)
    assert shortcut.text == ("x" * MAX_TEXT if isinstance(text, str) else "")


@pytest.mark.parametrize("action", list(Action))
def test_a_click_becomes_a_gesture_with_the_verdict_that_it_is_about(action: Action) -> None:
    payload = copy.deepcopy(CLICK)
    payload["actions"][0]["action_id"] = action.value
    assert parse_payload(payload) == Click(
        event_id=TRIGGER,
        event_ts="1766000009.000400",
        team="T0001",
        user="U0ASKS",
        channel="C0001",
        action=action,
        subject=SUBJECT,
        thread="1766000000.000100",
        response_url=HOOK,
    )


def test_a_text_that_is_tried_on_the_home_tab_becomes_a_gesture() -> None:
    trial = parse_payload(TRIAL)
    assert isinstance(trial, Trial)
    assert trial.text == "hi"


def event(kind: str, **fields: str) -> Gesture | Dropped:
    callback = copy.deepcopy(CALLBACK)
    callback["event"] = {"type": kind, "event_ts": "1766000009.000200", **fields}
    parsed = parse_callback(json.dumps(callback).encode(), SUBSCRIPTION)
    assert isinstance(parsed, Gesture | Dropped)
    return parsed


def test_opening_the_home_tab_is_a_gesture_and_opening_another_is_not() -> None:
    opened = event("app_home_opened", user="U0ASKS", channel="D0001", tab="home")
    assert isinstance(opened, HomeVisit)
    assert event("app_home_opened", user="U0ASKS", tab="messages") == Dropped("other_tab")


def test_only_the_bots_own_arrival_in_a_channel_is_an_invitation() -> None:
    assert isinstance(event("member_joined_channel", user="U0BOT", channel="C0001"), Invitation)
    joined = event("member_joined_channel", user="U0ASKS", channel="C0001")
    assert joined == Dropped("somebody_joined")


@pytest.mark.parametrize("text", ["settings", "Settings", " SETTINGS "])
def test_a_command_about_the_settings_is_one_in_any_case(text: str) -> None:
    assert isinstance(parse(COMMAND | {"text": text}), SettingsRequest)
    without = dataclasses.replace(SUBSCRIPTION, gestures=frozenset({GestureName.COMMAND}))
    assert isinstance(parse(COMMAND | {"text": text}, without), Dropped)


@pytest.mark.parametrize("text", ["", "  ", "help", "Help", "HELP "])
def test_a_command_without_a_text_is_told_how_to_use_it(text: str) -> None:
    dropped = parse(COMMAND | {"text": text})
    assert isinstance(dropped, Dropped)
    assert "/toxic" in dropped.notice


def test_a_command_that_is_too_long_is_told_so() -> None:
    dropped = parse(COMMAND | {"text": "a" * (MAX_TEXT + 1)})
    assert isinstance(dropped, Dropped)
    assert "10,000" in dropped.notice


def test_what_slack_checks_and_other_apps_commands_are_dropped() -> None:
    assert parse({"ssl_check": "1", "token": "x"}) == Dropped("ssl_check")
    assert parse(COMMAND | {"command": "/other"}) == Dropped("other_command")
    assert parse_payload(SHORTCUT | {"callback_id": "other"}) == Dropped("other_shortcut")
    assert parse_payload(SHORTCUT | {"type": "view_closed"}) == Dropped("other_interaction")


@pytest.mark.parametrize("form", [COMMAND, {"payload": json.dumps(CLICK)}])
def test_other_apps_payloads_are_dropped(form: dict[str, str]) -> None:
    assert parse(form, dataclasses.replace(SUBSCRIPTION, app_id="A0002")) == Dropped("other_app")


@pytest.mark.parametrize(
    ("restriction", "reason"),
    [
        ({"workspaces": frozenset({"T0002"})}, "other_workspace"),
        ({"channels": frozenset({"C0002"})}, "other_channel"),
        ({"gestures": frozenset({GestureName.REACTION})}, "switched_off"),
    ],
)
@pytest.mark.parametrize(
    "form", [COMMAND, {"payload": json.dumps(SHORTCUT)}, {"payload": json.dumps(CLICK)}]
)
def test_a_subscription_holds_for_every_gesture(
    form: dict[str, str], restriction: dict[str, Any], reason: str
) -> None:
    dropped = parse(form, dataclasses.replace(SUBSCRIPTION, **restriction))
    assert isinstance(dropped, Dropped)
    assert dropped.reason == reason
    # Slack shows the response to a command, and to nothing else.
    assert bool(dropped.notice) is (form is COMMAND)


@pytest.mark.parametrize(
    ("action", "gesture"), [("why", GestureName.WHY), ("wrong", GestureName.VOTE)]
)
def test_each_button_can_be_switched_off(action: str, gesture: GestureName) -> None:
    payload = copy.deepcopy(CLICK)
    payload["actions"][0]["action_id"] = action
    others = frozenset(GestureName) - {gesture}
    subscription = dataclasses.replace(SUBSCRIPTION, gestures=others)
    assert parse_payload(payload, subscription) == Dropped("switched_off")
    assert isinstance(parse_payload(payload), Click)


@pytest.mark.parametrize(
    "url",
    [
        "https://hooks.slack.com.example.org/a",
        "https://example.org/hooks.slack.com",
        "http://hooks.slack.com/a",
        "https://user@hooks.slack.com/a",
        "https://169.254.169.254/latest/meta-data",
        "https://hooks.slack.com/a b",
        "",
        "https://[hooks.slack.com/x",
        "https://hooks.slack.com\u2100/x",
    ],
)
def test_nothing_is_ever_sent_to_an_address_that_is_not_slacks(url: str) -> None:
    with pytest.raises(MalformedEventError, match="response_url"):
        parse(COMMAND | {"response_url": url})


@pytest.mark.parametrize(
    "value",
    [
        "",
        "{}",
        "[]",
        SUBJECT.to_value().replace("toxic", "<!channel>"),
        SUBJECT.to_value().replace("0.92", "92"),
        SUBJECT.to_value().replace("0.92", "NaN"),
        SUBJECT.to_value().replace("1766000000.000100", "now"),
    ],
)
def test_a_button_with_a_value_that_is_not_the_bots_is_malformed(value: str) -> None:
    payload = copy.deepcopy(CLICK)
    payload["actions"][0]["value"] = value
    with pytest.raises(MalformedEventError):
        parse_payload(payload)


@pytest.mark.parametrize(
    "gesture",
    [parse(COMMAND), parse_payload(SHORTCUT), parse_payload(CLICK), parse_payload(TRIAL)],
    ids=["command", "shortcut", "click", "trial"],
)
def test_a_gesture_survives_the_queue_unchanged_and_shows_no_text_in_a_log(
    gesture: Gesture,
) -> None:
    assert QueuedGesture.from_json(QueuedGesture(gesture).to_json()).gesture == gesture
    logged = json.dumps(gesture.log_keys())
    assert "hooks" not in logged
    assert "you are" not in logged


def test_a_gesture_expires_and_a_reaction_does_not() -> None:
    command = parse(COMMAND)
    assert isinstance(command, Command)
    assert not command.is_expired(1766000000.0 + TEXT_LIFETIME)
    assert command.is_expired(1766000001.0 + TEXT_LIFETIME)
    reaction = parse_callback(json.dumps(CALLBACK).encode(), SUBSCRIPTION)
    assert isinstance(reaction, Gesture)
    assert not reaction.is_expired(1e12)


@given(st.binary(max_size=200))
def test_any_form_is_either_classified_or_malformed(body: bytes) -> None:
    with contextlib.suppress(MalformedEventError):
        parse_form(body, SUBSCRIPTION, SENT_AT, API)


@given(st.sampled_from([SHORTCUT, CLICK, TRIAL]), st.data())
@pytest.mark.slow
def test_any_payload_is_either_classified_or_malformed(
    payload: dict[str, Any], data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(sorted(payload)))
    with contextlib.suppress(MalformedEventError):
        parse_payload(payload | {name: data.draw(JSON)})
