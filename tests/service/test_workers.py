"""``toxic-bot serve --workers``: several processes that are one service to their clients."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.cli.command import descendants, is_alive, run
from tests.service.conftest import serving
from toxic_bot.service.keys import hash_key, new_key

pytestmark = pytest.mark.slow

RATE = 140
WORKERS = 2


@pytest.fixture(scope="module")
def key() -> str:
    return new_key("forum")[0]


@pytest.fixture(scope="module")
def other_key() -> str:
    return new_key("chat")[0]


@pytest.fixture(scope="module")
def workers(
    key: str, other_key: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, int]]:
    """The address of a service in two processes, and the process that started them."""
    file = tmp_path_factory.mktemp("keys") / "keys.txt"
    file.write_text(
        f"forum sha256:{hash_key(key)} {RATE}\nchat sha256:{hash_key(other_key)} {RATE}\n"
    )
    with serving("--workers", str(WORKERS), "--keys", str(file)) as (address, process):
        yield address, process.pid
        process.send_signal(signal.SIGTERM)
        assert process.wait(120) == 143
        assert process.stdout is not None
        assert process.stdout.read() == b""


def ask(address: str, key: str, **body: object) -> httpx.Response:
    # A new connection each time, so that any process may answer.
    headers = {"Authorization": f"Bearer {key}"}
    return httpx.post(f"{address}/v1/verdicts", json=body, headers=headers, timeout=90)


def listening(pid: int) -> set[int]:
    """Return the processes under ``pid`` that hold the model."""
    return {child for child in descendants(pid) if b"spawn_main" in command_line(child)}


def command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@pytest.mark.long
def test_processes_share_a_keys_rate_and_count_together(workers: tuple[str, int], key: str) -> None:
    address, pid = workers
    started = time.monotonic()
    statuses = [ask(address, key, texts=["hello there"] * 10).status_code for _ in range(24)]
    refilled = (time.monotonic() - started) * RATE / 60
    assert 14 <= statuses.count(200) <= 14 + refilled // 10 + 1
    assert statuses.count(429) == len(statuses) - statuses.count(200)
    counted = httpx.get(f"{address}/metrics", headers={"X-Goog-Api-Key": key}).text
    [judged] = re.findall(r'toxic_bot_texts_total\{verdict="fine"\} (\S+)', counted)
    assert float(judged) >= 10 * statuses.count(200)
    assert len(listening(pid)) == WORKERS


@pytest.mark.long
def test_a_process_that_dies_is_replaced(workers: tuple[str, int], other_key: str) -> None:
    address, pid = workers
    assert ask(address, other_key, text="hello").status_code == 200
    victim, *others = listening(pid)
    os.kill(victim, signal.SIGKILL)
    deadline = time.monotonic() + 90
    while victim in listening(pid) or len(listening(pid)) < WORKERS:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert set(others) <= listening(pid)
    assert ask(address, other_key, text="hello").status_code == 200


@pytest.mark.long
def test_a_process_that_dies_while_it_is_checked_is_replaced_before_the_check_times_out(
    workers: tuple[str, int], other_key: str
) -> None:
    address, pid = workers
    assert ask(address, other_key, text="hello").status_code == 200
    victim, *_ = listening(pid)
    os.kill(victim, signal.SIGSTOP)
    time.sleep(2)  # processes are checked twice a second, and this one does not answer
    os.kill(victim, signal.SIGKILL)
    deadline = time.monotonic() + 40  # the check alone times out after a minute
    while victim in listening(pid) or len(listening(pid)) < WORKERS:
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.long
def test_new_processes_have_the_new_keys_and_the_old_rates(key: str, tmp_path: Path) -> None:
    file = tmp_path / "keys.txt"
    line = f"forum sha256:{hash_key(key)} {RATE}\n"
    file.write_text(line)
    other, other_line = new_key("chat")
    with serving("--workers", str(WORKERS), "--keys", str(file)) as (address, process):
        # More than the rate allows in minutes; a slow machine may not judge it in time.
        ask(address, key, texts=["one more sentence about the weather " * 200] * 40)
        before = listening(process.pid)
        file.write_text(line + other_line)
        process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + 90
        while before & listening(process.pid) or len(listening(process.pid)) < WORKERS:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert ask(address, other, text="hello").status_code == 200
        assert ask(address, key, text="hello").status_code == 429


@pytest.mark.long
def test_when_the_first_process_is_killed_the_others_end(model_folder: Path) -> None:
    with serving("--workers", "2", "--model", str(model_folder)) as (address, process):
        assert (
            httpx.post(f"{address}/v1/verdicts", json={"text": "hi"}, timeout=90).status_code == 200
        )
        children = listening(process.pid)
        assert children
        process.kill()
        process.wait()
        deadline = time.monotonic() + 60
        while any(is_alive(child) for child in children):
            assert time.monotonic() < deadline
            time.sleep(0.1)


def test_a_model_that_cannot_be_loaded_is_told_once(tmp_path: Path) -> None:
    result = run("serve", "--port", "0", "--workers", "2", "--model", str(tmp_path))
    assert result.returncode == 1
    [line] = result.stderr.splitlines()
    assert "config.json" in line
