"""How long a short text takes while somebody else leans on the service.

Both are on this machine: the one who leans sends from an address of its own, so to a service
without keys they are different clients.
"""

from __future__ import annotations

import json
import multiprocessing
import random
import re
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx
from rich.table import Table

from benchmarks.percentiles import Latency
from benchmarks.serving.servers import PATH, Server, service

STRANGER = "127.0.0.2"
"""The address of the one who leans: none that the service trusts as a proxy's."""
TEXTS, LENGTH, AT_A_TIME = 128, 7_000, 3
CALLS, CALL_LENGTH = 48, 20_000
"""Of the largest batch in Google's format."""
CONNECTIONS = 200
ENDLESS = 250_000_000
"""Bytes of a header that does not end."""
_PER_SECOND = 20
_HEAD = b"POST %s HTTP/1.1\r\nHost: service\r\n"
_BOUNDARY = "next"
_WORDS = ("you", "are", "a", "really", "stupid", "person", "whom", "nobody", "likes", "today")


@dataclass(frozen=True, slots=True)
class Large:
    """A request that costs as much as the service takes at once.

    Parameters
    ----------
    path
        Where it goes.
    content_type, body
        What it holds.
    """

    path: str
    content_type: str
    body: bytes

    def raw(self) -> bytes:
        """Return it as it is on the wire."""
        head = f"Content-Type: {self.content_type}\r\nContent-Length: {len(self.body)}\r\n\r\n"
        return _HEAD % self.path.encode() + head.encode() + self.body


def texts() -> Large:
    """Return the largest request for verdicts."""
    content = {"texts": _long_texts(TEXTS, LENGTH)}
    return Large(PATH, "application/json", json.dumps(content).encode())


def batch() -> Large:
    """Return the largest batch in Google's format."""
    lines = []
    for text in _long_texts(CALLS, CALL_LENGTH):
        comment = {"comment": {"text": text}, "requestedAttributes": {"TOXICITY": {}}}
        call = ["POST /v1alpha1/comments:analyze HTTP/1.1", "Content-Type: application/json", ""]
        lines += [
            f"--{_BOUNDARY}",
            "Content-Type: application/http",
            "",
            *call,
            json.dumps(comment),
        ]
    content = "\r\n".join([*lines, f"--{_BOUNDARY}--", ""]).encode()
    return Large("/batch", f"multipart/mixed; boundary={_BOUNDARY}", content)


@dataclass(frozen=True, slots=True)
class Pressed:
    """One pressure, and what somebody else had of it.

    Parameters
    ----------
    pressure
        Its name.
    latency
        Of the short texts.
    refused
        Short texts without a verdict.
    memory
        Megabytes that the service holds at its end.
    """

    pressure: str
    latency: Latency
    refused: int
    memory: float


def flood(address: str, large: Callable[[], Large] = texts, *, obedient: bool = True) -> None:
    """Send the largest requests, several at a time.

    Parameters
    ----------
    address
        Of the service.
    large
        Makes such a request.
    obedient
        Whether to wait, when refused, as long as one is told.
    """
    request = large()
    with ThreadPoolExecutor(AT_A_TIME) as executor:
        sending = [
            executor.submit(_send_again_and_again, address, request, obedient)
            for _ in range(AT_A_TIME)
        ]
        for each in sending:
            each.result()


def hang_up(address: str, large: Callable[[], Large] = texts) -> None:
    """Send the largest requests, and hang up at once."""
    request = large().raw()
    while True:
        with _Connections(address, AT_A_TIME) as connections:
            for connection in connections:
                _send(connection, request)
        time.sleep(0.1)


def half_send(address: str) -> None:
    """Hold connections on which a request begins and does not end."""
    while True:
        with _Connections(address, CONNECTIONS) as connections:
            for connection in connections:
                _send(connection, _HEAD % PATH.encode() + b"X-Slow: a")
            time.sleep(15)


def send_endless_headers(address: str) -> None:
    """Send a header that does not end."""
    part = b"a" * 1_000_000
    while True:
        with _Connections(address, 1) as [connection], suppress(OSError):
            connection.sendall(_HEAD % PATH.encode() + b"X-Endless: ")
            for _ in range(ENDLESS // len(part)):
                connection.sendall(part)


_TEXTS = f"{AT_A_TIME} requests of {TEXTS} texts of {LENGTH:,} characters at a time"
_BATCHES = f"{AT_A_TIME} batches of {CALLS} comments of {CALL_LENGTH:,} characters at a time"

PRESSURES: dict[str, Callable[[str], None] | None] = {
    "none": None,
    _TEXTS: flood,
    f"{_TEXTS}, not waiting when refused": partial(flood, obedient=False),
    f"{_TEXTS}, hanging up at once": hang_up,
    _BATCHES: partial(flood, large=batch),
    f"{_BATCHES}, not waiting when refused": partial(flood, large=batch, obedient=False),
    f"{_BATCHES}, hanging up at once": partial(hang_up, large=batch),
    f"{CONNECTIONS} half-sent headers": half_send,
    f"headers of {ENDLESS // 1_000_000} MB": send_endless_headers,
}


def press(model: Path, requests: int, seed: int) -> Iterator[Pressed]:
    """Yield what each pressure does to somebody else, with a new service for each.

    Parameters
    ----------
    model
        The model folder.
    requests
        Short texts that are asked for under each pressure.
    seed
        Of the moments at which they are.
    """
    for name, pressure in PRESSURES.items():
        with service(model) as server, _running(pressure, server.address):
            latencies, refused = _ask(server, requests, random.Random(seed))
            yield Pressed(name, Latency.from_milliseconds(latencies), refused, _memory(server))


def pressure_table(results: list[Pressed]) -> Table:
    """Return the results as a table."""
    table = Table("pressure", "p50 ms", "p99 ms", "longest ms", "refused", "MB")
    for one in results:
        latency = one.latency
        table.add_row(
            one.pressure,
            *(f"{value:.1f}" for value in (latency.p50, latency.p99, latency.longest)),
            str(one.refused),
            f"{one.memory:.0f}",
        )
    return table


class _Connections:
    """Connections from the stranger's address, closed together."""

    def __init__(self, address: str, count: int) -> None:
        url = httpx.URL(address)
        self._to = (url.host, url.port or 80)
        self._count = count
        self._sockets: list[socket.socket] = []

    def __enter__(self) -> list[socket.socket]:
        for _ in range(self._count):
            with suppress(OSError):
                self._sockets.append(socket.create_connection(self._to, 10, (STRANGER, 0)))
        return self._sockets

    def __exit__(self, *_: object) -> None:
        for each in self._sockets:
            each.close()


@contextmanager
def _running(pressure: Callable[[str], None] | None, address: str) -> Iterator[None]:
    if pressure is None:
        yield
        return
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=pressure, args=(address,), daemon=True)
    process.start()
    # Until it has started and all that it does at first is under way.
    time.sleep(5)
    try:
        assert process.is_alive(), "the pressure has ended by itself"
        yield
        assert process.is_alive(), "the pressure has ended by itself"
    finally:
        process.kill()
        process.join()


def _ask(server: Server, requests: int, generator: random.Random) -> tuple[list[float], int]:
    latencies, refused = [], 0
    with httpx.Client(base_url=server.address, timeout=60) as client:
        for number in range(requests):
            time.sleep(generator.expovariate(_PER_SECOND))
            started = time.perf_counter()
            response = client.post(PATH, json={"text": f"you are an idiot {number}"})
            latencies.append((time.perf_counter() - started) * 1e3)
            refused += not response.is_success
    return latencies, refused


def _send_again_and_again(address: str, request: Large, obedient: bool) -> None:
    transport = httpx.HTTPTransport(local_address=STRANGER)
    headers = {"Content-Type": request.content_type}
    with httpx.Client(transport=transport, timeout=60) as client:
        while True:
            response = client.post(
                f"{address}{request.path}", content=request.body, headers=headers
            )
            if obedient:
                time.sleep(told_to_wait(response))


def told_to_wait(response: httpx.Response) -> float:
    """Return the seconds until the service wants more of a client; a batch says so in its parts."""
    told = [response.headers.get("Retry-After", "0")]
    if response.headers["Content-Type"].startswith("multipart/"):
        told += re.findall(r"(?im)^Retry-After: (\d+)", response.text)
    return max(map(float, told))


def _long_texts(count: int, length: int) -> list[str]:
    generator = random.Random(0)
    return [
        " ".join(generator.choices(_WORDS, k=length // 4))[:length].strip() for _ in range(count)
    ]


def _send(connection: socket.socket, data: bytes) -> None:
    with suppress(OSError):
        connection.sendall(data)


def _memory(server: Server) -> float:
    lines = Path(f"/proc/{server.pid}/status").read_text().splitlines()
    [line] = [line for line in lines if line.startswith("VmRSS:")]
    return int(line.split()[1]) / 1024
