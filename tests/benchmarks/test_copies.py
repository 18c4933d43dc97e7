"""The copies of the bot that a soak kills and starts again."""

from __future__ import annotations

import socket
import time
from pathlib import Path

import pytest

from benchmarks.soak.copies import Copies, started
from simulators import LocalError
from simulators.process import HOST, free_port, inherited_environment


def wait_for_the_end(copies: Copies) -> None:
    while copies._processes[0].running:
        time.sleep(0.02)


def test_a_copy_that_ends_is_started_again_unless_its_port_is_taken(tmp_path: Path) -> None:
    port = free_port()
    command = ["no such command"]
    with started([(command, port)], inherited_environment(), tmp_path) as copies:
        wait_for_the_end(copies)
        copies.revive()
        assert copies.deaths == 1
        wait_for_the_end(copies)
        taken = pytest.raises(LocalError, match=f"another program has taken port {port}")
        with socket.create_server((HOST, port)), taken:
            copies.revive()
        assert copies.deaths == 1
