"""A file that cannot be written for a while repeats no private answer."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from simulators.samples import CHANNEL, RAE, VIEWER
from simulators.slack.faults import Fault
from tests.socket_mode import SocketModeSlack, socket_transport, wait_for
from tests.standalone.test_supervision import running
from toxic_bot.slack.requests.interactions import COMMAND, SHORTCUT
from toxic_bot.standalone import dispatcher, sqlite_store
from toxic_bot.standalone.bot import Bot
from toxic_bot.standalone.settings import StandaloneSettings

pytestmark = pytest.mark.slow

EMOJI = "biohazard_sign"
INSULT = "You are a pathetic idiot and everybody here hates you."
LAPSE = 3.0
"""Seconds after which a claim lapses here."""
HASTE = (
    "from toxic_bot.standalone import dispatcher, sqlite_store\n"
    f"dispatcher.GESTURE_TIMEOUT, dispatcher.FILE_PAUSE = {LAPSE}, 0.2\n"
    f"sqlite_store.MIN_LEASE = {LAPSE}"
)


@dataclass(frozen=True)
class Trouble:
    """A file that can be made to fail."""

    path: Path
    begin: Callable[[], None]
    end: Callable[[], None]


@pytest.fixture(params=["full", "locked"])
def trouble(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Trouble]:
    path = tmp_path / "disk" / "bot.sqlite"
    path.parent.mkdir()
    if request.param == "locked":
        other: list[sqlite3.Connection] = []

        def lock() -> None:
            other.append(sqlite3.connect(path, isolation_level=None, check_same_thread=False))
            other[-1].execute("BEGIN IMMEDIATE")

        yield Trouble(path, lock, lambda: other.pop().close())
        return
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(path.parent)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("only root can mount a small disk to fill")
    ballast = path.parent / "ballast"
    try:
        yield Trouble(path, lambda: fill(ballast), ballast.unlink)
    finally:
        subprocess.run(["umount", "--lazy", str(path.parent)], check=True)


def fill(ballast: Path) -> None:
    with ballast.open("wb", buffering=0) as file:
        for size in (65536, 4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue


Ask = Callable[[SocketModeSlack], Any]


def react(slack: SocketModeSlack) -> None:
    message = slack.workspace.post(CHANNEL, RAE, INSULT)
    slack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)


def choose(slack: SocketModeSlack) -> None:
    message = slack.workspace.post(CHANNEL, RAE, INSULT)
    slack.interactivity.choose_shortcut(CHANNEL, message.ts, VIEWER, SHORTCUT)


def type_text(slack: SocketModeSlack) -> None:
    slack.interactivity.type_command(CHANNEL, VIEWER, COMMAND, INSULT)


def shown(slack: SocketModeSlack) -> int:
    return sum(one.only_for == VIEWER for one in slack.workspace.messages(CHANNEL))


def once_answered(slack: SocketModeSlack, then: Callable[[], None]) -> None:
    """Let something happen after the first private answer, before the bot learns of it."""
    slack.web_api.faults.add("chat.postEphemeral", Fault(after=then))
    respond = slack.interactivity.respond
    happened: list[bool] = []

    def respond_then(key: str, content: dict[str, Any]) -> None:
        respond(key, content)
        if not happened:
            happened.append(True)
            then()

    slack.interactivity.respond = respond_then  # type: ignore[method-assign] # as the fault does


def queued(path: Path) -> int:
    connection = sqlite3.connect(path)
    try:
        [[count]] = connection.execute("SELECT COUNT(*) FROM gesture").fetchall()
        return int(count)
    finally:
        connection.close()


@pytest.mark.parametrize(
    "ask", [react, *(pytest.param(ask, marks=pytest.mark.long) for ask in (choose, type_text))]
)
def test_a_private_answer_is_not_repeated_however_long_the_file_fails(
    slack: SocketModeSlack,
    model_folder: Path,
    trouble: Trouble,
    monkeypatch: pytest.MonkeyPatch,
    ask: Ask,
) -> None:
    monkeypatch.setattr(dispatcher, "FILE_PAUSE", 0.2)
    monkeypatch.setattr(dispatcher, "GESTURE_TIMEOUT", LAPSE)
    monkeypatch.setattr(sqlite_store, "MIN_LEASE", LAPSE)
    settings = StandaloneSettings.from_environment(slack.environment | {"ANSWER": "ephemeral"})
    transport = socket_transport(slack.environment)
    with Bot(settings, model_folder, trouble.path, transport).start() as bot:
        bot._database._writer.execute("PRAGMA busy_timeout = 50")
        wait_for(lambda: slack.socket_mode.connected)
        once_answered(slack, trouble.begin)
        ask(slack)
        wait_for(lambda: shown(slack) == 1)
        time.sleep(LAPSE + 1)
        trouble.end()
        wait_for(lambda: queued(trouble.path) == 0)
        time.sleep(LAPSE + 1)
        assert shown(slack) == 1
        # It hears and answers as before.
        ask(slack)
        wait_for(lambda: shown(slack) == 2 and queued(trouble.path) == 0)
    assert shown(slack) == 2


@pytest.mark.long
@pytest.mark.parametrize("ask", [react, type_text])
def test_a_kill_while_the_file_fails_repeats_a_private_answer_once_at_most(
    slack: SocketModeSlack, trouble: Trouble, ask: Ask
) -> None:
    environment = slack.environment | {"ANSWER": "ephemeral"}
    arguments = ("socket", "--database", str(trouble.path))
    with running(*arguments, environment=environment, change=HASTE):
        wait_for(lambda: slack.socket_mode.connected, timeout=60)
        once_answered(slack, trouble.begin)
        ask(slack)
        wait_for(lambda: shown(slack) == 1)
        time.sleep(0.5)
    wait_for(lambda: not slack.socket_mode.connected)
    trouble.end()
    with running(*arguments, environment=environment, change=HASTE):
        wait_for(lambda: slack.socket_mode.connected, timeout=60)
        wait_for(lambda: queued(trouble.path) == 0)
        time.sleep(LAPSE + 1)
    assert shown(slack) <= 2
