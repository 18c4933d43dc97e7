"""No frame and no answer of Slack's leaves the Socket Mode bot deaf.

``FRAMES=100000 ANSWERS=10000 SEED=1 pytest tests/standalone/test_odd_slack.py`` generates more of
them than the suite does.
"""

from __future__ import annotations

import gc
import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import repeat, takewhile
from pathlib import Path
from typing import Any

import pytest

from simulators.samples import CHANNEL, RAE, VIEWER
from simulators.slack.delivery import event_callback
from tests.slack.web_api.test_events import CALLBACK
from tests.socket_mode import SocketModeSlack, socket_transport, wait_for
from tests.standalone.odd_slack import (
    CANARY,
    Generator,
    OddSlack,
    envelope,
    odd_slack,
)
from toxic_bot.slack.gestures.gesture import Gesture
from toxic_bot.slack.lookups import NO_LOOKUPS
from toxic_bot.slack.settings import BotSettings
from toxic_bot.standalone import socket_connection
from toxic_bot.standalone.bot import Bot
from toxic_bot.standalone.settings import StandaloneSettings
from toxic_bot.standalone.socket_frames import Envelope, Notice, OddFrame, parse_frame
from toxic_bot.standalone.socket_transport import SocketTransport

FRAMES = int(os.environ.get("FRAMES", "3000"))
ANSWERS = int(os.environ.get("ANSWERS", "300"))
SEED = int(os.environ.get("SEED", "20261124"))
LAST = "the-last-one"


@pytest.fixture
def odd(monkeypatch: pytest.MonkeyPatch) -> Iterator[OddSlack]:
    monkeypatch.setattr(socket_connection, "MIN_PAUSE", 0.01)
    monkeypatch.setattr(socket_connection, "MAX_PAUSE", 0.01)
    with odd_slack() as odd:
        yield odd


@contextmanager
def opened(
    odd: OddSlack, put: Callable[[Gesture], None] = lambda _: None
) -> Iterator[SocketTransport]:
    settings = BotSettings.from_environment({"SLACK_API_URL": odd.environment_url})
    transport = SocketTransport("xapp-1", settings, NO_LOOKUPS, put)
    transport.open()
    try:
        wait_for(lambda: odd.opened > 0)
        yield transport
    finally:
        transport.close()


def reaction(event_id: str) -> dict[str, Any]:
    return CALLBACK | {"event_id": event_id}


def plain(envelope_id: str, event_id: str = "EvLAST") -> str:
    return json.dumps(envelope(reaction(event_id), envelope_id=envelope_id))


def report(capsys: pytest.CaptureFixture[str], figures: str) -> None:
    """Print what happened, for whoever asked for more than the suite does."""
    if "SEED" in os.environ:
        with capsys.disabled():
            print(f"seed {SEED}: {figures}, and the next reaction was heard")


def hears(odd: OddSlack, safe: list[Gesture]) -> bool:
    """Report whether a plain reaction is still made safe and acknowledged."""
    # As Slack does, it is sent again over the next connection where one has just broken.
    for attempt in range(20):
        odd.send(iter([plain(f"{LAST}-{attempt}")]))
        end = time.monotonic() + 5
        while time.monotonic() < end:
            if f"{LAST}-{attempt}" in odd.acknowledged:
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
    odd: OddSlack,
    frame: str | bytes,
    is_acknowledged: bool,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    safe: list[Gesture] = []
    with opened(odd, safe.append) as transport:
        odd.send(iter([frame]))
        assert hears(odd, safe)
        assert transport.is_kept
        if is_acknowledged:
            # Another thread acknowledges it, perhaps after what was sent next.
            wait_for(lambda: "e1" in odd.acknowledged)
    assert ("e1" in odd.acknowledged) is is_acknowledged
    assert odd.opened == 1
    assert "refused" in caplog.text
    assert CANARY not in caplog.text + "".join(capsys.readouterr())


@pytest.mark.parametrize("size", [2**20 + 1, 10_000_000])
def test_a_frame_that_is_too_large_costs_its_connection_and_nothing_else(
    odd: OddSlack, size: int
) -> None:
    safe: list[Gesture] = []
    with opened(odd, safe.append):
        odd.send(iter(["x" * size]))
        wait_for(lambda: odd.opened == 2)
        assert hears(odd, safe)


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
    odd: OddSlack, answer: bytes
) -> None:
    safe: list[Gesture] = []
    with opened(odd, safe.append):
        odd.answers = iter([answer])
        odd.drop()
        wait_for(lambda: odd.opened == 2)
        assert hears(odd, safe)


@pytest.mark.slow
def test_a_connection_over_which_nobody_speaks_is_left(
    odd: OddSlack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket_connection, "HELLO_TIMEOUT", 0.1)
    safe: list[Gesture] = []
    odd.greets = False
    with opened(odd, safe.append) as transport:
        wait_for(lambda: odd.opened >= 3)
        assert not transport.is_open
        odd.greets = True
        assert hears(odd, safe)


@pytest.mark.slow
def test_a_server_that_sends_and_never_reads_is_left(
    odd: OddSlack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket_connection, "SEND_TIMEOUT", 1.0)
    safe: list[Gesture] = []
    odd.reads = False
    with opened(odd, safe.append):
        # Their acknowledgments fill all buffers on the way.
        odd.send(iter([plain("e" * 500_000)] * 60))
        wait_for(lambda: odd.opened == 2, timeout=60)
        odd.reads = True
        assert hears(odd, safe)


def test_a_server_that_takes_connections_and_never_answers_is_left(
    odd: OddSlack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket_connection, "OPEN_TIMEOUT", 0.2)
    safe: list[Gesture] = []
    with socket.create_server(("127.0.0.1", 0)) as mute, opened(odd, safe.append):
        body = json.dumps({"ok": True, "url": f"ws://127.0.0.1:{mute.getsockname()[1]}"})
        answer = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
        odd.answers = iter([answer, answer])
        odd.drop()
        wait_for(lambda: odd.opened == 2)
        assert hears(odd, safe)


def test_connections_that_break_at_once_are_opened_ever_more_rarely(
    odd: OddSlack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket_connection, "MAX_PAUSE", 3600.0)
    pauses: list[float] = []

    def note(seconds: float) -> bool:
        pauses.append(seconds)
        return False

    with opened(odd) as transport:
        monkeypatch.setattr(transport._connection._closing, "wait", note)
        odd.send(repeat(lambda one: one.close(1013)))
        wait_for(lambda: len(pauses) >= 12)
        # Less what the connection lasted, which takes long where the machine is busy.
        assert pauses[1] <= 2 * socket_connection.MIN_PAUSE
        assert pauses[11] > 100 * socket_connection.MIN_PAUSE


@pytest.fixture
def arrived(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Return the lengths of the frames that the bot has read: some break their connection."""
    arrived: list[int] = []

    def parse(frame: str | bytes) -> Envelope | Notice | OddFrame:
        arrived.append(len(frame))
        return parse_frame(frame)

    monkeypatch.setattr(socket_connection, "parse_frame", parse)
    # Deeply nested frames use up the stack. Where the collector happens to run just then, pytest
    # counts a finalizer that finds no room as a failure of the test.
    gc.disable()
    yield arrived
    gc.enable()


@pytest.mark.slow
def test_generated_frames_leave_the_bot_hearing(
    odd: OddSlack,
    arrived: list[int],
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    safe: list[Gesture] = []
    with opened(odd, safe.append) as transport:
        odd.send(takewhile(lambda _: len(arrived) < FRAMES, iter(Generator(SEED).frame, None)))
        wait_for(lambda: len(arrived) >= FRAMES or not transport.is_kept, timeout=60 + FRAMES / 50)
        assert hears(odd, safe)
        assert transport.is_kept
    assert CANARY not in caplog.text + "".join(capsys.readouterr())
    report(
        capsys,
        f"{len(arrived)} frames, {odd.opened} connections: {len(odd.acknowledged)} acknowledged, "
        f"{caplog.text.count('a frame was refused')} refused, {len(safe)} made safe",
    )


@pytest.mark.slow
def test_generated_frames_leave_the_whole_bot_answering(
    odd: OddSlack,
    arrived: list[int],
    slack: SocketModeSlack,
    model_folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    # The calls go to the local Slack, and the connections to the odd one.
    slack.web_api.open_connection = lambda: odd.url
    settings = StandaloneSettings.from_environment(slack.environment)
    transport = socket_transport(slack.environment)
    with Bot(settings, model_folder, tmp_path / "bot.sqlite", transport).start() as bot:
        odd.send(takewhile(lambda _: len(arrived) < FRAMES, iter(Generator(SEED).frame, None)))
        wait_for(lambda: len(arrived) >= FRAMES, timeout=60 + FRAMES / 50)
        message = slack.workspace.post(CHANNEL, RAE, "You are a pathetic idiot.")
        change = slack.workspace.react(CHANNEL, message.ts, VIEWER, "biohazard_sign")
        plain_one = envelope(event_callback(slack.workspace, change), envelope_id=LAST)
        # A connection that was lost a moment ago takes with it what was sent over it.
        for _ in range(20):
            odd.send(repeat(json.dumps(plain_one), 3))
            with suppress(AssertionError):
                wait_for(lambda: bool(slack.answers(message)), timeout=3)
                break
        bot.check()
    assert len(slack.answers(message)) == 1
    assert CANARY not in caplog.text + "".join(capsys.readouterr())
    report(capsys, f"{len(arrived)} frames to the whole bot over {odd.opened} connections")


@pytest.mark.slow
def test_generated_answers_leave_the_bot_hearing(
    odd: OddSlack, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    generator = Generator(SEED)
    given: list[bytes] = []

    def answers() -> Iterator[bytes]:
        while len(given) < ANSWERS:
            given.append(generator.answer())
            yield given[-1]

    safe: list[Gesture] = []
    with opened(odd, safe.append) as transport:
        odd.answers = answers()
        odd.drop()
        wait_for(
            lambda: (len(given) == ANSWERS and odd.opened > 1) or not transport.is_kept,
            timeout=60 + ANSWERS / 10,
        )
        assert hears(odd, safe)
        assert transport.is_kept
    assert CANARY not in caplog.text + "".join(capsys.readouterr())
    report(capsys, f"{len(given)} answers, {odd.opened} connections")
