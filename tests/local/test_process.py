"""Servers get a port that stays theirs, and say why they did not start."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from local import LocalError
from local.process import HOST, ServerProcess, free_port

# Linux gives outgoing connections ports from here on, other systems higher ones.
LOWEST_OUTGOING = 32768


def test_a_port_is_given_once() -> None:
    ports = [free_port() for _ in range(500)]
    assert len(set(ports)) == len(ports)


def test_a_port_that_a_server_has_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    taken, free = free_port(), free_port()
    monkeypatch.setattr("local.process._ports", iter((taken, free)))
    with socket.socket() as server:
        server.bind((HOST, taken))
        server.listen()
        assert free_port() == free


def test_no_outgoing_connection_can_take_a_port_before_its_server_does() -> None:
    assert max(free_port() for _ in range(500)) < LOWEST_OUTGOING


@pytest.mark.parametrize(
    "said", ["no such model", "no such model\npanic: oh\n\ngoroutine 5 [running]:\n\tx.go:1 +0x8"]
)
def test_a_server_that_ends_while_it_starts_says_why(tmp_path: Path, said: str) -> None:
    server = ServerProcess(
        [sys.executable, "-c", f"print({said!r})"],
        port=free_port(),
        log=tmp_path / "log",
        environment={},
        folder=tmp_path,
    )
    with pytest.raises(LocalError, match=r"ended while it started: no such model$"):
        server.wait_until_listening()
