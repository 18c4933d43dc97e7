"""Clients that send too many, too large or too slow headers, or open too many connections."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import pytest

from tests.service.conftest import serving
from toxic_bot.service.listener import Listener
from toxic_bot.service.settings import ServiceSettings

STRANGER = "127.0.0.2"
"""An address that is not trusted as a proxy's."""
FEW = 8
HEAD = b"POST /v1/verdicts HTTP/1.1\r\nHost: service\r\n"
WHOLE = HEAD + b'Content-Type: application/json\r\nContent-Length: 14\r\n\r\n{"text": "hi"}'


@pytest.fixture(scope="module")
def impatient(model_folder: Path) -> Iterator[str]:
    """The address of a service that waits half a second for headers."""
    settings = ServiceSettings(model=model_folder, connections=FEW, header_timeout=0.5)
    with Listener(settings) as listener:
        yield listener.address


@pytest.fixture(scope="module")
def patient(model_folder: Path) -> Iterator[str]:
    """The address of a service that waits for headers longer than any test."""
    settings = ServiceSettings(model=model_folder, connections=FEW, header_timeout=600)
    with Listener(settings) as listener:
        yield listener.address


def connect(address: str, source: str = STRANGER) -> socket.socket:
    url = httpx.URL(address)
    return socket.create_connection((url.host, url.port or 0), 30, source_address=(source, 0))


def response_to(connection: socket.socket) -> bytes:
    """Return all that the service sends until it closes the connection."""
    received = b""
    # A connection that is closed while data is on its way is reset.
    with suppress(ConnectionError):
        while part := connection.recv(65536):
            received += part
    return received


def send(connection: socket.socket, data: bytes) -> None:
    with suppress(ConnectionError):
        connection.sendall(data)


@pytest.mark.parametrize(
    "beginning",
    [b"", b"\r\n", b"P", HEAD, HEAD + b"X-Slow: a"],
    ids=["nothing", "an empty line", "one letter", "no end", "half a header"],
)
@pytest.mark.slow
def test_headers_that_do_not_arrive_are_given_up(impatient: str, beginning: bytes) -> None:
    with connect(impatient) as connection:
        connection.sendall(beginning)
        assert response_to(connection).startswith(b"HTTP/1.1 408 ")


def test_a_header_a_moment_does_not_keep_a_request_going(impatient: str) -> None:
    with connect(impatient) as connection:
        connection.sendall(HEAD)
        connection.settimeout(0.05)
        response, deadline = b"", time.monotonic() + 30
        while not response and time.monotonic() < deadline:
            send(connection, b"X-Slow: a\r\n")
            with suppress(TimeoutError):
                response = connection.recv(65536)
        assert response.startswith(b"HTTP/1.1 408 ")


def test_a_second_request_has_as_little_time(impatient: str) -> None:
    with connect(impatient) as connection:
        connection.sendall(WHOLE)
        assert connection.recv(65536).startswith(b"HTTP/1.1 200 ")
        connection.sendall(HEAD)
        assert b"HTTP/1.1 408 " in response_to(connection)


@pytest.mark.parametrize(
    "much",
    [
        HEAD + b"X-Large: " + b"a" * 40_000 + b"\r\n\r\n",
        HEAD + b"X-Endless: " + b"a" * 900_000,
        HEAD + b"X-Many: a\r\n" * 101 + b"\r\n",
        b"GET /healthz?" + b"a" * 40_000 + b" HTTP/1.1\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\nX-Trailer: " + b"a" * 900_000,
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n5;" + b"a" * 900_000,
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n" + b"X-Trailer: a\r\n" * 200,
    ],
    ids=["large", "endless", "many", "address", "trailer", "chunk", "trailers"],
)
def test_too_much_besides_the_body_is_refused_before_it_is_all_there(
    patient: str, much: bytes
) -> None:
    with connect(patient) as connection:
        send(connection, much)
        assert response_to(connection)[:13] in (b"HTTP/1.1 431 ", b"")


def test_what_is_refused_says_why_in_one_line(patient: str) -> None:
    with connect(patient) as connection:
        connection.sendall(HEAD + b"X-Many: a\r\n" * 101 + b"\r\n")
        head, _, body = response_to(connection).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 431 Request Header Fields Too Large\r\n")
    assert b"more than 100 headers" in body


def test_strangers_cannot_fill_the_log(patient: str, caplog: pytest.LogCaptureFixture) -> None:
    upgrade = b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
    for sent in (b"nonsense\r\n\r\n", b"GET /healthz HTTP/1.1\r\nHost: service\r\n" + upgrade):
        with connect(patient) as connection:
            connection.sendall(sent)
            assert connection.recv(65536).startswith(b"HTTP/1.1 ")
    assert caplog.records == []


@pytest.mark.slow
def test_customary_headers_and_large_bodies_in_pieces_are_taken(patient: str) -> None:
    body = b'{"text": "hi"' + b" " * 600_000 + b"}"
    head = HEAD + b"Content-Type: application/json\r\nCookie: " + b"a" * 8_000 + b"\r\n"
    with connect(patient) as connection:
        # The first packet ends within a header, and the last header comes with the body.
        connection.sendall(head[:5_000])
        time.sleep(0.05)
        connection.sendall(
            head[5_000:] + b"Content-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body
        )
        assert connection.recv(65536).startswith(b"HTTP/1.1 200 ")


def test_requests_that_are_piled_up_on_one_connection_are_refused(patient: str) -> None:
    with connect(patient) as connection:
        send(connection, WHOLE * 2_000)
        assert response_to(connection).count(b"HTTP/1.1 200 ") <= 32


def test_an_address_takes_no_connection_from_another(patient: str) -> None:
    with ExitStack() as stack:
        idle = [stack.enter_context(connect(patient)) for _ in range(3 * FEW)]
        for connection in idle:
            send(connection, HEAD)
        with connect(patient, "127.0.0.3") as other:
            other.sendall(WHOLE)
            assert other.recv(65536).startswith(b"HTTP/1.1 200 ")
        # The oldest of the stranger's own made room.
        for connection in idle[: 2 * FEW]:
            assert response_to(connection) == b""
        newest = idle[-1]
        send(newest, WHOLE.removeprefix(HEAD))
        assert newest.recv(65536).startswith(b"HTTP/1.1 200 ")


def test_a_trusted_proxy_may_open_as_many_as_it_needs(patient: str) -> None:
    with ExitStack() as stack:
        opened = [stack.enter_context(connect(patient, "127.0.0.1")) for _ in range(3 * FEW)]
        for connection in opened:
            connection.sendall(WHOLE)
            assert connection.recv(65536).startswith(b"HTTP/1.1 200 ")


@pytest.mark.slow
def test_an_endless_header_takes_no_memory() -> None:
    with serving() as (address, process):
        before = resident(process.pid)
        for _ in range(4):
            with connect(address) as connection:
                send(connection, HEAD + b"X-Endless: " + b"a" * 60_000_000)
                assert response_to(connection)[:13] in (b"HTTP/1.1 431 ", b"")
        assert httpx.get(f"{address}/healthz").status_code == 200
        assert resident(process.pid) - before < 40_000_000


def resident(pid: int) -> int:
    [line] = [
        line
        for line in Path(f"/proc/{pid}/status").read_text().splitlines()
        if line.startswith("VmRSS")
    ]
    return int(line.split()[1]) * 1024
