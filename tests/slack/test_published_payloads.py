"""Payloads in the shapes that Slack publishes are accepted by the receiver.

Field names and nesting are those of Slack's own samples; the values are ours. Sources:
slackapi/java-slack-sdk (json-logs/samples/events, json-logs/samples/app-backend) and
slackapi/bolt-python (tests/scenario_tests).
"""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.aws_account import Account
from tests.handler.test_receiver import call, request
from toxic_bot.slack.gestures.clicks import Subject
from toxic_bot.slack.requests.interactions import (
    COMMAND,
    SHORTCUT,
    TRY_ACTION,
    TRY_BLOCK,
    TRY_INPUT,
)

TEAM, ORGANIZATION, APP = "T0001", "E0001", "A0001"
CHANNEL, ASKER, AUTHOR, BOT = "C0001", "W0ASKS", "W0WROTE", "W0BOT"
MESSAGE = "1766000000.000100"
TRIGGER = "13345224609.738474920.8088930838d88f008e0"
HOOK = "https://hooks.slack.com/actions/T0001/1234/abcDEF"
VALUE = Subject(MESSAGE, "", "toxic", 0.92, "insult", "0123456789ab").to_value()
FORM = "application/x-www-form-urlencoded"

WORKSPACE = {"id": TEAM, "domain": "example"}
WORKSPACE_OF_ORGANIZATION = WORKSPACE | {
    "enterprise_id": ORGANIZATION,
    "enterprise_name": "Example Org",
}
ENTERPRISE = {"id": ORGANIZATION, "name": "Example Org"}
USER = {"id": ASKER, "username": "asker", "name": "asker", "team_id": TEAM}

# What an installation adds to an interaction: on one workspace, on a workspace of an
# organization, and on an organization as a whole.
INSTALLATIONS: dict[str, dict[str, Any]] = {
    "before organizations": {"team": WORKSPACE},
    "workspace": {"team": WORKSPACE, "enterprise": None, "is_enterprise_install": False},
    "workspace of an organization": {
        "team": WORKSPACE_OF_ORGANIZATION,
        "enterprise": ENTERPRISE,
        "is_enterprise_install": False,
    },
    "organization": {"team": None, "enterprise": ENTERPRISE, "is_enterprise_install": True},
}
EVENTS: dict[str, dict[str, Any]] = {
    "reaction_added": {
        "type": "reaction_added",
        "user": ASKER,
        "reaction": "biohazard_sign",
        "item": {"type": "message", "channel": CHANNEL, "ts": MESSAGE},
        "item_user": AUTHOR,
        "event_ts": "1766000005.000200",
    },
    "app_home_opened": {
        "type": "app_home_opened",
        "user": ASKER,
        "channel": "D0001",
        "tab": "home",
        "event_ts": "1766000005.510671",
        "view": {
            "id": "V0001",
            "team_id": TEAM,
            "type": "home",
            "private_metadata": "",
            "callback_id": "",
            "external_id": "",
            "state": {"values": {}},
            "hash": "1766000004.3wRYuk3R",
            "clear_on_close": False,
            "notify_on_close": False,
            "root_view_id": "V0001",
            "previous_view_id": None,
            "app_id": APP,
            "app_installed_team_id": TEAM,
            "bot_id": "B0001",
        },
    },
    "member_joined_channel": {
        "type": "member_joined_channel",
        "user": BOT,
        "channel": CHANNEL,
        "channel_type": "C",
        "team": TEAM,
        "event_ts": "1766000005.000300",
        "inviter": ASKER,
    },
}
ENVELOPES: dict[str, dict[str, Any]] = {
    "workspace": {
        "team_id": TEAM,
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": TEAM,
                "user_id": BOT,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
    },
    "organization": {
        "team_id": TEAM,
        "enterprise_id": ORGANIZATION,
        "context_team_id": TEAM,
        "context_enterprise_id": ORGANIZATION,
        "authorizations": [
            {
                "enterprise_id": ORGANIZATION,
                "team_id": None,
                "user_id": BOT,
                "is_bot": True,
                "is_enterprise_install": True,
            }
        ],
    },
}


def accepted(receiver: ModuleType, account: Account, event: dict[str, Any]) -> dict[str, Any]:
    """Return the one gesture that a request queues, in whichever queue."""
    assert call(receiver, event)[0] == 200
    [body] = account.queued_bodies() + account.queued_bodies(account.text_queue_url)
    return body


def interaction(payload: dict[str, Any]) -> dict[str, Any]:
    return request(urlencode({"payload": json.dumps(payload)}), content_type=FORM)


@pytest.mark.parametrize("installation", ENVELOPES)
@pytest.mark.parametrize("kind", EVENTS)
def test_an_event_is_accepted(
    receiver: ModuleType, account: Account, kind: str, installation: str
) -> None:
    callback = {
        "token": "verification-token",
        "api_app_id": APP,
        "event": EVENTS[kind],
        "type": "event_callback",
        "event_id": "Ev0001",
        "event_time": 1766000005,
        "is_ext_shared_channel": False,
        "event_context": "4-eyJldCI6Im1lc3NhZ2UifQ",
        **ENVELOPES[installation],
    }
    body = accepted(receiver, account, request(json.dumps(callback)))
    assert (body["event_id"], body["team"]) == ("Ev0001", TEAM)
    assert body["user"] == EVENTS[kind]["user"]


def test_the_documented_sample_of_an_opened_home_tab_is_accepted(
    receiver: ModuleType, account: Account
) -> None:
    """Its event_ts has no point: https://docs.slack.dev/reference/events/app_home_opened."""
    callback = {
        "token": "verification-token",
        "team_id": TEAM,
        "api_app_id": APP,
        "event": EVENTS["app_home_opened"] | {"event_ts": "1515449522000016"},
        "type": "event_callback",
        "event_id": "Ev0001",
        "event_time": 1515449522,
    }
    body = accepted(receiver, account, request(json.dumps(callback)))
    assert body["event_ts"] == "1515449522.000016"


@pytest.mark.parametrize("event_ts", ["151544952200001", "1515449522000016x", "", None])
def test_an_event_at_no_time_is_malformed(
    receiver: ModuleType, account: Account, event_ts: str | None
) -> None:
    event = EVENTS["app_home_opened"] | {"event_ts": event_ts}
    callback = {"type": "event_callback", "team_id": TEAM, "api_app_id": APP, "event": event}
    body = json.dumps(callback | {"event_id": "Ev0001"})
    assert call(receiver, request(body))[0] == 400
    assert account.queued_bodies() == []


def test_the_challenge_is_answered(receiver: ModuleType) -> None:
    body = {
        "token": "verification-token",
        "challenge": "3eZbrw1aBm2rZg",
        "type": "url_verification",
    }
    assert call(receiver, request(json.dumps(body))) == (200, "3eZbrw1aBm2rZg")


@pytest.mark.parametrize("installation", INSTALLATIONS)
def test_a_message_shortcut_is_accepted(
    receiver: ModuleType, account: Account, installation: str
) -> None:
    payload = {
        "type": "message_action",
        "token": "verification-token",
        "action_ts": "1766000005.207593",
        "user": USER,
        "channel": {"id": CHANNEL, "name": "dev"},
        "callback_id": SHORTCUT,
        "trigger_id": TRIGGER,
        "response_url": HOOK,
        "message_ts": MESSAGE,
        "message": {
            "client_msg_id": "1c10ad4e-0000-4000-8000-000000000000",
            "type": "message",
            "text": f"<@{ASKER}> a text",
            "user": AUTHOR,
            "ts": MESSAGE,
            "team": TEAM,
            "blocks": [{"type": "rich_text", "block_id": "FlcJO", "elements": []}],
        },
        **INSTALLATIONS[installation],
    }
    body = accepted(receiver, account, interaction(payload))
    assert (body["team"], body["channel"], body["ts"]) == (TEAM, CHANNEL, MESSAGE)
    assert body["text"] == f"<@{ASKER}> a text"


@pytest.mark.parametrize("is_ephemeral", [False, True])
@pytest.mark.parametrize("installation", INSTALLATIONS)
def test_a_click_on_a_button_of_a_message_is_accepted(
    receiver: ModuleType, account: Account, installation: str, is_ephemeral: bool
) -> None:
    answer = "1766000003.000200"
    container = {"message_ts": answer, "channel_id": CHANNEL, "is_ephemeral": is_ephemeral}
    payload = {
        "type": "block_actions",
        "user": USER,
        "api_app_id": APP,
        "token": "verification-token",
        "container": {"type": "message", **container},
        "trigger_id": TRIGGER,
        "channel": {"id": CHANNEL, "name": "dev"},
        "state": {"values": {}},
        "response_url": HOOK,
        "actions": [_button("why", VALUE)],
        **INSTALLATIONS[installation],
    }
    if not is_ephemeral:
        payload["message"] = {
            "bot_id": "B0001",
            "type": "message",
            "text": "This message reads as toxic.",
            "user": BOT,
            "ts": answer,
            "app_id": APP,
            "team": TEAM,
            "thread_ts": MESSAGE,
            "parent_user_id": AUTHOR,
            "blocks": [],
        }
    body = accepted(receiver, account, interaction(payload))
    assert (body["team"], body["channel"], body["user"]) == (TEAM, CHANNEL, ASKER)


@pytest.mark.parametrize("installation", INSTALLATIONS)
def test_a_click_on_the_home_tab_is_accepted(
    receiver: ModuleType, account: Account, installation: str
) -> None:
    payload = {
        "type": "block_actions",
        "user": USER,
        "api_app_id": APP,
        "token": "verification-token",
        "container": {"type": "view", "view_id": "V0001"},
        "trigger_id": TRIGGER,
        "view": {
            **EVENTS["app_home_opened"]["view"],
            "blocks": [],
            "state": {
                "values": {
                    TRY_BLOCK: {TRY_INPUT: {"type": "plain_text_input", "value": "you are great"}}
                }
            },
            "title": {"type": "plain_text", "text": "View Title", "emoji": True},
            "close": None,
            "submit": None,
        },
        "actions": [_button(TRY_ACTION, "")],
        **INSTALLATIONS[installation],
    }
    body = accepted(receiver, account, interaction(payload))
    assert (body["team"], body["user"]) == (TEAM, ASKER)


@pytest.mark.parametrize(
    "organization",
    [
        {},
        {"is_enterprise_install": "false"},
        {"enterprise_id": ORGANIZATION, "enterprise_name": "Example Org"},
        {
            "enterprise_id": ORGANIZATION,
            "enterprise_name": "Example Org",
            "is_enterprise_install": "true",
        },
    ],
    ids=["before organizations", "workspace", "workspace of an organization", "organization"],
)
def test_a_slash_command_is_accepted(
    receiver: ModuleType, account: Account, organization: dict[str, str]
) -> None:
    fields = {
        "token": "verification-token",
        "team_id": TEAM,
        "team_domain": "example",
        "channel_id": CHANNEL,
        "channel_name": "random",
        "user_id": ASKER,
        "user_name": "asker",
        "command": COMMAND,
        "text": "you are great",
        "api_app_id": APP,
        "response_url": "https://hooks.slack.com/commands/T0001/111/xxxxx",
        "trigger_id": TRIGGER,
        **organization,
    }
    body = accepted(receiver, account, request(urlencode(fields), content_type=FORM))
    assert (body["team"], body["channel"], body["text"]) == (TEAM, CHANNEL, "you are great")


def test_a_view_submission_of_no_view_of_ours_is_acknowledged_and_dropped(
    receiver: ModuleType, account: Account
) -> None:
    payload = {
        "type": "view_submission",
        "team": WORKSPACE_OF_ORGANIZATION,
        "user": USER,
        "api_app_id": APP,
        "token": "verification-token",
        "trigger_id": TRIGGER,
        "view": {
            **EVENTS["app_home_opened"]["view"],
            "type": "modal",
            "blocks": [],
            "callback_id": "somebody_elses",
            "state": {
                "values": {"hspI": {"maBWU": {"type": "plain_text_input", "value": "hello"}}}
            },
            "title": {"type": "plain_text", "text": "An app"},
            "close": {"type": "plain_text", "text": "Cancel"},
            "submit": {"type": "plain_text", "text": "Submit"},
        },
        "response_urls": [],
        "is_enterprise_install": False,
    }
    assert call(receiver, interaction(payload))[0] == 200
    assert account.queued_bodies() == []
    assert account.queued_bodies(account.text_queue_url) == []


def _button(action_id: str, value: str) -> dict[str, Any]:
    return {
        "action_id": action_id,
        "block_id": "qXW",
        "text": {"type": "plain_text", "text": "Button", "emoji": True},
        "value": value,
        "type": "button",
        "action_ts": "1766000009.000400",
    }
