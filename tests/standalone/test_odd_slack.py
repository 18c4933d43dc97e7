"""No frame and no answer of Slack's leaves the Socket Mode bot deaf.

``FRAMES=100000 ANSWERS=10000 SEED=1 pytest tests/standalone/test_odd_slack.py`` generates more of
them than the suite does.
"""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import repeat
from typing import Any

import pytest

from handler.settings import BotSettings
from handler.slack.gestures import Gesture
from standalone import socket_connection
from standalone.socket_door import SocketDoor
from tests.handler.slack.test_events import CALLBACK
from tests.socket_mode import wait_for
from tests.standalone.odd_slack import (
    CANARY,
    Frame,
    Generator,
    OddSlack,
    envelope,
    odd_slack,
)

FRAMES = int(os.environ.get("FRAMES", "3000"))
ANSWERS = int(os.environ.get("ANSWERS", "300"))
SEED = int(os.environ.get("SEED", "20261124"))
LAST = "the-last-one"


@pytest.fixture
def slack(monkeypatch: pytest.MonkeyPatch) -> Iterator[OddSlack]:
    monkeypatch.setattr(socket_connection, "MIN_PAUSE", 0.01)
    monkeypatch.setattr(socket_connection, "MAX_PAUSE", 0.01)
    with odd_slack() as slack:
        yield slack


@contextmanager
def opened(
    slack: OddSlack, put: Callable[[Gesture], None] = lambda _: None
) -> Iterator[SocketDoor]:
    settings = BotSettings.from_environment({"SLACK_API_URL": slack.environment_url})
    door = SocketDoor("xapp-1", settings, lambda *_: False, put)
    door.open()
    try:
        wait_for(lambda: slack.opened > 0)
        yield door
    finally:
        door.close()


def reaction(event_id: str) -> dict[str, Any]:
    return CALLBACK | {"event_id": event_id}


def plain(envelope_id: str, event_id: str = "EvLAST") -> str:
    return json.dumps(envelope(reaction(event_id), envelope_id=envelope_id))


def report(capsys: pytest.CaptureFixture[str], figures: str) -> None:
    """Print what happened, for whoever asked for more than the suite does."""
    if "SEED" in os.environ:
        with capsys.disabled():
            print(f"seed {SEED}: {figures}, and the next reaction was heard")


def hears(slack: OddSlack, safe: list[Gesture]) -> bool:
    """Report whether a plain reaction is still made safe and acknowledged."""
    # As Slack does, it is sent again over the next connection where one has just broken.
    for attempt in range(20):
        slack.send(iter([plain(f"{LAST}-{attempt}")]))
        end = time.monotonic() + 5
        while time.monotonic() < end:
            if f"{LAST}-{attempt}" in slack.acknowledged:
                return "EvLAST" in {one.event_id for one in safe}
            time.sleep(0.01)
    return False


NESTED = json.loads('{"a":' * 900 + "1" + "}" * 900)


@pytest.mark.parametrize(
    ("frame", "is_acknowledged"),
    [
        ("[]", False),
        ("null", False),
        ("17", False),
        (json.dumps(CANARY), False),
        (CANARY, False),
        ("", False),
        (b"\x00\xff", False),
        ("[" * 100_000, False),
        ("9" * 10_000, False),
        ('{"type": NaN}', False),
        (json.dumps(envelope(envelope_id=None)), False),
        (json.dumps(envelope(envelope_id=["e1"])), False),
        (json.dumps(envelope(type="telegram")), True),
        (json.dumps(envelope(type={"a": 1})), True),
        (json.dumps(envelope(type=None)), True),
        (json.dumps({"envelope_id": "e1"}), True),
        (json.dumps(envelope([CANARY])), True),
        (json.dumps(envelope(CANARY)), True),
        (json.dumps(envelope(None)), True),
        (json.dumps(envelope(float("nan"))), True),
        (json.dumps(envelope({})), True),
        (json.dumps(envelope(NESTED)), True),
        (json.dumps(envelope(CALLBACK | {"event": "\ud800"})), True),
        (json.dumps(envelope({"text": CANARY}, type="slash_commands")), True),
        (json.dumps(envelope({"type": ["x"]}, type="interactive")), True),
    ],
    ids=lambda value: str(value)[:30] if not isinstance(value, bool) else "",
)
def test_an_odd_frame_is_acknowledged_if_it_can_be_and_the_next_reaction_is_heard(
    slack: OddSlack,
    frame: str | bytes,
    is_acknowledged: bool,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    safe: list[Gesture] = []
    with opened(slack, safe.append) as door:
        slack.send(iter([frame]))
        assert hears(slack, safe)
        assert door.is_kept
    assert ("e1" in slack.acknowledged) is is_acknowledged
    assert slack.opened == 1
    assert "refused" in caplog.text
    assert CANARY not in caplog.text + "".join(capsys.readouterr())


@pytest.mark.parametrize("size", [2**20 + 1, 10_000_000])
def test_a_frame_that_is_too_large_costs_its_connection_and_nothing_else(
    slack: OddSlack, size: int
) -> None:
    safe: list[Gesture] = []
    with opened(slack, safe.append):
        slack.send(iter(["x" * size]))
        wait_for(lambda: slack.opened == 2)
        assert hears(slack, safe)


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"\x16\x03\x01",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]",
        b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnull",
        b'HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{"ok":true}',
        b'HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{"ok":true,"url":[1]}',
        b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + b"[" * 5000,
        b"HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy",
        b"HTTP/1.1 429 Slow\r\nRetry-After: 0\r\nContent-Length: 2\r\n\r\n{}",
        b'HTTP/1.1 200 OK\r\nContent-Length: 28\r\n\r\n{"ok":true,"url":"ws://[::"}',
    ],
    ids=range(11),
)
def test_an_odd_answer_is_asked_for_again_and_the_next_reaction_is_heard(
    slack: OddSlack, answer: bytes
) -> None:
    safe: list[Gesture] = []
    with opened(slack, safe.append):
        slack.answers = iter([answer])
        slack.drop()
        wait_for(lambda: slack.opened == 2)
        assert hears(slack, safe)


def test_a_connection_over_which_nobody_speaks_is_left(
    slack: OddSlack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket_connection, "HELLO_TIMEOUT", 0.1)
    safe: list[Gesture] = []
    slack.greets = False
    with opened(slack, safe.append) as door:
        wait_for(lambda: slack.opened >= 3)
        assert not door.is_open
        slack.greets = True
        assert hears(slack, safe)


@pytest.mark.slow
def test_a_server_that_sends_and_never_reads_is_left(
    slack: OddSlack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket_connection, "SEND_TIMEOUT", 1.0)
    safe: list[Gesture] = []
    slack.reads = False
    with opened(slack, safe.append):
        # Their acknowledgments fill all buffers on the way.
        slack.send(iter([plain("e" * 500_000)] * 60))
        wait_for(lambda: slack.opened == 2, timeout=60)
        slack.reads = True
        assert hears(slack, safe)


def test_a_server_that_takes_connections_and_never_answers_is_left(
    slack: OddSlack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket_connection, "OPEN_TIMEOUT", 0.2)
    safe: list[Gesture] = []
    with socket.create_server(("127.0.0.1", 0)) as mute, opened(slack, safe.append):
        body = json.dumps({"ok": True, "url": f"ws://127.0.0.1:{mute.getsockname()[1]}"})
        answer = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
        slack.answers = iter([answer, answer])
        slack.drop()
        wait_for(lambda: slack.opened == 2)
        assert hears(slack, safe)


def test_connections_that_break_at_once_are_opened_ever_more_rarely(
    slack: OddSlack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket_connection, "MAX_PAUSE", 3600.0)
    pauses: list[float] = []

    def note(seconds: float) -> bool:
        pauses.append(seconds)
        return False

    with opened(slack) as door:
        monkeypatch.setattr(door._connection._closing, "wait", note)
        slack.send(repeat(lambda one: one.close(1013)))
        wait_for(lambda: len(pauses) >= 12)
        assert pauses[11] > 100 * pauses[1] > 0


def test_generated_frames_leave_the_bot_hearing(
    slack: OddSlack, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    generator = Generator(SEED)
    sent = 0

    def frames() -> Iterator[Frame]:
        nonlocal sent
        for _ in range(FRAMES):
            yield generator.frame()
            sent += 1

    safe: list[Gesture] = []
    with opened(slack, safe.append) as door:
        slack.send(frames())
        wait_for(lambda: sent == FRAMES or not door.is_kept, timeout=60 + FRAMES / 50)
        assert hears(slack, safe)
        assert door.is_kept
    assert CANARY not in caplog.text + "".join(capsys.readouterr())
    report(
        capsys,
        f"{sent} frames over {slack.opened} connections: {len(slack.acknowledged)} acknowledged, "
        f"{caplog.text.count('a frame was refused')} refused, {len(safe)} made safe",
    )


@pytest.mark.slow
def test_generated_answers_leave_the_bot_hearing(
    slack: OddSlack, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    generator = Generator(SEED)
    given = 0

    def answers() -> Iterator[bytes]:
        nonlocal given
        for _ in range(ANSWERS):
            given += 1
            yield generator.answer()

    safe: list[Gesture] = []
    with opened(slack, safe.append) as door:
        slack.answers = answers()
        slack.drop()
        wait_for(
            lambda: (given == ANSWERS and slack.opened > 1) or not door.is_kept,
            timeout=60 + ANSWERS / 10,
        )
        assert hears(slack, safe)
        assert door.is_kept
    assert CANARY not in caplog.text + "".join(capsys.readouterr())
    report(capsys, f"{given} answers, {slack.opened} connections")
