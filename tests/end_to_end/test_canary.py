"""A canary: nothing that people write stays anywhere in the bot, wherever it runs, whatever fails.

Files, tables, queues, log lines and metrics (which are log lines) are searched; so is what a
process says when it crashes.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import pytest

from simulators import ROOT
from simulators.process import HOST, free_port
from simulators.samples import CHANNEL, RAE, VIEWER
from simulators.slack.faults import Fault
from simulators.slack.interactivity import Interactivity
from simulators.slack.methods import WebApi
from simulators.slack.workspace import Message, Workspace
from simulators.stack import Stack
from tests.cli.command import PROGRAM
from tests.http_slack import HttpSlack
from tests.socket_mode import SocketModeSlack, wait_for
from toxic_bot.slack.requests.interactions import COMMAND, SHORTCUT

pytestmark = [pytest.mark.slow, pytest.mark.long]

CANARY = "zeppelinkanarie"
INSULT = f"You pathetic {CANARY}, you are an idiot"
EMOJI = "biohazard_sign"
TIMEOUT = 90.0
READ, POST = "conversations.replies", "chat.postMessage"

FAULTS = {
    "success": {},
    "errors": {
        READ: Fault(error="internal_error", status=500),
        POST: Fault(error="ratelimited", status=429, retry_after=1),
    },
    "HTML": {READ: Fault(content=f"<html>{CANARY}</html>")},
    "odd JSON": {READ: Fault(content=json.dumps({"ok": True, "messages": [{"text": INSULT}, 1]}))},
    "an error that quotes": {READ: Fault(error=INSULT)},
    "a body that breaks off": {READ: Fault(cut=True)},
}


class Home(Protocol):
    """A running bot, and the Slack that it belongs to."""

    workspace: Workspace
    web_api: WebApi
    interactivity: Interactivity

    def answers(self, message: Message) -> list[Message]:
        """Return the answers to a message, in its thread."""

    def let_time_pass(self) -> object:
        """Let what waits be due, where that is possible."""

    def settle(self) -> None:
        """Wait until nothing is queued."""

    def crash(self) -> None:
        """Abort what is at work."""

    def recover(self) -> None:
        """Start again what has crashed."""

    def written(self) -> dict[str, bytes]:
        """Return everything that is left anywhere, by its place."""


class LambdaHome:
    def __init__(self, stack: Stack) -> None:
        self.workspace, self.web_api = stack.workspace, stack.web_api
        self.interactivity = stack.interactivity
        self.answers = stack.answers
        self.let_time_pass = stack.let_time_pass
        self.crash = stack.worker.kill
        self._stack = stack

    def settle(self) -> None:
        # Both queues are then empty.
        assert self._stack.wait_for(self._is_settled, TIMEOUT)
        assert self._stack.dead_letters() == 0

    def _is_settled(self) -> bool:
        self._stack.let_time_pass()
        return self._stack.settle(timeout=1)

    def recover(self) -> None:
        """Lambda starts another environment by itself."""

    def written(self) -> dict[str, bytes]:
        found = _files(self._stack.folder)
        dynamodb = self._stack.aws.client("dynamodb")
        for table in dynamodb.list_tables()["TableNames"]:
            found[table] = repr(dynamodb.scan(TableName=table)["Items"]).encode()
        return found


class StandaloneHome:
    """The bot in a process of its own, all of whose files are in one folder."""

    def __init__(self, slack: SocketModeSlack | HttpSlack, folder: Path) -> None:
        self.workspace, self.web_api = slack.workspace, slack.web_api
        self.interactivity = slack.interactivity
        self.answers = slack.answers
        self._slack = slack
        self._folder = folder
        self._database = folder / "store" / "bot.sqlite"
        self._arguments = ["socket"]
        if isinstance(slack, HttpSlack):
            port = str(free_port())
            slack.events.request_url = f"http://{HOST}:{port}/slack/events"
            self._arguments = ["listen", "--port", port]
        for name in ("home", "temporary"):
            (folder / name).mkdir()
        self._process: subprocess.Popen[bytes] | None = None

    def recover(self) -> None:
        environment = {
            "HOME": str(self._folder / "home"),
            "TMPDIR": str(self._folder / "temporary"),
            "READY_FILE": str(self._folder / "ready"),
            "PYTHONPATH": str(ROOT),
            "PYTHONFAULTHANDLER": "1",
            "LOG_LEVEL": "DEBUG",
        }
        with (self._folder / "output").open("ab") as output:
            self._process = subprocess.Popen(
                [*PROGRAM, *self._arguments, "--database", str(self._database)],
                cwd=self._folder,
                env=os.environ | self._slack.environment | environment,
                stdout=output,
                stderr=output,
            )
        if isinstance(self._slack, HttpSlack):
            wait_for(self._slack.events.verify_url, timeout=TIMEOUT)
        else:
            wait_for(lambda: self._slack.socket_mode.connected, timeout=TIMEOUT)  # type: ignore[union-attr] # narrowed above

    def let_time_pass(self) -> None:
        """It passes by itself."""

    def settle(self) -> None:
        # A text that was typed is erased once it is answered.
        wait_for(lambda: not _places(_files(self._database.parent)), timeout=TIMEOUT)

    def crash(self) -> None:
        assert self._process is not None
        # Which prints the stack of every thread.
        self._process.send_signal(signal.SIGABRT)
        self._process.wait()

    def stop(self) -> None:
        assert self._process is not None
        self._process.terminate()
        self._process.wait()

    def written(self) -> dict[str, bytes]:
        return _files(self._folder)


def _files(folder: Path) -> dict[str, bytes]:
    return {str(one): one.read_bytes() for one in folder.rglob("*") if one.is_file()}


def _places(written: dict[str, bytes]) -> list[str]:
    """Return where the canary is."""
    return [place for place, content in written.items() if CANARY.encode() in content]


@pytest.fixture(params=["Lambda", "socket", "listen"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Home]:
    if request.param == "Lambda":
        yield LambdaHome(request.getfixturevalue("stack"))
        return
    slack = request.getfixturevalue("slack" if request.param == "socket" else "http_slack")
    standalone = StandaloneHome(slack, tmp_path)
    standalone.recover()
    yield standalone
    standalone.stop()


@contextmanager
def one_more_private_answer(home: Home) -> Iterator[None]:
    before = private_answers(home)
    yield
    wait(home, lambda: private_answers(home) > before)


def private_answers(home: Home) -> int:
    return sum(one.only_for == VIEWER for one in home.workspace.messages(CHANNEL))


def wait(home: Home, condition: Callable[[], object]) -> None:
    def is_met() -> bool:
        home.let_time_pass()
        return bool(condition())

    wait_for(is_met, timeout=TIMEOUT)


def ask_in_every_way(home: Home) -> None:
    """Ask by reaction, shortcut, command and buttons."""
    message = home.workspace.post(CHANNEL, RAE, INSULT)
    home.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    wait(home, lambda: home.answers(message))
    verdict = home.answers(message)[0]
    asks: tuple[Callable[[], object], ...] = (
        lambda: home.interactivity.choose_shortcut(CHANNEL, message.ts, VIEWER, SHORTCUT),
        lambda: home.interactivity.type_command(CHANNEL, VIEWER, COMMAND, INSULT),
        lambda: home.interactivity.click(CHANNEL, verdict.ts, VIEWER, "why"),
        lambda: home.interactivity.click(CHANNEL, verdict.ts, VIEWER, "wrong"),
    )
    for ask in asks:
        with one_more_private_answer(home):
            ask()
    home.settle()


@pytest.mark.parametrize("faults", FAULTS.values(), ids=FAULTS)
def test_what_people_write_stays_nowhere(home: Home, faults: dict[str, Fault]) -> None:
    for method, fault in faults.items():
        home.web_api.faults.add(method, fault)
    ask_in_every_way(home)
    written = home.written()
    assert _places(written) == []
    # It was searched where something is.
    assert any(b"answered" in content for content in written.values())


def test_what_people_write_stays_nowhere_after_a_crash(home: Home) -> None:
    home.web_api.faults.add(POST, Fault(after=home.crash))
    message = home.workspace.post(CHANNEL, RAE, INSULT)
    home.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    wait_for(lambda: bool(home.answers(message)), timeout=TIMEOUT)
    home.recover()
    assert _places(home.written()) == []
    ask_in_every_way(home)
    assert _places(home.written()) == []


def test_a_canary_is_found_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "file").write_bytes(b"\x00" + INSULT.encode())
    (tmp_path / "other").write_text("nothing")
    assert _places(_files(tmp_path)) == [str(tmp_path / "deep" / "file")]
