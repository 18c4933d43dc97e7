"""A bot that has become deaf or mute ends, and says before whether it is ready."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from simulators import ROOT
from tests.http_slack import HttpSlack
from tests.socket_mode import TOKENS, SocketModeSlack, wait_for
from toxic_bot.standalone.ready_file import ReadyFile, ReadyFileError
from toxic_bot.standalone.settings import StandaloneSettings
from toxic_bot.standalone.vital_thread import VitalThread

CANARY = "zeppelinkanarie"
PROGRAM = """
import sys
{}
from toxic_bot.cli.command_line import main
sys.exit(main(sys.argv[1:]))
"""
MORTAL = f"""
import threading
from toxic_bot.standalone.vital_thread import VitalThread
work = VitalThread.run
def run(thread):
    def live():
        # As long as it takes until somebody has seen that the bot was ready.
        while not {{mark}}.exists():
            threading.Event().wait(0.05)
        raise SystemError("{CANARY}")
    if thread.name == "{{name}}":
        doing = threading.Thread(target=thread._work, daemon=True)
        doing.start()
        thread._work = live
    work(thread)
VitalThread.run = run
"""


@contextmanager
def running(
    *arguments: str, environment: dict[str, str], change: str = ""
) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(change), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env=os.environ | environment,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("transport", "thread", "part"),
    [
        ("socket", "connection", "transport"),
        ("socket", "dispatcher", "dispatcher"),
        ("listen", "http", "transport"),
    ],
)
def test_a_bot_whose_vital_thread_has_died_ends_with_one_clear_line(
    slack: SocketModeSlack,
    http_slack: HttpSlack,
    tmp_path: Path,
    transport: str,
    thread: str,
    part: str,
) -> None:
    ready, mark = tmp_path / "ready", tmp_path / "die"
    change = MORTAL.format(name=thread, mark=f"__import__('pathlib').Path({str(mark)!r})")
    environment = (slack if transport == "socket" else http_slack).environment
    environment = environment | {"READY_FILE": str(ready)}
    arguments = [transport, "--database", str(tmp_path / "bot.sqlite")]
    if transport == "listen":
        arguments += ["--port", "0"]
    with running(*arguments, environment=environment, change=change) as process:
        wait_for(ready.exists, timeout=60)
        mark.touch()
        output, errors = (one.decode() for one in process.communicate(timeout=60))
    assert process.returncode == 1
    [line] = errors.splitlines()
    assert line.startswith(f"error: the bot's {part} has ended: start the bot again")
    assert f"the thread '{thread}' has ended" in output
    assert CANARY not in output
    assert not ready.exists()


@pytest.mark.slow
def test_the_ready_file_is_there_while_slack_is_connected(
    slack: SocketModeSlack, tmp_path: Path
) -> None:
    ready = tmp_path / "ready"
    ready.touch()
    environment = slack.environment | {"READY_FILE": str(ready)}
    database = str(tmp_path / "bot.sqlite")
    with running("socket", "--database", database, environment=environment) as process:
        wait_for(lambda: slack.socket_mode.connected, timeout=60)
        wait_for(ready.exists)
        slack.web_api.app_tokens.clear()
        slack.socket_mode.drop()
        wait_for(lambda: not ready.exists())
        slack.web_api.app_tokens.add(TOKENS["SLACK_APP_TOKEN"])
        wait_for(ready.exists, timeout=60)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        assert process.returncode == 143
    assert not ready.exists()


def test_a_ready_file_of_an_earlier_process_is_removed_and_a_present_one_stays_fresh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toxic_bot.standalone.ready_file.INTERVAL", 0.0)
    path = tmp_path / "ready"
    path.touch()
    file = ReadyFile(path)
    assert not path.exists()
    file.tell(is_ready=True)
    os.utime(path, (0, 0))
    file.tell(is_ready=True)
    assert time.time() - path.stat()[stat.ST_MTIME] < 600
    file.tell(is_ready=False)
    assert not path.exists()


def test_a_ready_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReadyFileError, match=r"ready.*READY_FILE"):
        ReadyFile(tmp_path / "nowhere" / "ready")
    with pytest.raises(ReadyFileError, match="READY_FILE"):
        ReadyFile(tmp_path)


def test_ready_file_is_optional() -> None:
    assert StandaloneSettings.from_environment(TOKENS).ready_file is None
    ReadyFile(None).tell(is_ready=True)


def test_what_ends_a_vital_thread_is_told_without_its_message(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise SystemExit(CANARY)

    thread = VitalThread(fail, "connection")
    thread.start()
    thread.join()
    assert "the thread 'connection' has ended" in caplog.text
    assert CANARY not in caplog.text + "".join(capsys.readouterr())
