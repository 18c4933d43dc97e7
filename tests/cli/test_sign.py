"""``toxic-bot sign``, against the real receiver."""

from __future__ import annotations

import json
import os
import re

import pytest

from simulators import ROOT
from simulators.aws.gateway import PATH
from simulators.stack import Stack
from tests.cli.command import run
from toxic_bot.slack.requests.http import Request
from toxic_bot.slack.requests.signature import SignatureError, verify

EVENTS = ROOT / "events"
SECRET = "8f742231b10e8888abcd99yyyzzz85a5"


def environment(secret: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "SLACK_SIGNING_SECRET": secret}


@pytest.mark.slow
def test_a_printed_event_has_a_signature_that_the_receiver_accepts() -> None:
    result = run("sign", str(EVENTS / "reaction_added.json"), environment=environment(SECRET))
    assert result.returncode == 0, result.stderr
    event = json.loads(result.stdout)
    verify(Request.from_event(event), SECRET)
    with pytest.raises(SignatureError):
        verify(Request.from_event(event), "another secret")
    sample = json.loads((EVENTS / "reaction_added.json").read_text())
    assert event["body"] == sample["body"]
    assert event["headers"]["user-agent"] == sample["headers"]["user-agent"]


@pytest.mark.slow
def test_the_command_works_as_the_guide_to_the_events_prints_it() -> None:
    [block] = re.findall(r"```sh\n(.*?)```", (EVENTS / "README.md").read_text("utf-8"), re.DOTALL)
    export, command = block.splitlines()
    secret = export.removeprefix("export SLACK_SIGNING_SECRET=").split()[0]
    [program, *arguments] = command.split()
    assert program == "toxic-bot"
    file = str(ROOT / arguments[-1])
    result = run(*arguments[:-1], file, environment=environment(secret))
    assert result.returncode == 0, result.stderr
    verify(Request.from_event(json.loads(result.stdout)), secret)


@pytest.mark.long
@pytest.mark.slow
def test_an_event_can_be_sent_to_an_api(stack: Stack) -> None:
    file, url = str(EVENTS / "url_verification.json"), f"{stack.gateway.address}{PATH}"
    challenge = json.loads(json.loads((EVENTS / "url_verification.json").read_text())["body"])
    result = run("sign", file, "--url", url, environment=environment(stack.secrets.signing_secret))
    assert (result.returncode, result.stdout) == (0, f"200 {challenge['challenge']}\n")
    result = run("sign", file, "--url", url, environment=environment(SECRET))
    assert result.returncode == 1
    assert result.stdout.startswith("401 ")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "secret", "message"),
    [
        (["url_verification.json"], "", "set the environment variable SLACK_SIGNING_SECRET"),
        (["sqs_batch_poisoned.json"], SECRET, "is a batch for the worker"),
        (["no_such_event.json"], SECRET, "cannot be read"),
        (["url_verification.json", "--url", "http://127.0.0.1:9/"], SECRET, "does not answer"),
        (["url_verification.json", "--url", "nonsense"], SECRET, "should start with http"),
    ],
)
def test_a_problem_is_explained_in_one_line(
    arguments: list[str], secret: str, message: str
) -> None:
    name, *options = arguments
    result = run("sign", str(EVENTS / name), *options, environment=environment(secret))
    assert result.returncode == 1
    [line] = result.stderr.splitlines()
    assert line.startswith("error: ")
    assert message in line
