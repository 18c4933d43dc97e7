"""Ports for servers, and the reason when a server does not start."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from simulators import LocalError
from simulators.process import HOST, ServerProcess, free_port

LOWEST_EPHEMERAL_PORT = 32768
"""Linux assigns outgoing connections ports from this one up; other systems start higher."""


def test_each_free_port_is_returned_once() -> None:
    ports = [free_port() for _ in range(500)]
    assert len(set(ports)) == len(ports)


def test_a_port_in_use_is_not_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    taken, free = free_port(), free_port()
    monkeypatch.setattr("simulators.process._ports", iter((taken, free)))
    with socket.socket() as server:
        server.bind((HOST, taken))
        server.listen()
        assert free_port() == free


def test_free_ports_are_below_the_range_for_outgoing_connections() -> None:
    assert max(free_port() for _ in range(500)) < LOWEST_EPHEMERAL_PORT


@pytest.mark.parametrize(
    "output", ["no such model", "no such model\npanic: oh\n\ngoroutine 5 [running]:\n\tx.go:1 +0x8"]
)
def test_a_server_that_exits_during_startup_is_reported_with_the_reason(
    tmp_path: Path, output: str
) -> None:
    server = ServerProcess(
        [sys.executable, "-c", f"print({output!r})"],
        port=free_port(),
        log=tmp_path / "log",
        environment={},
        folder=tmp_path,
    )
    with pytest.raises(LocalError, match=r"exited during startup: no such model$"):
        server.wait_until_listening()
