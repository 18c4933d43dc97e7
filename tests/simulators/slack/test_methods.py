"""The Web API as the bot uses it: over HTTP, through slack_sdk."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from simulators.asgi import Server
from simulators.samples import CHANNEL, PRIVATE_CHANNEL, RAE, SAM, VIEWER, create_workspace
from simulators.slack.block_kit import MAX_BLOCKS
from simulators.slack.faults import Fault
from simulators.slack.methods import MAX_TEXT_LENGTH, Grant, WebApi
from simulators.slack.rate_limits import NO_LIMITS, Limit
from simulators.slack.server import application
from toxic_bot.slack.web_api.client import BOT_SCOPES

TOKEN = "xoxb-local"


@pytest.fixture
def web_api() -> WebApi:
    return WebApi(create_workspace(), {TOKEN: Grant()}, NO_LIMITS)


@pytest.fixture
def address(web_api: WebApi) -> Iterator[str]:
    server = Server(application(web_api, VIEWER))
    server.start()
    yield server.address
    server.stop()


@pytest.fixture
def client(address: str) -> WebClient:
    return WebClient(TOKEN, base_url=f"{address}/api/", retry_handlers=[])


def error_code(call: object) -> str:
    assert isinstance(call, pytest.ExceptionInfo)
    return str(call.value.response["error"])


def test_auth_test_identifies_the_bot_and_its_scopes(client: WebClient, web_api: WebApi) -> None:
    response = client.auth_test()
    assert response["user_id"] == web_api.workspace.bot.id
    assert set(response.headers["x-oauth-scopes"].split(",")) == BOT_SCOPES


def test_the_parent_message_comes_before_its_replies(client: WebClient, web_api: WebApi) -> None:
    parent = web_api.workspace.post(CHANNEL, RAE, "parent")
    reply = web_api.workspace.post(CHANNEL, SAM, "reply", thread_ts=parent.ts)
    first, second = client.conversations_replies(channel=CHANNEL, ts=parent.ts)["messages"]
    assert (first["ts"], first["thread_ts"], first["reply_count"]) == (parent.ts, parent.ts, 1)
    assert (second["ts"], second["thread_ts"]) == (reply.ts, parent.ts)
    assert second["parent_user_id"] == RAE


def test_a_message_without_replies_has_no_thread_ts(client: WebClient, web_api: WebApi) -> None:
    message = web_api.workspace.post(CHANNEL, RAE, "alone")
    [message_data] = client.conversations_replies(channel=CHANNEL, ts=message.ts)["messages"]
    assert "thread_ts" not in message_data
    assert "edited" not in message_data


def test_the_timestamp_of_a_reply_returns_only_that_reply(
    client: WebClient, web_api: WebApi
) -> None:
    parent = web_api.workspace.post(CHANNEL, RAE, "parent")
    reply = web_api.workspace.post(CHANNEL, SAM, "reply", thread_ts=parent.ts)
    web_api.workspace.post(CHANNEL, SAM, "another", thread_ts=parent.ts)
    web_api.workspace.edit(CHANNEL, reply.ts, "better")
    [message_data] = client.conversations_replies(channel=CHANNEL, ts=reply.ts)["messages"]
    assert message_data["text"] == "better"
    assert message_data["thread_ts"] == parent.ts
    assert message_data["edited"] == {"user": SAM, "ts": reply.edited}


def test_metadata_is_returned_only_on_request(client: WebClient, web_api: WebApi) -> None:
    parent = web_api.workspace.post(CHANNEL, RAE, "parent")
    metadata = {"event_type": "toxic_verdict", "event_payload": {"ts": parent.ts}}
    client.chat_postMessage(channel=CHANNEL, thread_ts=parent.ts, text="verdict", metadata=metadata)
    plain = client.conversations_replies(channel=CHANNEL, ts=parent.ts)["messages"][1]
    full = client.conversations_replies(channel=CHANNEL, ts=parent.ts, include_all_metadata=True)[
        "messages"
    ][1]
    assert "metadata" not in plain
    assert full["metadata"] == metadata
    assert full["bot_id"]


def test_an_app_updates_its_own_messages_and_keeps_their_metadata(
    client: WebClient, web_api: WebApi
) -> None:
    metadata = {"event_type": "toxic_verdict", "event_payload": {"edited": ""}}
    own = client.chat_postMessage(channel=CHANNEL, text="verdict", metadata=metadata)["ts"]
    client.chat_update(channel=CHANNEL, ts=own, text="outdated")
    [stored] = web_api.workspace.messages(CHANNEL)
    assert (stored.text, stored.metadata) == ("outdated", metadata)
    assert not stored.edited
    newer = {"event_type": "toxic_verdict", "event_payload": {"edited": "1"}}
    client.chat_update(channel=CHANNEL, ts=own, text="outdated", metadata=newer)
    assert stored.metadata == newer


@pytest.mark.parametrize("user", [RAE, None])
def test_an_app_updates_nothing_else(client: WebClient, web_api: WebApi, user: str | None) -> None:
    bot = web_api.workspace.bot.id
    other = web_api.workspace.post(CHANNEL, user or bot, "hello", only_for=None if user else SAM)
    with pytest.raises(SlackApiError) as call:
        client.chat_update(channel=CHANNEL, ts=other.ts, text="gone")
    assert error_code(call) == ("cant_update_message" if user else "message_not_found")


def test_long_threads_are_paginated(client: WebClient, web_api: WebApi) -> None:
    parent = web_api.workspace.post(CHANNEL, RAE, "parent")
    posted = [parent.ts] + [
        web_api.workspace.post(CHANNEL, SAM, str(n), thread_ts=parent.ts).ts for n in range(6)
    ]
    returned: list[str] = []
    for page in client.conversations_replies(channel=CHANNEL, ts=parent.ts, limit=3):
        returned += [message["ts"] for message in page["messages"]]
    assert returned == posted


def test_oldest_excludes_earlier_replies_but_not_the_parent(
    client: WebClient, web_api: WebApi
) -> None:
    parent = web_api.workspace.post(CHANNEL, RAE, "parent")
    first = web_api.workspace.post(CHANNEL, SAM, "first", thread_ts=parent.ts)
    second = web_api.workspace.post(CHANNEL, SAM, "second", thread_ts=parent.ts)
    response = client.conversations_replies(channel=CHANNEL, ts=parent.ts, oldest=first.ts)
    assert [message["ts"] for message in response["messages"]] == [parent.ts, second.ts]


def test_a_deleted_message_leaves_a_tombstone_only_if_it_has_replies(
    client: WebClient, web_api: WebApi
) -> None:
    parent = web_api.workspace.post(CHANNEL, RAE, "parent")
    web_api.workspace.post(CHANNEL, SAM, "reply", thread_ts=parent.ts)
    web_api.workspace.delete(CHANNEL, parent.ts)
    tombstone = client.conversations_replies(channel=CHANNEL, ts=parent.ts)["messages"][0]
    assert tombstone["subtype"] == "tombstone"
    assert tombstone["text"] == "This message was deleted."
    alone = web_api.workspace.post(CHANNEL, RAE, "alone")
    web_api.workspace.delete(CHANNEL, alone.ts)
    with pytest.raises(SlackApiError) as call:
        client.conversations_replies(channel=CHANNEL, ts=alone.ts)
    assert error_code(call) == "thread_not_found"


def test_only_the_recipient_sees_an_ephemeral_message(client: WebClient, web_api: WebApi) -> None:
    parent = web_api.workspace.post(CHANNEL, RAE, "parent")
    client.chat_postEphemeral(channel=CHANNEL, user=SAM, thread_ts=parent.ts, text="psst")
    assert len(client.conversations_replies(channel=CHANNEL, ts=parent.ts)["messages"]) == 1
    [hidden] = [one for one in web_api.workspace.messages(CHANNEL) if one.text == "psst"]
    assert hidden.only_for == SAM


@pytest.mark.parametrize(
    ("token", "error"),
    [("", "not_authed"), ("xoxb-other", "invalid_auth"), ("xoxb-revoked", "token_revoked")],
)
def test_an_invalid_token_is_rejected(
    address: str, web_api: WebApi, token: str, error: str
) -> None:
    web_api.grants["xoxb-revoked"] = Grant(revoked=True)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    response = httpx.post(f"{address}/api/auth.test", headers=headers)
    assert (response.status_code, response.json()) == (200, {"ok": False, "error": error})


def test_an_unknown_method_is_rejected(address: str) -> None:
    response = httpx.post(
        f"{address}/api/chat.explode", headers={"Authorization": f"Bearer {TOKEN}"}
    )
    assert response.json()["error"] == "unknown_method"


@pytest.mark.parametrize(
    ("channel", "scope"), [(CHANNEL, "channels:history"), (PRIVATE_CHANNEL, "groups:history")]
)
def test_a_missing_scope_is_named_in_the_error(
    client: WebClient, web_api: WebApi, channel: str, scope: str
) -> None:
    message = web_api.workspace.post(channel, RAE, "hello")
    web_api.grants[TOKEN] = Grant(BOT_SCOPES - {scope})
    with pytest.raises(SlackApiError) as call:
        client.conversations_replies(channel=channel, ts=message.ts)
    assert error_code(call) == "missing_scope"
    assert call.value.response["needed"] == scope
    assert scope not in call.value.response["provided"]


def test_posting_needs_the_chat_write_scope(client: WebClient, web_api: WebApi) -> None:
    web_api.grants[TOKEN] = Grant(BOT_SCOPES - {"chat:write"})
    with pytest.raises(SlackApiError) as call:
        client.chat_postMessage(channel=CHANNEL, text="hello")
    assert (error_code(call), call.value.response["needed"]) == ("missing_scope", "chat:write")


def test_a_channel_that_the_bot_is_not_in_returns_an_error(
    client: WebClient, web_api: WebApi
) -> None:
    for channel in web_api.workspace.channels.values():
        channel.members.discard(web_api.workspace.bot.id)
    for channel_id, error in ((CHANNEL, "not_in_channel"), (PRIVATE_CHANNEL, "channel_not_found")):
        with pytest.raises(SlackApiError) as call:
            client.chat_postMessage(channel=channel_id, text="hello")
        assert error_code(call) == error
    with pytest.raises(SlackApiError) as call:
        client.conversations_replies(channel="C0NOWHERE", ts="1.0")
    assert error_code(call) == "channel_not_found"


def test_posting_to_an_archived_channel_is_rejected(client: WebClient, web_api: WebApi) -> None:
    web_api.workspace.channels[CHANNEL].archived = True
    with pytest.raises(SlackApiError) as call:
        client.chat_postMessage(channel=CHANNEL, text="hello")
    assert error_code(call) == "is_archived"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, "no_text"),
        ({"text": "a" * (MAX_TEXT_LENGTH + 1)}, "msg_too_long"),
        ({"text": "a", "thread_ts": "1.000000"}, "thread_not_found"),
        ({"text": "a", "blocks": "[{"}, "invalid_blocks_format"),
        ({"text": "a", "blocks": [{"type": "video"}]}, "invalid_blocks"),
        ({"text": "a", "blocks": [{"type": "section"}]}, "invalid_blocks"),
        (
            {"text": "a", "blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": ""}}]},
            "invalid_blocks",
        ),
        ({"text": "a", "blocks": [{"type": "divider"}] * (MAX_BLOCKS + 1)}, "invalid_blocks"),
        ({"text": "a", "metadata": "{"}, "invalid_metadata_format"),
        ({"text": "a", "metadata": {"event_type": "x"}}, "invalid_metadata_schema"),
        (
            {"text": "a", "metadata": {"event_type": "x", "event_payload": {"a": "b" * 9000}}},
            "metadata_too_large",
        ),
    ],
)
def test_an_invalid_message_is_rejected(
    client: WebClient, arguments: dict[str, object], error: str
) -> None:
    with pytest.raises(SlackApiError) as call:
        client.api_call("chat.postMessage", json={"channel": CHANNEL, **arguments})
    assert error_code(call) == error


def test_calls_over_the_rate_limit_are_rejected_with_retry_after(web_api: WebApi) -> None:
    limited_api = WebApi(web_api.workspace, {TOKEN: Grant()}, {"auth.test": Limit(2, 30)})
    responses = [limited_api.call("auth.test", TOKEN, {}) for _ in range(3)]
    assert [response.status for response in responses] == [200, 200, 429]
    assert responses[2].body == {"ok": False, "error": "ratelimited"}
    assert 1 <= int(responses[2].headers["Retry-After"]) <= 30


def test_a_per_channel_limit_does_not_affect_other_channels(web_api: WebApi) -> None:
    limit = {"chat.postMessage": Limit(1, 30, per_channel=True)}
    limited_api = WebApi(web_api.workspace, {TOKEN: Grant()}, limit)
    statuses = [
        limited_api.call("chat.postMessage", TOKEN, {"channel": channel, "text": "a"}).status
        for channel in (CHANNEL, CHANNEL, PRIVATE_CHANNEL)
    ]
    assert statuses == [200, 429, 200]


def test_a_fault_affects_only_the_next_calls(client: WebClient, web_api: WebApi) -> None:
    web_api.faults.add("auth.test", Fault(error="ratelimited", status=429, retry_after=7), times=2)
    for _ in range(2):
        with pytest.raises(SlackApiError) as call:
            client.auth_test()
        assert call.value.response.headers["Retry-After"] == "7"
    assert client.auth_test()["ok"]


def test_calls_are_recorded_without_the_token(client: WebClient, web_api: WebApi) -> None:
    client.chat_postMessage(channel=CHANNEL, text="hello")
    [call] = web_api.calls
    assert (call.method, call.error, call.arguments["text"]) == ("chat.postMessage", "", "hello")
    assert TOKEN not in str(dict(call.arguments))


def test_conversations_info_reports_whether_the_bot_is_a_member(
    client: WebClient, web_api: WebApi
) -> None:
    web_api.grants[TOKEN] = Grant(BOT_SCOPES | {"channels:read"})
    assert client.conversations_info(channel=CHANNEL)["channel"]["is_member"] is True


def test_the_history_of_a_channel_is_the_newest_first_without_replies(
    client: WebClient, web_api: WebApi
) -> None:
    workspace = web_api.workspace
    old, new = (workspace.post(CHANNEL, RAE, text) for text in ("old", "new"))
    workspace.post(CHANNEL, SAM, "reply", thread_ts=old.ts)
    workspace.post(CHANNEL, workspace.bot.id, "for one person", only_for=SAM)
    everything = client.conversations_history(channel=CHANNEL)["messages"]
    assert [one["ts"] for one in everything] == [new.ts, old.ts]
    later = client.conversations_history(channel=CHANNEL, oldest=old.ts)["messages"]
    assert [one["ts"] for one in later] == [new.ts]


def test_a_permalink_leads_to_a_message_in_its_thread(client: WebClient, web_api: WebApi) -> None:
    parent = web_api.workspace.post(CHANNEL, RAE, "parent")
    reply = web_api.workspace.post(CHANNEL, SAM, "reply", thread_ts=parent.ts)
    links = [
        client.chat_getPermalink(channel=CHANNEL, message_ts=one.ts)["permalink"]
        for one in (parent, reply)
    ]
    assert links[0] == f"{web_api.address}/archives/{CHANNEL}/p{parent.ts.replace('.', '')}"
    assert links[1].endswith(f"?thread_ts={parent.ts}&cid={CHANNEL}")
    with pytest.raises(SlackApiError) as caught:
        client.chat_getPermalink(channel=CHANNEL, message_ts="1.000001")
    assert error_code(caught) == "message_not_found"


def test_the_bot_changes_only_its_own_messages_and_they_keep_their_metadata(
    client: WebClient, web_api: WebApi
) -> None:
    metadata = {"event_type": "note", "event_payload": {"n": 1}}
    posted = client.chat_postMessage(channel=CHANNEL, text="before", metadata=metadata)
    client.chat_update(channel=CHANNEL, ts=posted["ts"], text="after")
    message = web_api.workspace.find(CHANNEL, posted["ts"])
    assert message is not None
    assert (message.text, message.metadata, message.edited) == ("after", metadata, "")
    theirs = web_api.workspace.post(CHANNEL, RAE, "mine")
    with pytest.raises(SlackApiError) as caught:
        client.chat_update(channel=CHANNEL, ts=theirs.ts, text="yours")
    assert error_code(caught) == "cant_update_message"
