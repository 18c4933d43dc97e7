"""The Events API, with receivers that respond, fail or time out."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import httpx
import pytest
from slack_sdk.signature import SignatureVerifier
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from simulators.asgi import Server
from simulators.samples import CHANNEL, RAE, SAM, VIEWER, create_workspace
from simulators.slack.delivery import EventsApi, RetryReason
from simulators.slack.workspace import Workspace

SECRET = "8f742231b10e8888abcd99yyyzzz85a5"


@dataclass
class Receiver:
    """Responds with each status in turn, and then always with the last one."""

    statuses: list[int] = field(default_factory=lambda: [200])
    delay: float = 0.0
    headers: dict[str, str] = field(default_factory=dict)
    requests: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    def respond(self, request: Request, body: bytes) -> Response:
        self.requests.append((dict(request.headers), body))
        status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        time.sleep(self.delay)
        return PlainTextResponse("ok", status, self.headers)


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def workspace() -> Workspace:
    return create_workspace()


@pytest.fixture
def events(receiver: Receiver, workspace: Workspace) -> Iterator[EventsApi]:
    from starlette.concurrency import run_in_threadpool

    async def endpoint(request: Request) -> Response:
        return await run_in_threadpool(receiver.respond, request, await request.body())

    server = Server(Starlette(routes=[Route("/slack/events", endpoint, methods=["POST"])]))
    server.start()
    api = EventsApi(workspace, SECRET, delays=(0.0, 0.01, 0.02), timeout=30)
    api.request_url = f"{server.address}/slack/events"
    yield api
    api.stop()
    server.stop()


@pytest.fixture
def react(workspace: Workspace, events: EventsApi) -> Callable[[], dict[str, object]]:
    url, events.request_url = events.request_url, ""
    message = workspace.post(CHANNEL, RAE, "hello")
    events.request_url = url

    def post_and_react() -> dict[str, object]:
        change = workspace.react(CHANNEL, message.ts, VIEWER, "biohazard_sign")
        return events.delivered_envelope(change)

    return post_and_react


def wait_for_attempts(events: EventsApi, count: int) -> None:
    """Wait until all events have arrived or their retries are over."""
    deadline = time.monotonic() + 60
    while (len(events.attempts) < count or events.busy) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(events.attempts) == count


def test_an_event_is_signed_and_has_slacks_format(
    receiver: Receiver, events: EventsApi, react: Callable[[], dict[str, object]]
) -> None:
    envelope = react()
    wait_for_attempts(events, 1)
    headers, body = receiver.requests[0]
    assert SignatureVerifier(SECRET).is_valid_request(body, headers)
    assert headers["content-type"] == "application/json"
    assert "x-slack-retry-num" not in headers
    callback = json.loads(body)
    assert callback == envelope
    assert callback["type"] == "event_callback"
    assert callback["authorizations"][0]["is_bot"] is True
    event = callback["event"]
    assert event["type"] == "reaction_added"
    assert event["item"]["type"] == "message"
    assert event["item_user"] == RAE


def test_messages_their_edits_and_their_deletions_are_delivered_as_slack_does(
    receiver: Receiver, events: EventsApi, workspace: Workspace
) -> None:
    parent = workspace.post(CHANNEL, RAE, "hello")
    reply = workspace.post(CHANNEL, SAM, "hi", thread_ts=parent.ts)
    workspace.post(CHANNEL, workspace.bot.id, "psst", only_for=VIEWER)
    workspace.edit(CHANNEL, parent.ts, "hello there")
    workspace.delete(CHANNEL, parent.ts)
    workspace.delete(CHANNEL, reply.ts)
    wait_for_attempts(events, 5)
    delivered = (json.loads(body)["event"] for _, body in receiver.requests)
    posted, answer, edit, tombstone, deletion = sorted(delivered, key=lambda one: one["event_ts"])
    assert {one["type"] for one in (posted, answer, edit, tombstone, deletion)} == {"message"}
    assert (posted["text"], posted["user"]) == ("hello", RAE)
    assert "subtype" not in posted
    assert answer["thread_ts"] == parent.ts
    assert edit["subtype"] == "message_changed"
    assert edit["message"]["text"] == "hello there"
    assert edit["message"]["edited"]["user"] == RAE
    assert edit["previous_message"]["text"] == "hello"
    assert tombstone["subtype"] == "message_changed"
    assert tombstone["message"]["subtype"] == "tombstone"
    assert deletion["subtype"] == "message_deleted"
    assert (deletion["deleted_ts"], deletion["previous_message"]["user"]) == (reply.ts, SAM)


def test_delivery_to_a_failing_receiver_is_retried_three_times(
    receiver: Receiver, events: EventsApi, react: Callable[[], dict[str, object]]
) -> None:
    receiver.statuses = [500]
    react()
    wait_for_attempts(events, 4)
    retries = [headers.get("x-slack-retry-num") for headers, _ in receiver.requests]
    reasons = {headers.get("x-slack-retry-reason") for headers, _ in receiver.requests[1:]}
    assert retries == [None, "1", "2", "3"]
    assert reasons == {RetryReason.ERROR.value}
    assert len({json.loads(body)["event_id"] for _, body in receiver.requests}) == 1
    for headers, body in receiver.requests:
        assert SignatureVerifier(SECRET).is_valid_request(body, headers)


def test_retries_stop_after_the_first_success(
    receiver: Receiver, events: EventsApi, react: Callable[[], dict[str, object]]
) -> None:
    receiver.statuses = [503, 200]
    react()
    wait_for_attempts(events, 2)
    assert [attempt.status for attempt in events.attempts] == [503, 200]


@pytest.mark.slow
def test_delivery_to_a_slow_receiver_is_retried_after_a_timeout(
    receiver: Receiver, events: EventsApi, react: Callable[[], dict[str, object]]
) -> None:
    events._client.timeout = httpx.Timeout(0.3)
    receiver.delay = 0.6
    react()
    wait_for_attempts(events, 4)
    assert {attempt.reason for attempt in events.attempts} == {RetryReason.TIMEOUT}
    assert receiver.requests[1][0]["x-slack-retry-reason"] == "http_timeout"


def test_a_receiver_can_decline_retries(
    receiver: Receiver, events: EventsApi, react: Callable[[], dict[str, object]]
) -> None:
    receiver.statuses, receiver.headers = [500], {"X-Slack-No-Retry": "1"}
    react()
    wait_for_attempts(events, 1)


def test_delivery_to_an_unreachable_receiver_is_attempted_four_times(
    events: EventsApi, react: Callable[[], dict[str, object]]
) -> None:
    events.request_url = "http://127.0.0.1:9/slack/events"
    react()
    wait_for_attempts(events, 4)
    assert {attempt.reason for attempt in events.attempts} == {RetryReason.CONNECTION}


def test_reactions_in_channels_without_the_bot_are_not_delivered(
    workspace: Workspace, events: EventsApi
) -> None:
    workspace.channels[CHANNEL].members.discard(workspace.bot.id)
    message = workspace.post(CHANNEL, RAE, "hello")
    workspace.react(CHANNEL, message.ts, VIEWER, "biohazard_sign")
    wait_for_attempts(events, 0)


def test_slack_is_busy_until_an_event_has_arrived_or_its_retries_are_over(
    receiver: Receiver, events: EventsApi, react: Callable[[], dict[str, object]]
) -> None:
    receiver.statuses = [500]
    busy: list[bool] = []
    events.watch(lambda _envelope, _attempt: busy.append(events.busy))
    assert not events.busy
    react()
    wait_for_attempts(events, 4)
    assert busy == [True] * 4
    assert not events.busy


def test_the_removal_of_a_reaction_is_not_delivered(
    workspace: Workspace, events: EventsApi, react: Callable[[], dict[str, object]]
) -> None:
    react()
    [message] = workspace.messages(CHANNEL)
    workspace.unreact(CHANNEL, message.ts, VIEWER, "biohazard_sign")
    wait_for_attempts(events, 1)


def test_a_url_that_does_not_echo_the_challenge_is_not_verified(events: EventsApi) -> None:
    assert events.verify_url() is False


def test_what_is_posted_after_the_end_is_not_delivered(
    workspace: Workspace, events: EventsApi, receiver: Receiver
) -> None:
    events.stop()
    workspace.post(CHANNEL, RAE, "hello")
    workspace.react(CHANNEL, workspace.post(CHANNEL, RAE, "you").ts, SAM, "eyes")
    assert events.send_form("slash_commands", {"command": "/toxic", "text": "x"}).cancelled()
    assert not events.busy
    assert receiver.requests == []
