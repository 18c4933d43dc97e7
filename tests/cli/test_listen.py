"""``toxic-bot listen``, as a user runs it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from simulators.process import HOST, free_port
from simulators.samples import CHANNEL, RAE, VIEWER
from tests.cli.command import run, started
from tests.http_slack import BOT_TOKEN, SECRET, HttpSlack
from tests.socket_mode import wait_for
from toxic_bot.standalone.http_transport import listen

pytestmark = pytest.mark.slow

EMOJI = "biohazard_sign"
INSULT = "You are a pathetic idiot and everybody here hates you."


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_the_bot_answers_until_it_is_stopped_and_logs_neither_texts_nor_secrets(
    http_slack: HttpSlack, tmp_path: Path, number: int, status: int
) -> None:
    environment = os.environ | http_slack.environment | {"PYTHONUNBUFFERED": "1"}
    arguments = ("--port", "0", "--database", str(tmp_path / "bot.sqlite"))
    with started(
        "listen", *arguments, environment=environment, stderr=subprocess.STDOUT
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline().decode()
        assert line.startswith(f"Listening for Slack at http://{HOST}:")
        http_slack.events.request_url = line.split()[4]
        assert http_slack.events.verify_url()
        message = http_slack.workspace.post(CHANNEL, RAE, INSULT)
        http_slack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
        wait_for(lambda: len(http_slack.answers(message)) == 1)
        time.sleep(0.3)
        process.send_signal(number)
        output = process.communicate(timeout=30)[0].decode()
        assert process.returncode == status
    assert '"verdict":"toxic"' in output.replace(" ", "")
    assert "Traceback" not in output
    for private in ("pathetic", SECRET, BOT_TOKEN, "v0="):
        assert private not in output


@pytest.mark.long
def test_a_bot_that_is_killed_in_a_burst_answers_every_message_once(
    http_slack: HttpSlack, tmp_path: Path
) -> None:
    port = str(free_port())
    arguments = ("listen", "--port", port, "--database", str(tmp_path / "bot.sqlite"))
    environment = os.environ | http_slack.environment | {"USER_BUDGET": "0"}
    http_slack.events.request_url = f"http://{HOST}:{port}/slack/events"
    messages = [http_slack.workspace.post(CHANNEL, RAE, INSULT) for _ in range(100)]

    def answered() -> int:
        return sum(bool(http_slack.answers(one)) for one in messages)

    for enough in (10, 40, 100):
        with started(*arguments, environment=environment, stdout=subprocess.DEVNULL) as process:
            wait_for(http_slack.events.verify_url)
            if enough == 10:
                for message in messages:
                    http_slack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
                wait_for(lambda: not http_slack.events.busy)
            # What was under way waits until its claim has lapsed.
            wait_for(lambda: answered() >= enough, timeout=90)  # noqa: B023 - it waits here
            process.kill()
            process.wait()
    assert {len(http_slack.answers(one)) for one in messages} == {1}


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({}, "SLACK_SIGNING_SECRET"),
        ({"SLACK_SIGNING_SECRET": SECRET}, "SLACK_BOT_TOKEN"),
    ],
)
def test_a_missing_variable_is_named_in_one_line(
    tmp_path: Path, environment: dict[str, str], named: str
) -> None:
    result = run(
        "listen",
        "--port",
        "0",
        "--database",
        str(tmp_path / "bot.sqlite"),
        environment={"PATH": os.environ["PATH"]} | environment,
    )
    assert result.returncode == 1
    [line] = result.stderr.splitlines()
    assert line.startswith(f"error: set the environment variable {named}")


def test_a_port_that_is_taken_is_named_in_one_line(tmp_path: Path) -> None:
    environment = os.environ | {"SLACK_SIGNING_SECRET": SECRET, "SLACK_BOT_TOKEN": BOT_TOKEN}
    with listen(HOST, 0) as taken:
        port = str(taken.getsockname()[1])
        database = str(tmp_path / "bot.sqlite")
        result = run("listen", "--port", port, "--database", database, environment=environment)
    assert result.returncode == 1
    [line] = result.stderr.splitlines()
    assert f"{HOST}:{port}" in line
    assert "--port" in line


def test_a_missing_dependency_is_named_with_what_installs_it(tmp_path: Path) -> None:
    (tmp_path / "waitress.py").write_text("raise ModuleNotFoundError(name='waitress')\n")
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    result = run("listen", "--database", str(tmp_path / "bot.sqlite"), environment=environment)
    assert result.returncode == 1
    [line] = result.stderr.splitlines()
    assert "package waitress is missing" in line
    assert 'pip install "toxic-bot[slack]"' in line
