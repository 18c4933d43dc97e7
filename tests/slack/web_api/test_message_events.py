"""Events about messages: which of them the bot has a use for."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.slack.web_api.test_events import CALLBACK, JSON, SUBSCRIPTION
from toxic_bot.slack.fields import MalformedEventError
from toxic_bot.slack.gestures.event_gestures import Deletion, Edit
from toxic_bot.slack.gestures.gesture import Gesture
from toxic_bot.slack.gestures.reading import read_gesture
from toxic_bot.slack.gestures.watched_messages import WatchedMessage
from toxic_bot.slack.lookups import Lookups
from toxic_bot.slack.requests.events import Challenge, Dropped, parse_callback
from toxic_bot.slack.settings import GestureName, Subscription

CHANNEL, TS, PARENT = "C0001", "1766000000.000100", "1765999999.000100"
BEFORE = {"type": "message", "user": "U0WROTE", "ts": TS, "text": "You idiot"}
NOW = BEFORE | {"text": "Thanks", "edited": {"user": "U0WROTE", "ts": "1766000009.000000"}}


def message(subtype: str | None, **fields: Any) -> dict[str, Any]:
    event = {
        "type": "message",
        "channel": CHANNEL,
        "channel_type": "channel",
        "ts": "1766000009.000200",
        "event_ts": "1766000009.000200",
        **({"subtype": subtype, "hidden": True} if subtype else {}),
        **fields,
    }
    return CALLBACK | {"event": event}


def edited(now: dict[str, Any] = NOW, before: dict[str, Any] = BEFORE) -> dict[str, Any]:
    return message("message_changed", message=now, previous_message=before)


def deleted(before: dict[str, Any] = BEFORE) -> dict[str, Any]:
    return message("message_deleted", deleted_ts=TS, previous_message=before)


class Asked:
    """Messages that were asked about, and how often that was looked up."""

    def __init__(self, *, answer: bool = True) -> None:
        self.answer = answer
        self.lookups: list[tuple[str, str]] = []

    def __call__(self, channel: str, ts: str) -> bool:
        self.lookups.append((channel, ts))
        return self.answer


def parse(
    raw: dict[str, Any],
    asked: Asked | None = None,
    subscription: Subscription = SUBSCRIPTION,
    *,
    watched: bool = False,
) -> Challenge | Gesture | Dropped:
    lookups = Lookups(was_asked=asked or Asked(), watches=lambda _: watched)
    return parse_callback(json.dumps(raw).encode(), subscription, lookups)


COMMON = ("Ev0001", "1766000009.000200", "T0001", "U0WROTE", CHANNEL, TS)


def test_an_edit_of_a_message_that_was_asked_about_is_a_gesture_without_text() -> None:
    edit = parse(edited())
    assert edit == Edit(*COMMON)
    assert isinstance(edit, Edit)
    assert "Thanks" not in edit.to_json()
    assert read_gesture(json.loads(edit.to_json())) == edit


def test_a_deletion_names_the_thread_that_the_answers_are_in() -> None:
    assert parse(deleted()) == Deletion(*COMMON, thread=TS)
    reply = parse(deleted(BEFORE | {"thread_ts": PARENT}))
    assert reply == Deletion(*COMMON, thread=PARENT)
    assert isinstance(reply, Deletion)
    assert read_gesture(json.loads(reply.to_json())) == reply


def test_what_is_left_of_a_message_with_replies_is_a_deletion() -> None:
    tombstone = {"subtype": "tombstone", "user": "USLACKBOT", "ts": TS, "text": "deleted"}
    assert parse(edited(tombstone, BEFORE | {"thread_ts": TS})) == Deletion(*COMMON, thread=TS)


WRITTEN = message(None, user="U0WROTE", text="hello")
PREVIEW = BEFORE | {"attachments": [{"title": "A page"}]}
OLDER = NOW | {"text": "You idiot"}


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (WRITTEN, "message"),
        (message(None, user="U0WROTE", text=" "), "message"),
        (message(None, user="U0BOT", text="hello"), "by_the_bot"),
        (message(None, user="U0OTHER", bot_id="B0OTHER", text="hello"), "by_an_app"),
        (message(None, user="USLACKBOT", text="hello"), "by_nobody"),
        (message("bot_message", text="hello", bot_id="B1"), "message"),
        (message("channel_join", user="U0WROTE", text="joined"), "message"),
        (message("message_replied", message=BEFORE), "message"),
        (edited(PREVIEW), "same_text"),
        (edited(BEFORE | {"reply_count": 1, "thread_ts": TS}), "same_text"),
        (edited(NOW | {"pinned_to": [CHANNEL]}, NOW), "same_text"),
        (edited(OLDER), "same_text"),
        (edited(NOW | {"user": "USLACKBOT"}, BEFORE | {"user": "USLACKBOT"}), "by_nobody"),
        (edited(NOW | {"user": "U0BOT"}, BEFORE | {"user": "U0BOT"}), "by_the_bot"),
        (deleted(BEFORE | {"user": "U0BOT"}), "by_the_bot"),
        (message("message_deleted", deleted_ts=TS), "by_nobody"),
    ],
)
def test_what_changes_no_text_is_dropped_without_a_lookup(raw: dict[str, Any], reason: str) -> None:
    asked = Asked()
    assert parse(raw, asked) == Dropped(reason)
    assert asked.lookups == []


@pytest.mark.parametrize("raw", [edited(), deleted()])
def test_an_edit_that_nobody_has_use_for_costs_one_lookup_and_is_dropped(
    raw: dict[str, Any],
) -> None:
    asked = Asked(answer=False)
    assert parse(raw, asked) == Dropped("nobody_asked")
    assert asked.lookups == [(CHANNEL, TS)]


@pytest.mark.parametrize("raw", [edited(), deleted()])
def test_edits_can_be_switched_off(raw: dict[str, Any]) -> None:
    asked = Asked()
    subscription = Subscription(SUBSCRIPTION.reactions, frozenset(GestureName) - {GestureName.EDIT})
    assert parse(raw, asked, subscription) == Dropped("switched_off")
    elsewhere = Subscription(SUBSCRIPTION.reactions, channels=frozenset({"C0002"}))
    assert parse(raw, asked, elsewhere) == Dropped("other_channel")
    assert asked.lookups == []


@pytest.mark.parametrize(
    "raw",
    [
        message("message_changed"),
        message("message_changed", message="text"),
        message("message_deleted", deleted_ts="yesterday"),
        edited(NOW | {"ts": "yesterday"}),
        edited() | {"event_id": 1},
    ],
)
def test_a_message_event_of_another_shape_is_malformed(raw: dict[str, Any]) -> None:
    with pytest.raises(MalformedEventError):
        parse(raw)


@pytest.mark.parametrize("subtype", [None, "file_share", "me_message", "thread_broadcast"])
def test_in_a_watched_channel_what_people_write_is_a_gesture_with_its_text(
    subtype: str | None,
) -> None:
    raw = message(subtype, user="U0WROTE", text="You idiot", thread_ts=PARENT)
    watched = parse(raw, watched=True)
    ts = "1766000009.000200"
    who = ("Ev0001", ts, "T0001", "U0WROTE", CHANNEL, ts)
    assert watched == WatchedMessage(*who, PARENT, "", asked=False, text="You idiot")
    assert isinstance(watched, WatchedMessage)
    assert watched.HOLDS_TEXT
    assert read_gesture(json.loads(watched.to_json())) == watched


@pytest.mark.parametrize("asked", [False, True])
def test_an_edit_in_a_watched_channel_says_whether_there_may_be_an_answer(asked: bool) -> None:
    when = "1766000009.000000"
    assert parse(edited(), Asked(answer=asked), watched=True) == WatchedMessage(
        *COMMON, TS, when, asked=asked, text="Thanks"
    )


def test_a_text_of_any_length_fits_into_the_queue() -> None:
    watched = parse(message(None, user="U0WROTE", text="é\u0000" * 20_000), watched=True)
    assert isinstance(watched, WatchedMessage)
    assert len(watched.to_json().encode()) < 262_144


def test_watching_can_be_switched_off_for_all_channels() -> None:
    gestures = frozenset(GestureName) - {GestureName.WATCH}
    subscription = Subscription(SUBSCRIPTION.reactions, gestures)
    assert parse(WRITTEN, None, subscription, watched=True) == Dropped("message")
    assert parse(edited(), None, subscription, watched=True) == Edit(*COMMON)


def test_what_is_left_of_a_judged_message_holds_no_text() -> None:
    watched = parse(edited(), watched=True)
    assert isinstance(watched, WatchedMessage)
    judged = watched.judged(
        toxic=True, score=0.9123456, kinds=("threat", "insult"), urgent=("threat", "sexual")
    )
    assert not judged.HOLDS_TEXT
    assert "Thanks" not in judged.to_json()
    assert read_gesture(json.loads(judged.to_json())) == judged


FIELDS = [(raw, name) for raw in (WRITTEN, edited(), deleted()) for name in raw["event"]]


@pytest.mark.slow
@given(st.sampled_from(FIELDS), JSON, st.booleans())
def test_any_field_of_a_message_event_is_either_classified_or_malformed(
    field: tuple[dict[str, Any], str], value: object, watched: bool
) -> None:
    raw, name = field
    with contextlib.suppress(MalformedEventError):
        parse(raw | {"event": raw["event"] | {name: value}}, watched=watched)


@pytest.mark.slow
@given(st.sampled_from(["ts", "user", "text", "edited", "subtype", "thread_ts", "bot_id"]), JSON)
def test_any_field_of_an_edited_message_is_either_classified_or_malformed(
    name: str, value: object
) -> None:
    for raw in (edited(NOW | {name: value}), edited(NOW, BEFORE | {name: value})):
        with contextlib.suppress(MalformedEventError):
            parse(raw, watched=True)
