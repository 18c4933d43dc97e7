"""The probe, through a gateway that invokes the real receiver."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from simulators.asgi import Server
from simulators.aws.gateway import PATH, gateway
from simulators.aws.runtime import InvocationError
from tests.aws_account import SIGNING_SECRET, Account, Admin, cold_start
from toxic_bot.slack.requests.challenge import ChallengeError


class InProcess:
    """A function that runs here; ``seconds`` delays it, ``result`` replaces its response."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self.seconds = 0.0
        self.result: Any = None

    def invoke(self, event: dict[str, Any]) -> Any:
        time.sleep(self.seconds)
        if isinstance(self.result, Exception):
            raise self.result
        return self.result or self._module.handler(event, None)


@pytest.fixture
def function(receiver: ModuleType) -> InProcess:
    return InProcess(receiver)


@pytest.fixture
def probe(function: InProcess, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    server = Server(gateway(function))
    server.start()
    monkeypatch.setenv("REQUEST_URL", f"{server.address}{PATH}")
    yield cold_start("handler.probe")
    server.stop()


def test_a_receiver_that_echoes_the_signed_challenge_is_fine(
    probe: ModuleType, account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    probe.handler({}, None)
    assert account.queued_bodies() == []
    log = capsys.readouterr().out
    assert "challenge answered" in log
    assert SIGNING_SECRET not in log


def test_a_receiver_with_another_secret_is_reported(
    probe: ModuleType, receiver: ModuleType, admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    probe.handler({}, None)
    admin.secrets.put_secret_value(SecretId="signing-secret", SecretString="another" * 4)
    monkeypatch.setattr(receiver.request_handler, "_refreshed", time.monotonic())
    probe.secrets.read("signing-secret", fresh=True)
    with pytest.raises(ChallengeError, match="with 401, not 200"):
        probe.handler({}, None)


def test_a_rotated_secret_is_no_failure(
    probe: ModuleType, receiver: ModuleType, admin: Admin
) -> None:
    probe.handler({}, None)
    admin.secrets.put_secret_value(SecretId="signing-secret", SecretString="rotated" * 4)
    # The receiver learned of it first, from Slack.
    receiver.secrets.read("signing-secret", fresh=True)
    probe.handler({}, None)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (InvocationError("Runtime.ExitError", "exit status 1"), "with 500, not 200"),
        ({"statusCode": 200, "body": "something else"}, "did not echo"),
    ],
)
def test_a_wrong_response_is_reported(
    probe: ModuleType, function: InProcess, result: Any, message: str
) -> None:
    function.result = result
    with pytest.raises(ChallengeError, match=message):
        probe.handler({}, None)


@pytest.mark.slow
def test_a_response_that_slack_would_not_wait_for_is_reported(
    probe: ModuleType, function: InProcess
) -> None:
    function.seconds = probe.SLACK_PATIENCE + 0.5
    with pytest.raises(ChallengeError, match="did not answer within 3 seconds"):
        probe.handler({}, None)


def test_an_api_that_does_not_exist_is_reported(
    account: Account,  # noqa: ARG001 - it must exist first
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("REQUEST_URL", "http://127.0.0.1:9/slack/events")
    with pytest.raises(ChallengeError, match="did not answer"):
        cold_start("handler.probe").handler({}, None)


@pytest.mark.parametrize("missing", ["REQUEST_URL", "SIGNING_SECRET_NAME"])
def test_a_missing_setting_stops_startup_with_a_one_line_error(missing: str) -> None:
    environment = {
        "REQUEST_URL": "https://a.example/slack/events",
        "SIGNING_SECRET_NAME": "a",
        "AWS_DEFAULT_REGION": "eu-central-1",
    }
    del environment[missing]
    process = subprocess.run(
        [sys.executable, "-c", "import handler.probe"],
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )
    assert process.returncode == 1
    assert process.stderr.startswith(f"error: set the environment variable {missing}")
    assert process.stderr.count("\n") == 1
