"""Clients that take their time shut the HTTP transport for nobody else."""

from __future__ import annotations

import resource
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from statistics import median

import pytest

from tests.http_slack import SECRET
from tests.standalone.test_http_transport import BODY, opened
from toxic_bot.slack.gestures.gesture import Gesture
from toxic_bot.slack.requests.signature import signed_headers
from toxic_bot.slack.settings import SettingsError
from toxic_bot.standalone import http_server
from toxic_bot.standalone.http_server import Limits
from toxic_bot.standalone.http_transport import THREADS
from toxic_bot.standalone.settings import read_connections_per_address

PROMISE = 3.0
"""Seconds for which Slack waits."""

BEGINNINGS = (
    b"",
    b"P",
    b"POST /slack/events HTTP/1.1\r\nHost: bot\r\nX-Slow: ",
    b"POST /slack/events HTTP/1.1\r\nHost: bot\r\nContent-Length: 900000\r\n\r\n{",
    b"POST /slack/events HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
    b"POST /slack/events HTTP/1.1\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01",
    b"\r\n",
)


def connect(at: str, source: str = "127.0.0.1") -> socket.socket:
    port = int(at.rpartition(":")[2])
    return socket.create_connection(("127.0.0.1", port), timeout=60, source_address=(source, 0))


def request(body: bytes = BODY) -> bytes:
    headers = signed_headers(body, SECRET) | {"Host": "bot", "Content-Length": str(len(body))}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"POST /slack/events HTTP/1.1\r\n{lines}\r\n".encode() + body


def ask(connection: socket.socket) -> bytes:
    """Send a signed reaction, and return the response's first line."""
    connection.sendall(request())
    response = b""
    while not response.endswith(b"queued") and (received := connection.recv(65536)):
        response += received
    return response.partition(b"\r\n")[0]


def seconds_of_an_answer(at: str, source: str) -> float:
    began = time.monotonic()
    with connect(at, source) as honest:
        assert ask(honest) == b"HTTP/1.1 200 OK"
    return time.monotonic() - began


def is_closed(connection: socket.socket, seconds: float = 20) -> bool:
    """Report whether the server closes a connection."""
    connection.settimeout(seconds)
    try:
        while connection.recv(65536):
            pass
    except TimeoutError:
        return False
    except OSError:
        return True
    return True


@contextmanager
def slow_clients(at: str, count: int) -> Iterator[list[socket.socket]]:
    """Open connections over which requests begin and do not end."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 2 * count + 500:
        pytest.skip("the machine allows a process too few open files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2 * count + 500), hard))
    with ExitStack() as stack:
        clients = []
        for number in range(count):
            client = stack.enter_context(connect(at, f"127.0.{number % 7}.{1 + number % 200}"))
            with suppress(OSError):
                client.sendall(BEGINNINGS[number % len(BEGINNINGS)])
            clients.append(client)
        yield clients
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.slow
@pytest.mark.parametrize("from_one_address", [100, 5000], ids=["limited", "behind-a-proxy"])
def test_a_signed_reaction_is_answered_in_time_while_a_thousand_clients_hang(
    from_one_address: int,
) -> None:
    safe: list[Gesture] = []
    with opened(safe.append, Limits(from_one_address)) as at, slow_clients(at, 1200) as clients:
        ended = threading.Event()

        def dribble() -> None:
            while not ended.wait(0.02):
                for client in clients:
                    with suppress(OSError):
                        client.send(b"x", socket.MSG_DONTWAIT)

        dribbling = threading.Thread(target=dribble)
        dribbling.start()
        try:
            # A busy machine may hold up one; hanging clients would hold up all.
            assert median(seconds_of_an_answer(at, "127.0.0.1") for _ in range(5)) < PROMISE
        finally:
            ended.set()
            dribbling.join()
    assert len(safe) == 5


@pytest.mark.slow
def test_clients_that_come_back_whenever_they_are_closed_keep_nobody_out() -> None:
    safe: list[Gesture] = []
    ended = threading.Event()

    def hang(at: str) -> None:
        held: list[socket.socket] = []
        while not ended.is_set():
            with suppress(OSError):
                held.append(connect(at))
                held[-1].sendall(BEGINNINGS[2])
            if len(held) > 300:
                held.pop(0).close()
        for one in held:
            one.close()

    with opened(safe.append, Limits(100, in_all=150)) as at:
        hanging = [threading.Thread(target=hang, args=[at]) for _ in range(2)]
        for one in hanging:
            one.start()
        try:
            assert median(seconds_of_an_answer(at, "127.0.0.9") for _ in range(20)) < PROMISE
        finally:
            ended.set()
            for one in hanging:
                one.join()
    assert len(safe) == 20


@pytest.mark.slow
def test_more_complete_requests_than_are_taken_wait_and_are_all_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_server, "MAX_COMPLETE", 10)
    may_end = threading.Event()

    def put(gesture: Gesture) -> None:  # noqa: ARG001 - whatever it is
        assert may_end.wait(60)

    with opened(put, Limits(100, in_all=20)) as at, ExitStack() as stack:
        many = []
        for _ in range(200):
            many.append(stack.enter_context(connect(at)))
            many[-1].sendall(request())
        may_end.set()
        for one in many:
            assert one.recv(65536).startswith(b"HTTP/1.1 200 OK")


@pytest.mark.parametrize("beginning", BEGINNINGS[1:7], ids=range(1, 7))
def test_a_request_that_is_not_complete_in_time_is_dropped(
    beginning: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HEADER_TIMEOUT", "BODY_TIMEOUT", "SWEEP_INTERVAL"):
        monkeypatch.setattr(http_server, name, 0.1)
    with opened(lambda _: None) as at, connect(at) as slow:
        slow.sendall(beginning)
        ended = threading.Event()

        def dribble() -> None:
            while not ended.wait(0.02):
                with suppress(OSError):
                    slow.send(b"a")

        dribbling = threading.Thread(target=dribble)
        dribbling.start()
        closed = is_closed(slow)
        ended.set()
        dribbling.join()
    assert closed


def test_empty_lines_keep_no_connection_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "IDLE_TIMEOUT", 0.3)
    monkeypatch.setattr(http_server, "SWEEP_INTERVAL", 0.05)
    with opened(lambda _: None) as at, connect(at) as slow:
        end = time.monotonic() + 20
        with suppress(OSError):
            while time.monotonic() < end:
                slow.sendall(b"\r\n")
                time.sleep(0.02)
        assert time.monotonic() < end


@pytest.mark.slow
def test_a_connection_stays_open_between_two_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "HEADER_TIMEOUT", 0.1)
    monkeypatch.setattr(http_server, "BODY_TIMEOUT", 0.1)
    monkeypatch.setattr(http_server, "SWEEP_INTERVAL", 0.02)
    with opened(lambda _: None) as at, connect(at) as proxy:
        for _ in range(3):
            assert ask(proxy) == b"HTTP/1.1 200 OK"
            time.sleep(0.3)


def test_more_connections_from_one_address_cost_nobody_elses() -> None:
    with opened(lambda _: None, Limits(5)) as at, ExitStack() as stack:
        other = stack.enter_context(connect(at, "127.0.0.2"))
        assert ask(other) == b"HTTP/1.1 200 OK"
        many = [stack.enter_context(connect(at, "127.0.0.3")) for _ in range(20)]
        assert all(is_closed(one) for one in many[:15])
        assert not any(is_closed(one, 0.05) for one in many[15:])
        assert ask(other) == b"HTTP/1.1 200 OK"


def test_a_request_that_is_being_answered_makes_room_for_nobody() -> None:
    may_end = threading.Event()

    def put(gesture: Gesture) -> None:  # noqa: ARG001 - whatever it is
        assert may_end.wait(60)

    with opened(put, Limits(2)) as at, ExitStack() as stack:
        busy = []
        for _ in range(3 * THREADS):
            busy.append(stack.enter_context(connect(at)))
            busy[-1].sendall(request())
        idle = [stack.enter_context(connect(at)) for _ in range(10)]
        assert all(is_closed(one) for one in idle[:8])
        may_end.set()
        for one in busy:
            assert one.recv(65536).startswith(b"HTTP/1.1 200 OK")


def test_a_clock_that_jumps_drops_no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "SWEEP_INTERVAL", 0.02)
    with opened(lambda _: None) as at, connect(at) as proxy:
        assert ask(proxy) == b"HTTP/1.1 200 OK"
        real = time.time
        for jump in (1e6, -1e6):
            with monkeypatch.context() as jumped:
                jumped.setattr("time.time", lambda: real() + jump)  # noqa: B023 - used here
                time.sleep(0.2)
        assert ask(proxy) == b"HTTP/1.1 200 OK"


def test_as_many_connections_are_taken_as_files_may_be_open() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (300, before[1]))
        assert http_server._files() == http_server.MAX_CONNECTIONS
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] >= 1300
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.parametrize("value", ["0", "-1", "many", "1.5", "²", "9999999"])
def test_a_limit_that_is_no_number_is_named(value: str) -> None:
    with pytest.raises(SettingsError, match="CONNECTIONS_PER_ADDRESS"):
        read_connections_per_address({"CONNECTIONS_PER_ADDRESS": value})


def test_the_limit_for_one_address_can_be_set() -> None:
    assert read_connections_per_address({}) == 100
    assert read_connections_per_address({"CONNECTIONS_PER_ADDRESS": "7"}) == 7
