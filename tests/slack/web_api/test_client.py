from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from simulators.asgi import Server
from simulators.slack.faults import Fault
from simulators.slack.methods import Grant, WebApi
from simulators.slack.rate_limits import NO_LIMITS
from simulators.slack.server import application
from simulators.slack.workspace import Channel, Person, Workspace
from tests.aws_account import SlackServer
from toxic_bot.slack.retry import OutcomeUnknownError, RateLimitedError, TryAgainError
from toxic_bot.slack.web_api.client import SlackClient
from toxic_bot.slack.web_api.message import Message, Post
from toxic_bot.slack.web_api.remedies import GONE, REMEDIES, TOKEN_ERRORS, SlackRefusedError

TOKEN = "xoxb-test-token"
POST = Post("a verdict", [{"type": "section", "text": {"type": "mrkdwn", "text": "a verdict"}}])


@dataclass
class CachedToken:
    """A token source with a cache, like the secret reader."""

    stored: str = TOKEN
    cached: str = TOKEN

    def __call__(self, *, fresh: bool) -> str:
        if fresh:
            self.cached = self.stored
        return self.cached


@dataclass
class LocalSlack:
    """A local Slack behind a real server, and the client under test."""

    workspace: Workspace
    api: WebApi
    client: SlackClient
    token: CachedToken

    def methods(self) -> list[str]:
        return [call.method for call in self.api.calls]


@pytest.fixture
def local_slack(slack_server: SlackServer) -> LocalSlack:
    workspace = Workspace()
    for person in ("U0ASKS", "U0WROTE"):
        workspace.add_person(Person(person, person.lower()))
    members = {"U0ASKS", "U0WROTE", workspace.bot.id}
    workspace.add_channel(Channel("C0001", "general", members=members))
    workspace.add_channel(Channel("C0002", "strangers", members={"U0WROTE"}))
    workspace.add_channel(Channel("C0003", "old", members=members, archived=True))
    api = WebApi(workspace, {TOKEN: Grant()}, NO_LIMITS)
    slack_server.serve(application(api, "U0ASKS"))
    token = CachedToken()
    client = SlackClient(token, f"{slack_server.address}/api/")
    return LocalSlack(workspace, api, client, token)


@dataclass
class ConnectionCounts:
    """Connections and requests that a server has seen."""

    opened: int = 0
    answered: int = 0


def serve_ok(listener: socket.socket, counts: ConnectionCounts, *, closing_after: int) -> None:
    """Answer requests with ``ok``; close each connection after ``closing_after`` answers."""
    body = b'{"ok": true, "messages": []}'
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        counts.opened += 1
        with connection, connection.makefile("rb") as stream:
            for _ in range(closing_after):
                length = 0
                while (header := stream.readline()) not in (b"\r\n", b""):
                    if header.lower().startswith(b"content-length:"):
                        length = int(header.split(b":")[1])
                if not header:
                    break
                stream.read(length)
                counts.answered += 1
                connection.sendall(answer)


@pytest.mark.parametrize(("closing_after", "connections"), [(100, 1), (1, 3)])
def test_calls_share_one_connection_and_replace_it_when_slack_closes_it(
    closing_after: int, connections: int
) -> None:
    counts = ConnectionCounts()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(
            target=serve_ok,
            args=(listener, counts),
            kwargs={"closing_after": closing_after},
            daemon=True,
        ).start()
        client = SlackClient(CachedToken(), f"http://127.0.0.1:{listener.getsockname()[1]}/api/")
        for _ in range(3):
            assert client.fetch("C0001", "1.0", find_answer=False) is None
            time.sleep(0.05)
    assert counts == ConnectionCounts(opened=connections, answered=3)


def fetch(local_slack: LocalSlack, ts: str, *, channel: str = "C0001") -> Message:
    message = local_slack.client.fetch(channel, ts, find_answer=True)
    assert message is not None
    return message


def answer(local_slack: LocalSlack, message: Message) -> None:
    local_slack.client.post_in_thread(
        message.channel,
        message.ts,
        POST,
        thread=message.thread,
        edited=message.edited,
    )


def test_a_channel_message_is_fetched_with_one_call(local_slack: LocalSlack) -> None:
    sent = local_slack.workspace.post("C0001", "U0WROTE", "hello &amp; bye")
    message = fetch(local_slack, sent.ts)
    assert (message.text, message.thread, message.author) == ("hello &amp; bye", sent.ts, "U0WROTE")
    assert not message.answered
    assert local_slack.methods() == ["conversations.replies"]


def test_a_reply_is_fetched_and_answered_in_its_parents_thread(local_slack: LocalSlack) -> None:
    parent = local_slack.workspace.post("C0001", "U0WROTE", "question")
    reply = local_slack.workspace.post("C0001", "U0WROTE", "answer", thread_ts=parent.ts)
    message = fetch(local_slack, reply.ts)
    assert (message.text, message.thread) == ("answer", parent.ts)
    answer(local_slack, message)
    [*_, last] = local_slack.workspace.thread("C0001", parent.ts)
    assert last.text == "a verdict"


def test_a_deleted_message_is_reported_as_gone(local_slack: LocalSlack) -> None:
    sent = local_slack.workspace.post("C0001", "U0WROTE", "oops")
    local_slack.workspace.delete("C0001", sent.ts)
    message = local_slack.client.fetch("C0001", sent.ts, find_answer=True)
    assert message is None or message.deleted


@pytest.mark.parametrize("in_thread", [False, True])
def test_the_bots_own_earlier_answer_is_found(local_slack: LocalSlack, in_thread: bool) -> None:
    sent = local_slack.workspace.post("C0001", "U0WROTE", "hello")
    if in_thread:
        sent = local_slack.workspace.post("C0001", "U0WROTE", "reply", thread_ts=sent.ts)
    message = fetch(local_slack, sent.ts)
    answer(local_slack, message)
    assert fetch(local_slack, sent.ts).answered
    local_slack.workspace.edit("C0001", sent.ts, "hello, edited")
    assert not fetch(local_slack, sent.ts).answered


def test_an_answer_deep_in_a_long_thread_is_found(local_slack: LocalSlack) -> None:
    sent = local_slack.workspace.post("C0001", "U0WROTE", "hello")
    for number in range(450):
        local_slack.workspace.post("C0001", "U0ASKS", f"reply {number}", thread_ts=sent.ts)
    answer(local_slack, fetch(local_slack, sent.ts))
    assert fetch(local_slack, sent.ts).answered


def test_a_thread_that_is_slow_to_read_is_not_searched_to_its_end(
    local_slack: LocalSlack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toxic_bot.slack.web_api.reading.MAX_SEARCH", 0.0)
    sent = local_slack.workspace.post("C0001", "U0WROTE", "hello")
    for number in range(450):
        local_slack.workspace.post("C0001", "U0ASKS", f"reply {number}", thread_ts=sent.ts)
    assert fetch(local_slack, sent.ts).answered is None
    assert len(local_slack.methods()) == 1


def test_an_answer_to_another_message_does_not_count(local_slack: LocalSlack) -> None:
    sent = local_slack.workspace.post("C0001", "U0WROTE", "hello")
    message = fetch(local_slack, sent.ts)
    other = local_slack.workspace.post("C0001", "U0WROTE", "another message")
    answer(local_slack, fetch(local_slack, other.ts))
    assert not message.answered
    assert not fetch(local_slack, sent.ts).answered


def test_an_ephemeral_answer_is_visible_to_one_person_only(local_slack: LocalSlack) -> None:
    local_slack.client.post_privately("C0001", "U0ASKS", POST, thread=None)
    messages = local_slack.workspace.messages("C0001")
    [posted] = [message for message in messages if message.text == "a verdict"]
    assert posted.only_for == "U0ASKS"


@pytest.mark.parametrize("error", sorted(set(REMEDIES) - GONE - TOKEN_ERRORS))
def test_a_permanent_slack_error_is_refused_with_a_remedy(
    local_slack: LocalSlack, error: str
) -> None:
    local_slack.api.faults.add("conversations.replies", Fault(error=error), times=2)
    with pytest.raises(SlackRefusedError, match=error) as caught:
        fetch(local_slack, "1766000000.000100")
    assert caught.value.remedy
    assert TOKEN not in str(caught.value)


@pytest.mark.parametrize(
    "error",
    [
        "restricted_action",
        "restricted_action_read_only_channel",
        "restricted_action_thread_locked",
        "restricted_action_thread_only_channel",
        "restricted_action_non_threadable_channel",
        "ekm_access_denied",
        "team_access_not_granted",
    ],
)
def test_what_closes_a_channel_or_a_workspace_to_the_app_has_a_remedy(error: str) -> None:
    # A name that Slack has and REMEDIES lacks would be retried for two hours.
    assert error in REMEDIES


@pytest.mark.parametrize(
    ("channel", "error"), [("C0404", "channel_not_found"), ("C0002", "not_in_channel")]
)
def test_a_channel_without_the_bot_is_refused(
    local_slack: LocalSlack, channel: str, error: str
) -> None:
    if channel == "C0002":
        sent = local_slack.workspace.post(channel, "U0WROTE", "hello")
        ts = sent.ts
    else:
        ts = "1766000000.000100"
    with pytest.raises(SlackRefusedError, match=error):
        fetch(local_slack, ts, channel=channel)


def test_a_missing_scope_is_refused(local_slack: LocalSlack) -> None:
    sent = local_slack.workspace.post("C0001", "U0WROTE", "hello")
    local_slack.api.grants[TOKEN] = Grant(scopes=frozenset({"chat:write"}))
    with pytest.raises(SlackRefusedError, match="missing_scope"):
        fetch(local_slack, sent.ts)


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (Fault(error="internal_error"), "internal_error"),
        (Fault(error="fatal_error", status=500), "fatal_error"),
        (Fault(error="service_unavailable", status=503), "service_unavailable"),
        (Fault(error="some_future_error"), "some_future_error"),
    ],
)
def test_a_temporary_slack_error_asks_for_a_retry(
    local_slack: LocalSlack, fault: Fault, reason: str
) -> None:
    sent = local_slack.workspace.post("C0001", "U0WROTE", "hello")
    local_slack.api.faults.add("conversations.replies", fault)
    with pytest.raises(TryAgainError) as caught:
        fetch(local_slack, sent.ts)
    assert caught.value.reason == reason
    assert fetch(local_slack, sent.ts).text == "hello"


@pytest.mark.parametrize(
    ("retry_after", "delay"),
    [("40", 40), ("0", 1), ("-5", 1), ("nan", 1), ("600", 60), ("1e9", 60), ("x", 1)],
)
def test_a_rate_limit_asks_for_a_retry_after_slacks_delay_within_bounds(
    local_slack: LocalSlack, retry_after: str, delay: float
) -> None:
    fault = Fault(error="ratelimited", status=429, retry_after=retry_after)
    local_slack.api.faults.add("conversations.replies", fault)
    with pytest.raises(RateLimitedError) as caught:
        fetch(local_slack, "1766000000.000100")
    assert (caught.value.reason, caught.value.delay) == ("ratelimited_conversations_replies", delay)


@pytest.mark.slow
def test_no_call_is_made_until_a_rate_limit_is_over(local_slack: LocalSlack) -> None:
    sent = local_slack.workspace.post("C0001", "U0WROTE", "hello")
    fault = Fault(error="ratelimited", status=429, retry_after=1)
    local_slack.api.faults.add("conversations.replies", fault)
    for _ in range(5):
        with pytest.raises(RateLimitedError):
            fetch(local_slack, sent.ts)
    assert local_slack.methods() == ["conversations.replies"]
    time.sleep(1)
    assert fetch(local_slack, sent.ts).text == "hello"


def test_one_long_limit_holds_up_reads_for_a_minute_and_nothing_else(
    local_slack: LocalSlack, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = local_slack.workspace.post("C0001", "U0WROTE", "hello")
    fault = Fault(error="ratelimited", status=429, retry_after=600)
    local_slack.api.faults.add("conversations.replies", fault)
    now = time.monotonic()
    with pytest.raises(RateLimitedError) as caught:
        local_slack.client.fetch("C0001", message.ts, find_answer=False)
    assert caught.value.delay == 60
    local_slack.client.post_message("C0001", POST)
    with pytest.raises(RateLimitedError):
        local_slack.client.fetch("C0001", message.ts, find_answer=False)
    later = now + 61
    monkeypatch.setattr("toxic_bot.slack.web_api.calls.time.monotonic", lambda: later)
    fetched = local_slack.client.fetch("C0001", message.ts, find_answer=False)
    assert fetched is not None
    assert fetched.text == "hello"


def test_a_rate_limit_in_one_channel_leaves_the_others_alone(local_slack: LocalSlack) -> None:
    fault = Fault(error="ratelimited", status=429, retry_after=60)
    local_slack.api.faults.add("chat.postMessage", fault)
    first = fetch(local_slack, local_slack.workspace.post("C0001", "U0WROTE", "hello").ts)
    with pytest.raises(RateLimitedError):
        answer(local_slack, first)
    local_slack.workspace.channels["C0002"].members.add(local_slack.workspace.bot.id)
    second = local_slack.workspace.post("C0002", "U0WROTE", "hello")
    answer(local_slack, fetch(local_slack, second.ts, channel="C0002"))


def test_an_unreachable_slack_asks_for_a_retry() -> None:
    client = SlackClient(CachedToken(), "http://127.0.0.1:9/api/")
    with pytest.raises(TryAgainError) as caught:
        client.fetch("C0001", "1766000000.000100", find_answer=True)
    assert caught.value.reason == "network"


@pytest.mark.parametrize("status", [200, 502])
def test_a_response_that_is_not_json_asks_for_a_retry_and_is_never_shown(
    local_slack: LocalSlack, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    async def unreadable(_: Request) -> Response:
        return Response("<html>a private word</html>", status)

    server = Server(Starlette(routes=[Route("/api/{method}", unreadable, methods=["POST"])]))
    server.start()
    client = SlackClient(local_slack.token, f"{server.address}/api/")
    with pytest.raises(TryAgainError) as caught:
        client.fetch("C0001", "1766000000.000100", find_answer=True)
    server.stop()
    assert caught.value.reason == f"http_{status}"
    assert "a private word" not in str(caught.value) + caplog.text


def test_a_rotated_token_is_picked_up_without_losing_the_call(local_slack: LocalSlack) -> None:
    sent = local_slack.workspace.post("C0001", "U0WROTE", "hello")
    local_slack.api.grants[TOKEN] = Grant(revoked=True)
    local_slack.api.grants["xoxb-new-token"] = Grant()
    local_slack.token.stored = "xoxb-new-token"
    assert fetch(local_slack, sent.ts).text == "hello"


def test_a_revoked_token_asks_for_a_retry_with_its_remedy_and_is_never_shown(
    local_slack: LocalSlack,
) -> None:
    sent = local_slack.workspace.post("C0001", "U0WROTE", "hello")
    local_slack.api.grants[TOKEN] = Grant(revoked=True)
    with pytest.raises(TryAgainError, match=r"token_revoked to \w+: reinstall") as caught:
        fetch(local_slack, sent.ts)
    assert TOKEN not in repr(caught.value)


@pytest.fixture
def slack_answering() -> Iterator[Callable[[str], SlackClient]]:
    """Start a Slack that sends these bytes to every request, one by one if they end slowly."""
    with ExitStack() as exit_stack:

        def start(content: str, *, drip: float = 0) -> SlackClient:
            listener = exit_stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            threading.Thread(target=serve, args=(listener, content, drip), daemon=True).start()
            return SlackClient(CachedToken(), f"http://127.0.0.1:{listener.getsockname()[1]}/api/")

        yield start


def serve(listener: socket.socket, content: str, drip: float) -> None:
    """Answer every request with the same content, a byte every ``drip`` seconds."""
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(content)}\r\nConnection: close\r\n\r\n"
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection, suppress(OSError):
            connection.recv(100_000)
            if not drip:
                connection.sendall((head + content).encode())
                continue
            for byte in (head + content).encode():
                connection.sendall(bytes([byte]))
                time.sleep(drip)


ODD_ANSWERS = [
    "[]",
    "null",
    "1",
    '"ok"',
    '{"ok": true, "messages": [1]}',
    '{"ok": true, "messages": {"ts": "1.0"}}',
    '{"ok": true, "messages": [{"ts": "1.0", "edited": "yes"}]}',
    '{"ok": true, "messages": [{"ts": "1.0", "text": {"a": 1}}]}',
    '{"ok": true, "messages": [{"ts": "1.0", "thread_ts": 1.5}]}',
    '{"ok": true, "messages": [{"ts": "1.0"}], "response_metadata": "more"}',
    '{"ok": true, "messages": [{"ts": "1.0"}], "response_metadata": {"next_cursor": 1}}',
]


@pytest.mark.parametrize("content", ODD_ANSWERS)
def test_an_odd_answer_from_slack_asks_for_a_retry(
    slack_answering: Callable[[str], SlackClient], content: str
) -> None:
    with pytest.raises(TryAgainError) as caught:
        slack_answering(content).fetch("C0001", "1.0", find_answer=True)
    assert caught.value.reason in ("odd_answer", "http_200")


@pytest.mark.slow
def test_no_call_takes_longer_than_its_timeout_however_slowly_the_answer_drips(
    slack_answering: Callable[..., SlackClient],
) -> None:
    content = '{"ok": true, "messages": []}' + " " * 1000
    client = slack_answering(content, drip=0.05)
    started = time.monotonic()
    with pytest.raises(TryAgainError) as caught:
        client.fetch("C0001", "1.0", find_answer=False)
    assert caught.value.reason == "network"
    # The whole answer would take fifty seconds.
    assert time.monotonic() - started < 0.05 * len(content)


@pytest.mark.parametrize(
    "fault",
    [Fault(error="internal_error"), Fault(error="fatal_error", status=500), Fault(status=503)],
)
def test_a_post_that_slack_may_have_made_has_an_unknown_outcome(
    local_slack: LocalSlack, fault: Fault
) -> None:
    message = fetch(local_slack, local_slack.workspace.post("C0001", "U0WROTE", "hello").ts)
    local_slack.api.faults.add("chat.postMessage", fault)
    with pytest.raises(OutcomeUnknownError):
        answer(local_slack, message)


def test_a_post_that_was_never_sent_has_a_known_outcome() -> None:
    client = SlackClient(CachedToken(), "http://127.0.0.1:9/api/")
    with pytest.raises(TryAgainError) as caught:
        client.post_privately("C0001", "U0ASKS", POST, thread=None)
    assert type(caught.value) is TryAgainError
