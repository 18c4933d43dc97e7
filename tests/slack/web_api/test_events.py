from __future__ import annotations

import contextlib
import copy
import dataclasses
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toxic_bot.slack.fields import MalformedEventError
from toxic_bot.slack.gestures.event_gestures import Reaction
from toxic_bot.slack.gestures.gesture import Gesture
from toxic_bot.slack.gestures.reading import read_gesture
from toxic_bot.slack.requests.events import Challenge, Dropped, parse_callback
from toxic_bot.slack.settings import Subscription
from toxic_bot.slack.waiting import QueuedGesture

SUBSCRIPTION = Subscription(frozenset({"biohazard_sign"}))

CALLBACK: dict[str, Any] = {
    "token": "deprecated",
    "team_id": "T0001",
    "api_app_id": "A0001",
    "event": {
        "type": "reaction_added",
        "user": "U0ASKS",
        "reaction": "biohazard_sign",
        "item_user": "U0WROTE",
        "item": {"type": "message", "channel": "C0001", "ts": "1766000000.000100"},
        "event_ts": "1766000009.000200",
    },
    "type": "event_callback",
    "event_id": "Ev0001",
    "event_time": 1766000009,
    "authorizations": [
        {"enterprise_id": None, "team_id": "T0001", "user_id": "U0BOT", "is_bot": True}
    ],
    "is_ext_shared_channel": False,
}

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner),
    max_leaves=20,
)


def callback(**event: Any) -> dict[str, Any]:
    changed = copy.deepcopy(CALLBACK)
    changed["event"].update(event)
    return changed


def parse(raw: object) -> Challenge | Gesture | Dropped:
    return parse_callback(json.dumps(raw).encode(), SUBSCRIPTION)


@pytest.mark.parametrize(
    ("restriction", "result"),
    [
        ({"channels": frozenset({"C0001", "C0002"})}, Reaction),
        ({"channels": frozenset({"C0002"})}, Dropped("other_channel")),
        ({"workspaces": frozenset({"T0001"})}, Reaction),
        ({"workspaces": frozenset({"T0002"})}, Dropped("other_workspace")),
        ({"app_id": "A0001"}, Reaction),
        ({"app_id": "A0002"}, Dropped("other_app")),
    ],
)
def test_a_subscription_can_be_limited_to_channels_workspaces_and_an_app(
    restriction: dict[str, Any], result: Any
) -> None:
    subscription = dataclasses.replace(SUBSCRIPTION, **restriction)
    parsed = parse_callback(json.dumps(CALLBACK).encode(), subscription)
    assert parsed == result or (result is Reaction and isinstance(parsed, Reaction))


def test_a_configured_reaction_to_a_message_is_accepted() -> None:
    assert parse(CALLBACK) == Reaction(
        event_id="Ev0001",
        event_ts="1766000009.000200",
        team="T0001",
        channel="C0001",
        ts="1766000000.000100",
        user="U0ASKS",
        author="U0WROTE",
        reaction="biohazard_sign",
    )


@pytest.mark.parametrize("tone", [2, 3, 4, 5, 6])
def test_the_skin_tone_of_a_reaction_is_ignored(tone: int) -> None:
    reaction = parse(callback(reaction=f"biohazard_sign::skin-tone-{tone}"))
    assert isinstance(reaction, Reaction)
    assert reaction.reaction == "biohazard_sign"


def test_a_reaction_to_a_message_without_an_author_is_accepted() -> None:
    raw = callback()
    del raw["event"]["item_user"]
    reaction = parse(raw)
    assert isinstance(reaction, Reaction)
    assert reaction.author is None


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        ({"reaction": "thumbsup"}, "other_reaction"),
        ({"item": {"type": "file", "file": "F0001"}}, "other_item_type"),
        ({"user": "U0BOT"}, "by_the_bot"),
        ({"item_user": "U0BOT"}, "on_the_bots_message"),
        ({"type": "reaction_removed"}, "other_event_type"),
        ({"type": "some_future_event"}, "other_event_type"),
    ],
)
def test_an_event_that_needs_no_answer_is_dropped_with_its_reason(
    event: dict[str, Any], reason: str
) -> None:
    assert parse(callback(**event)) == Dropped(reason)


def test_an_unknown_type_of_callback_is_dropped() -> None:
    assert parse({"type": "some_future_type"}) == Dropped("other_callback_type")


def test_slacks_notice_that_it_withholds_events_has_a_reason_of_its_own() -> None:
    notice = {"type": "app_rate_limited", "minute_rate_limited": 1_766_000_100}
    assert parse(notice) == Dropped("app_rate_limited")


def test_slacks_challenge_is_returned_unchanged() -> None:
    assert parse({"type": "url_verification", "challenge": "3eZb"}) == Challenge("3eZb")


def without(*path: str) -> dict[str, Any]:
    raw = callback()
    inner = raw
    for name in path[:-1]:
        inner = inner[name]
    del inner[path[-1]]
    return raw


@pytest.mark.parametrize(
    "raw",
    [
        [],
        "text",
        None,
        {},
        {"type": 1},
        {"type": "url_verification"},
        {"type": "event_callback"},
        {"type": "event_callback", "event": []},
        without("event", "type"),
        without("event", "item"),
        without("event", "user"),
        without("event", "event_ts"),
        without("event_id"),
        without("team_id"),
        callback(item={"type": "message", "channel": "C0001"}),
        callback(item={"type": "message", "channel": "C0001", "ts": "yesterday"}),
        callback(user="<script>"),
        callback(event_ts="nan"),
    ],
)
def test_json_with_an_unexpected_shape_is_malformed(raw: object) -> None:
    with pytest.raises(MalformedEventError) as caught:
        parse(raw)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("body", [b"", b"payload=%7B%7D", b"\xff\xfe", b"{", b"[" * 100_000])
def test_a_body_that_is_not_json_is_malformed(body: bytes) -> None:
    with pytest.raises(MalformedEventError):
        parse_callback(body, SUBSCRIPTION)


@given(JSON)
def test_any_json_is_either_classified_or_malformed(raw: object) -> None:
    with contextlib.suppress(MalformedEventError):
        parse(raw)


@given(st.sampled_from(sorted(CALLBACK["event"])), JSON)
@pytest.mark.slow
def test_any_field_value_is_either_classified_or_malformed(name: str, value: object) -> None:
    with contextlib.suppress(MalformedEventError):
        parse(callback(**{name: value}))


def test_a_reaction_survives_the_queue_unchanged() -> None:
    reaction = parse(CALLBACK)
    assert isinstance(reaction, Reaction)
    assert read_gesture(json.loads(reaction.to_json())) == reaction


@given(st.text(max_size=100) | JSON.map(json.dumps))
def test_any_body_from_the_queue_is_either_a_gesture_or_malformed(body: str) -> None:
    with contextlib.suppress(MalformedEventError):
        QueuedGesture.from_json(body)
