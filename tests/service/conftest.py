"""A service, as a user starts it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.cli.command import started


@contextmanager
def serving(*arguments: str) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Run ``toxic-bot serve`` on any free port; yield its address and its process."""
    with started("serve", "--port", "0", *arguments, stderr=subprocess.STDOUT) as process:
        assert process.stdout is not None
        line = process.stdout.readline().decode()
        [address] = re.findall(r"^Serving verdicts at (http://\S+) until", line) or [line]
        yield address, process


@pytest.fixture(scope="session")
def address(model_folder: Path) -> Iterator[str]:
    """The address of a service that lets everybody in."""
    with serving("--model", str(model_folder)) as (address, _):
        yield address


@pytest.fixture
def client(address: str) -> Iterator[httpx.Client]:
    """A client of that service."""
    with httpx.Client(base_url=address, timeout=30) as client:
        yield client
