from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from handler.retry import TryAgainError
from handler.slack.client import SlackClient
from handler.slack.message import Message, Post
from handler.slack.remedies import REMEDIES, SlackRefusedError
from local.asgi import Server
from local.slack.faults import Fault
from local.slack.methods import Grant, WebApi
from local.slack.rate_limits import NO_LIMITS
from local.slack.server import application
from local.slack.workspace import Channel, Person, Workspace

TOKEN = "xoxb-a-token-of-the-test"
POST = Post("a verdict", [{"type": "section", "text": {"type": "mrkdwn", "text": "a verdict"}}])


def plenty() -> float:
    return 30.0


@dataclass
class CachedToken:
    """A token as the vault gives it: what is stored now only when asked for it."""

    stored: str = TOKEN
    cached: str = TOKEN

    def __call__(self, *, fresh: bool) -> str:
        if fresh:
            self.cached = self.stored
        return self.cached


@dataclass
class Town:
    """A workspace behind a real server, and the client under test."""

    workspace: Workspace
    api: WebApi
    slack: SlackClient
    vault: CachedToken

    def methods(self) -> list[str]:
        return [call.method for call in self.api.calls]


@pytest.fixture
def town() -> Iterator[Town]:
    workspace = Workspace()
    for person in ("U0ASKS", "U0WROTE"):
        workspace.add_person(Person(person, person.lower()))
    members = {"U0ASKS", "U0WROTE", workspace.bot.id}
    workspace.add_channel(Channel("C0001", "general", members=members))
    workspace.add_channel(Channel("C0002", "strangers", members={"U0WROTE"}))
    workspace.add_channel(Channel("C0003", "old", members=members, archived=True))
    api = WebApi(workspace, {TOKEN: Grant()}, NO_LIMITS)
    server = Server(application(api, "U0ASKS"))
    server.start()
    vault = CachedToken()
    yield Town(workspace, api, SlackClient(vault, f"{server.address}/api/"), vault)
    server.stop()


@dataclass
class Line:
    """What a server of one answer saw of its connections."""

    opened: int = 0
    answered: int = 0


def one_answer_server(listener: socket.socket, line: Line, *, closing_after: int) -> None:
    """Answer every request with ``ok``, and close each connection after some of them."""
    body = b'{"ok": true, "messages": []}'
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        line.opened += 1
        with connection, connection.makefile("rb") as stream:
            for _ in range(closing_after):
                length = 0
                while (header := stream.readline()) not in (b"\r\n", b""):
                    if header.lower().startswith(b"content-length:"):
                        length = int(header.split(b":")[1])
                if not header:
                    break
                stream.read(length)
                line.answered += 1
                connection.sendall(answer)


@pytest.mark.parametrize(("closing_after", "connections"), [(100, 1), (1, 3)])
def test_one_connection_serves_all_calls_and_is_opened_anew_where_slack_closed_it(
    closing_after: int, connections: int
) -> None:
    line = Line()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(
            target=one_answer_server,
            args=(listener, line),
            kwargs={"closing_after": closing_after},
            daemon=True,
        ).start()
        slack = SlackClient(CachedToken(), f"http://127.0.0.1:{listener.getsockname()[1]}/api/")
        for _ in range(3):
            assert slack.fetch("C0001", "1.0", find_answer=False, seconds_left=plenty) is None
            time.sleep(0.05)
    assert line == Line(opened=connections, answered=3)


def fetch(town: Town, ts: str, *, channel: str = "C0001", with_answer: bool = True) -> Message:
    message = town.slack.fetch(channel, ts, find_answer=with_answer, seconds_left=plenty)
    assert message is not None
    return message


def answer(town: Town, message: Message) -> None:
    town.slack.post_in_thread(
        message.channel,
        message.ts,
        POST,
        thread=message.thread,
        edited=message.edited,
        seconds_left=plenty,
    )


def test_a_message_of_the_channel_is_read_with_one_call(town: Town) -> None:
    sent = town.workspace.post("C0001", "U0WROTE", "hello &amp; bye")
    message = fetch(town, sent.ts)
    assert (message.text, message.thread, message.author) == ("hello &amp; bye", sent.ts, "U0WROTE")
    assert not message.answered
    assert town.methods() == ["conversations.replies"]


def test_a_reply_is_read_and_answered_in_its_parents_thread(town: Town) -> None:
    parent = town.workspace.post("C0001", "U0WROTE", "question")
    reply = town.workspace.post("C0001", "U0WROTE", "answer", thread_ts=parent.ts)
    message = fetch(town, reply.ts)
    assert (message.text, message.thread) == ("answer", parent.ts)
    answer(town, message)
    [*_, last] = town.workspace.thread("C0001", parent.ts)
    assert last.text == "a verdict"


def test_a_message_that_is_gone_is_none(town: Town) -> None:
    sent = town.workspace.post("C0001", "U0WROTE", "oops")
    town.workspace.delete("C0001", sent.ts)
    found = town.slack.fetch("C0001", sent.ts, find_answer=True, seconds_left=plenty)
    assert found is None or found.deleted


@pytest.mark.parametrize("in_thread", [False, True])
def test_its_own_earlier_answer_is_found(town: Town, in_thread: bool) -> None:
    sent = town.workspace.post("C0001", "U0WROTE", "hello")
    if in_thread:
        sent = town.workspace.post("C0001", "U0WROTE", "reply", thread_ts=sent.ts)
    message = fetch(town, sent.ts)
    answer(town, message)
    assert fetch(town, sent.ts).answered
    town.workspace.edit("C0001", sent.ts, "hello, edited")
    assert not fetch(town, sent.ts).answered


def test_an_answer_deep_in_a_long_thread_is_found(town: Town) -> None:
    sent = town.workspace.post("C0001", "U0WROTE", "hello")
    for number in range(450):
        town.workspace.post("C0001", "U0ASKS", f"reply {number}", thread_ts=sent.ts)
    answer(town, fetch(town, sent.ts))
    assert fetch(town, sent.ts).answered


def test_another_apps_metadata_is_not_taken_for_an_answer(town: Town) -> None:
    sent = town.workspace.post("C0001", "U0WROTE", "hello")
    other = fetch(town, sent.ts)
    elsewhere = town.workspace.post("C0001", "U0WROTE", "another message")
    answer(town, fetch(town, elsewhere.ts))
    assert not other.answered
    assert not fetch(town, sent.ts).answered


def test_only_one_person_sees_an_ephemeral_answer(town: Town) -> None:
    town.slack.post_privately("C0001", "U0ASKS", POST, thread=None, seconds_left=plenty)
    [seen] = [one for one in town.workspace.messages("C0001") if one.text == "a verdict"]
    assert seen.only_for == "U0ASKS"


@pytest.mark.parametrize("error", sorted(set(REMEDIES) - {"message_not_found", "thread_not_found"}))
def test_an_error_that_stays_is_refused_with_a_remedy(town: Town, error: str) -> None:
    town.api.faults.add("conversations.replies", Fault(error=error), times=2)
    with pytest.raises(SlackRefusedError, match=error) as caught:
        fetch(town, "1766000000.000100")
    assert caught.value.remedy
    assert TOKEN not in str(caught.value)


@pytest.mark.parametrize(
    ("channel", "error"), [("C0404", "channel_not_found"), ("C0002", "not_in_channel")]
)
def test_a_channel_the_bot_is_not_in_is_refused(town: Town, channel: str, error: str) -> None:
    if channel == "C0002":
        sent = town.workspace.post(channel, "U0WROTE", "hello")
        ts = sent.ts
    else:
        ts = "1766000000.000100"
    with pytest.raises(SlackRefusedError, match=error):
        fetch(town, ts, channel=channel)


def test_a_missing_scope_is_refused(town: Town) -> None:
    sent = town.workspace.post("C0001", "U0WROTE", "hello")
    town.api.grants[TOKEN] = Grant(scopes=frozenset({"chat:write"}))
    with pytest.raises(SlackRefusedError, match="missing_scope"):
        fetch(town, sent.ts)


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (Fault(error="internal_error"), "internal_error"),
        (Fault(error="fatal_error", status=500), "fatal_error"),
        (Fault(error="service_unavailable", status=503), "service_unavailable"),
        (Fault(error="an_error_of_next_year"), "an_error_of_next_year"),
    ],
)
def test_an_error_that_passes_goes_back(town: Town, fault: Fault, reason: str) -> None:
    sent = town.workspace.post("C0001", "U0WROTE", "hello")
    town.api.faults.add("conversations.replies", fault)
    with pytest.raises(TryAgainError) as caught:
        fetch(town, sent.ts)
    assert caught.value.reason == reason
    assert fetch(town, sent.ts).text == "hello"


def test_a_rate_limit_is_waited_for_when_the_time_allows(town: Town) -> None:
    sent = town.workspace.post("C0001", "U0WROTE", "hello")
    town.api.faults.add(
        "conversations.replies", Fault(error="ratelimited", status=429, retry_after=1)
    )
    assert fetch(town, sent.ts).text == "hello"
    assert town.methods().count("conversations.replies") == 2


def test_a_rate_limit_that_outlasts_the_time_goes_back_with_its_delay(town: Town) -> None:
    town.api.faults.add(
        "conversations.replies", Fault(error="ratelimited", status=429, retry_after=40)
    )
    with pytest.raises(TryAgainError) as caught:
        fetch(town, "1766000000.000100")
    assert (caught.value.reason, caught.value.delay) == ("ratelimited", 40)


def test_an_unreachable_slack_goes_back() -> None:
    slack = SlackClient(CachedToken(), "http://127.0.0.1:9/api/")
    with pytest.raises(TryAgainError) as caught:
        slack.fetch("C0001", "1766000000.000100", find_answer=True, seconds_left=plenty)
    assert caught.value.reason == "network"


@pytest.mark.parametrize("status", [200, 502])
def test_an_answer_that_is_no_json_goes_back_and_is_not_shown(
    town: Town, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    async def unreadable(_: Request) -> Response:
        return Response("<html>a private word</html>", status)

    server = Server(Starlette(routes=[Route("/api/{method}", unreadable, methods=["POST"])]))
    server.start()
    slack = SlackClient(town.vault, f"{server.address}/api/")
    with pytest.raises(TryAgainError) as caught:
        slack.fetch("C0001", "1766000000.000100", find_answer=True, seconds_left=plenty)
    server.stop()
    assert caught.value.reason == f"http_{status}"
    assert "a private word" not in str(caught.value) + caplog.text


def test_a_rotated_token_loses_nothing(town: Town) -> None:
    sent = town.workspace.post("C0001", "U0WROTE", "hello")
    town.api.grants[TOKEN] = Grant(revoked=True)
    town.api.grants["xoxb-the-next"] = Grant()
    town.vault.stored = "xoxb-the-next"
    assert fetch(town, sent.ts).text == "hello"


def test_a_revoked_token_is_refused_and_not_shown(town: Town) -> None:
    sent = town.workspace.post("C0001", "U0WROTE", "hello")
    town.api.grants[TOKEN] = Grant(revoked=True)
    with pytest.raises(SlackRefusedError, match="token_revoked") as caught:
        fetch(town, sent.ts)
    assert TOKEN not in repr(caught.value)
