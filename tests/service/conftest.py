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
from toxic_bot.service.keys import hash_key, new_key


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


@pytest.fixture(scope="module")
def key() -> str:
    return new_key("forum")[0]


@pytest.fixture(scope="module")
def locked(key: str, model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a service with one key, which may have 130 texts judged a minute."""
    file = tmp_path_factory.mktemp("keys") / "keys.txt"
    file.write_text(f"forum sha256:{hash_key(key)} 130  # the forum\n")
    with serving("--model", str(model_folder), "--keys", str(file)) as (address, _):
        yield address
