"""How long a short text takes while somebody else leans on the service.

Both are on this machine: the one who leans sends from an address of its own, so to a service
without keys they are different clients.
"""

from __future__ import annotations

import json
import multiprocessing
import random
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
from rich.table import Table

from benchmarks.percentiles import Latency
from benchmarks.serving.servers import PATH, Server, service

STRANGER = "127.0.0.2"
"""The address of the one who leans: none that the service trusts as a proxy's."""
TEXTS, LENGTH, AT_A_TIME = 128, 7_000, 3
CONNECTIONS = 200
ENDLESS = 250_000_000
"""Bytes of a header that does not end."""
_PER_SECOND = 20
_HEAD = b"POST /v1/verdicts HTTP/1.1\r\nHost: service\r\n"
_WORDS = ("you", "are", "a", "really", "stupid", "person", "whom", "nobody", "likes", "today")


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


def flood(address: str) -> None:
    """Send the largest requests, several at a time; when refused, wait as long as one is told."""
    _flood(address, obedient=True)


def flood_on(address: str) -> None:
    """Send the largest requests, several at a time, and do not wait when refused."""
    _flood(address, obedient=False)


def hang_up(address: str) -> None:
    """Send the largest requests, and hang up at once."""
    request = _large_request()
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
                _send(connection, _HEAD + b"X-Slow: a")
            time.sleep(15)


def send_endless_headers(address: str) -> None:
    """Send a header that does not end."""
    part = b"a" * 1_000_000
    while True:
        with _Connections(address, 1) as [connection], suppress(OSError):
            connection.sendall(_HEAD + b"X-Endless: ")
            for _ in range(ENDLESS // len(part)):
                connection.sendall(part)


PRESSURES: dict[str, Callable[[str], None] | None] = {
    "none": None,
    f"{AT_A_TIME} requests of {TEXTS} texts of {LENGTH:,} characters, again and again": flood,
    "the same, without waiting when refused": flood_on,
    "the same, hanging up at once": hang_up,
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


def _flood(address: str, *, obedient: bool) -> None:
    body = _large_body()
    with ThreadPoolExecutor(AT_A_TIME) as executor:
        sending = [
            executor.submit(_send_again_and_again, address, body, obedient)
            for _ in range(AT_A_TIME)
        ]
        for each in sending:
            each.result()


def _send_again_and_again(address: str, body: bytes, obedient: bool) -> None:
    transport = httpx.HTTPTransport(local_address=STRANGER)
    headers = {"Content-Type": "application/json"}
    with httpx.Client(transport=transport, timeout=60) as client:
        while True:
            response = client.post(f"{address}{PATH}", content=body, headers=headers)
            if obedient and not response.is_success:
                time.sleep(float(response.headers["Retry-After"]))


def _large_body() -> bytes:
    generator = random.Random(0)
    texts = [
        " ".join(generator.choices(_WORDS, k=LENGTH // 4))[:LENGTH].strip() for _ in range(TEXTS)
    ]
    return json.dumps({"texts": texts}).encode()


def _large_request() -> bytes:
    body = _large_body()
    head = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return _HEAD + head.encode() + body


def _send(connection: socket.socket, data: bytes) -> None:
    with suppress(OSError):
        connection.sendall(data)


def _memory(server: Server) -> float:
    lines = Path(f"/proc/{server.pid}/status").read_text().splitlines()
    [line] = [line for line in lines if line.startswith("VmRSS:")]
    return int(line.split()[1]) / 1024
