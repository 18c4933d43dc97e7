"""``toxic-bot socket``, as a user runs it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from simulators.samples import CHANNEL, RAE, VIEWER
from tests.cli.command import run, started
from tests.socket_mode import TOKENS, SocketModeSlack, wait_for

pytestmark = pytest.mark.slow

EMOJI = "biohazard_sign"
INSULT = "You are a pathetic idiot and everybody here hates you."


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_the_bot_answers_until_it_is_stopped_and_logs_neither_texts_nor_tokens(
    slack: SocketModeSlack, tmp_path: Path, number: int, status: int
) -> None:
    environment = os.environ | slack.environment | {"PYTHONUNBUFFERED": "1"}
    with started(
        "socket",
        "--database",
        str(tmp_path / "bot.sqlite"),
        environment=environment,
        stderr=subprocess.STDOUT,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"Connected to Slack")
        message = slack.workspace.post(CHANNEL, RAE, INSULT)
        slack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
        wait_for(lambda: len(slack.answers(message)) == 1)
        time.sleep(0.3)
        process.send_signal(number)
        output = process.communicate(timeout=30)[0].decode()
        assert process.returncode == status
    assert '"verdict":"toxic"' in output.replace(" ", "")
    assert "pathetic" not in output
    assert "Traceback" not in output
    assert TOKENS["SLACK_BOT_TOKEN"] not in output
    assert TOKENS["SLACK_APP_TOKEN"] not in output


def test_without_tokens_a_one_line_error_says_what_to_set(tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"]}
    result = run("socket", "--database", str(tmp_path / "bot.sqlite"), environment=environment)
    assert result.returncode == 1
    [line] = result.stderr.splitlines()
    assert line.startswith("error: set the environment variable SLACK_APP_TOKEN")


def test_a_missing_dependency_is_named_with_what_installs_it(tmp_path: Path) -> None:
    (tmp_path / "websockets.py").write_text("raise ModuleNotFoundError(name='websockets')\n")
    environment = os.environ | TOKENS | {"PYTHONPATH": str(tmp_path)}
    result = run("socket", "--database", str(tmp_path / "bot.sqlite"), environment=environment)
    assert result.returncode == 1
    [line] = result.stderr.splitlines()
    assert "package websockets is missing" in line
    assert 'pip install "toxic-bot[slack]"' in line
