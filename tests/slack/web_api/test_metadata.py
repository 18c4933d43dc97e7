"""The bot believes only metadata that it has posted itself."""

from __future__ import annotations

from typing import Any

import pytest

from simulators.slack.workspace import Message, Person
from tests.slack.web_api.test_client import LocalSlack, local_slack
from toxic_bot.slack.web_api.identity import Identity
from toxic_bot.slack.web_api.message import Message as Fetched
from toxic_bot.slack.web_api.metadata import (
    ANSWER_TYPE,
    DIGEST_TYPE,
    NOTE_TYPE,
    Metadata,
    answer_metadata,
    own_metadata,
)

__all__ = ["local_slack"]

BOT = Identity("U0THEBOT", "T0001", "")
OTHER_APP, PERSON = "U0OTHERAPP", "U0PERSON"


def forge(local_slack: LocalSlack, user: str, metadata: dict[str, Any]) -> Message:
    """Return a message below which somebody has posted metadata."""
    workspace = local_slack.workspace
    workspace.add_person(Person(OTHER_APP, "another app", is_bot=True))
    workspace.add_person(Person(PERSON, "a person with a user token"))
    workspace.channels["C0001"].members |= {OTHER_APP, PERSON}
    message = workspace.post("C0001", "U0WROTE", "you are an idiot")
    sought = metadata | {"event_payload": answer_metadata("C0001", message.ts, "")["event_payload"]}
    workspace.post("C0001", user, "a forgery", thread_ts=message.ts, metadata=sought)
    return message


def fetch(local_slack: LocalSlack, message: Message) -> Fetched:
    fetched = local_slack.client.fetch("C0001", message.ts, find_answer=True)
    assert fetched is not None
    return fetched


@pytest.mark.parametrize("user", [OTHER_APP, PERSON])
def test_an_answer_that_somebody_else_has_forged_is_none(
    local_slack: LocalSlack, user: str
) -> None:
    message = forge(local_slack, user, {"event_type": ANSWER_TYPE})
    assert fetch(local_slack, message).answered is False


def test_the_bots_own_answer_is_one(local_slack: LocalSlack) -> None:
    message = forge(local_slack, local_slack.workspace.bot.id, {"event_type": ANSWER_TYPE})
    assert fetch(local_slack, message).answered is True


@pytest.mark.parametrize("kind", [ANSWER_TYPE, NOTE_TYPE, DIGEST_TYPE])
@pytest.mark.parametrize("user", [OTHER_APP, PERSON])
def test_a_message_is_judged_although_it_says_that_it_is_an_answer(
    local_slack: LocalSlack, user: str, kind: str
) -> None:
    forge(local_slack, user, {"event_type": kind})
    forged = local_slack.workspace.messages("C0001")[-1]
    forged.metadata = {"event_type": kind, "event_payload": {}}
    assert not fetch(local_slack, forged).is_answer


def test_a_note_that_somebody_else_has_forged_does_not_stop_the_bots_own(
    local_slack: LocalSlack,
) -> None:
    metadata = {"event_type": NOTE_TYPE, "event_payload": {"about": "x"}}
    forge(local_slack, PERSON, {"event_type": NOTE_TYPE})
    local_slack.workspace.post("C0001", PERSON, "a forgery", metadata=metadata)
    assert not local_slack.client.has_posted("C0001", metadata, since=0)
    local_slack.workspace.post("C0001", local_slack.workspace.bot.id, "note", metadata=metadata)
    assert local_slack.client.has_posted("C0001", metadata, since=0)


def test_without_metadata_nobody_is_asked_who_the_bot_is(local_slack: LocalSlack) -> None:
    message = local_slack.workspace.post("C0001", "U0WROTE", "you are an idiot")
    local_slack.workspace.post("C0001", "U0WROTE", "and so am I", thread_ts=message.ts)
    assert fetch(local_slack, message).answered is False
    assert "auth.test" not in local_slack.methods()


@pytest.mark.parametrize(
    "payload",
    [{"edited": 5}, {"edited": None}, {"ts": ["1"]}, {"channel": {}}, None, "text", 5, []],
)
def test_malformed_metadata_of_the_bots_own_is_skipped(payload: object) -> None:
    raw = {"user": BOT.user, "metadata": {"event_type": ANSWER_TYPE, "event_payload": payload}}
    assert own_metadata(raw, lambda: BOT) is None


@pytest.mark.parametrize("metadata", [None, "x", 5, [], {}, {"event_type": 5}, {"event_type": []}])
def test_metadata_of_another_shape_is_none_of_the_bots(metadata: object) -> None:
    assert own_metadata({"user": BOT.user, "metadata": metadata}, lambda: BOT) is None


@pytest.mark.parametrize(
    "author",
    [
        pytest.param({"subtype": "bot_message", "bot_id": "B0WEBHOOK"}, id="webhook"),
        pytest.param({"user": PERSON, "app_id": "A0THEBOT", "bot_id": "B1"}, id="user token"),
        pytest.param({"user": OTHER_APP, "bot_id": "B0OTHER"}, id="another app"),
        pytest.param({}, id="nobody"),
        pytest.param({"user": ["U0THEBOT"]}, id="odd"),
    ],
)
def test_only_the_bots_own_user_makes_metadata_its_own(author: dict[str, Any]) -> None:
    metadata = answer_metadata("C0001", "1.1", "")
    assert own_metadata(author | {"metadata": metadata}, lambda: BOT) is None
    own = own_metadata({"user": BOT.user, "metadata": metadata}, lambda: BOT)
    assert own == Metadata(ANSWER_TYPE, metadata["event_payload"])
