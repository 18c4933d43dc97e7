"""The doctor, on a set-up that is well and on one that is not."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import boto3
import httpx
import pytest

from local.aws import ROOT, STACK
from local.doctor import DoctorError, Finding, examine, stack_environment
from local.methods import BOT_SCOPES, Grant
from local.samples import CHANNEL
from local.stack import Stack
from local.template import REGION
from local.workspace import Channel


@pytest.fixture
def session(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> boto3.Session:
    monkeypatch.setenv("AWS_ENDPOINT_URL", stack.aws.endpoint)
    admin = stack.aws.admin
    return boto3.Session(
        aws_access_key_id=admin.access_key,
        aws_secret_access_key=admin.secret_key,
        region_name=REGION,
    )


@pytest.fixture
def ask(stack: Stack, session: boto3.Session) -> Callable[..., dict[str, Finding]]:
    def findings(channel: str = CHANNEL, **changed: str) -> dict[str, Finding]:
        environment = stack.worker.config.environment | changed
        return {finding.what: finding for finding in examine(environment, channel, session)}

    return findings


def test_a_sound_set_up_has_nothing_wrong(ask: Callable[..., dict[str, Finding]]) -> None:
    findings = ask()
    assert [finding for finding in findings.values() if not finding.well] == []
    assert set(findings) == {
        "settings",
        "model",
        "queue",
        "table",
        "signing secret",
        "bot token",
        "Slack",
        f"channel {CHANNEL}",
        "clock",
    }


@pytest.mark.parametrize(
    ("what", "changed"),
    [
        ("settings", {"ANSWER": "shout"}),
        ("model", {"MODEL_FOLDER": "/nowhere"}),
        ("queue", {"QUEUE_URL": "https://sqs.us-east-1.amazonaws.com/123456789012/nothing"}),
        ("table", {"CLAIM_TABLE": "nothing"}),
        ("signing secret", {"SIGNING_SECRET_NAME": "nothing"}),
        ("bot token", {"BOT_TOKEN_NAME": "nothing"}),
        ("Slack", {"SLACK_API_URL": "http://127.0.0.1:9/api/"}),
    ],
)
def test_what_is_wrong_is_named_with_its_remedy(
    ask: Callable[..., dict[str, Finding]], what: str, changed: dict[str, str]
) -> None:
    finding = ask(**changed)[what]
    assert finding.well is False
    assert finding.detail
    assert finding.remedy


def test_secrets_in_each_others_place_are_noticed(
    ask: Callable[..., dict[str, Finding]], stack: Stack
) -> None:
    names = stack.worker.config.environment
    findings = ask(
        SIGNING_SECRET_NAME=names["BOT_TOKEN_NAME"], BOT_TOKEN_NAME=names["SIGNING_SECRET_NAME"]
    )
    assert "signing secret" in findings["signing secret"].detail
    assert "xoxb-" in findings["bot token"].detail


def test_a_missing_scope_is_named(
    ask: Callable[..., dict[str, Finding]], stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = Grant(BOT_SCOPES - {"groups:history"})
    monkeypatch.setitem(stack.web_api.grants, stack.secrets.bot_token, few)
    assert ask()["Slack"].detail == "the token lacks groups:history"


def test_a_channel_without_the_bot_is_named(
    ask: Callable[..., dict[str, Finding]], stack: Stack
) -> None:
    stack.workspace.add_channel(Channel("C0EMPTY001", "empty"))
    finding = ask("C0EMPTY001")["channel C0EMPTY001"]
    assert (finding.well, finding.detail) == (False, "Slack answers not_in_channel")
    assert "/invite" in finding.remedy


def test_no_finding_holds_a_secret(ask: Callable[..., dict[str, Finding]], stack: Stack) -> None:
    told = repr(ask())
    assert stack.secrets.bot_token not in told
    assert stack.secrets.signing_secret not in told


@pytest.fixture
def unchecked(stack: Stack) -> Iterator[None]:
    # moto cannot verify the signature of Lambda's GET requests.
    httpx.post(f"{stack.aws.endpoint}/moto-api/reset-auth", content=b"inf")
    yield
    httpx.post(f"{stack.aws.endpoint}/moto-api/reset-auth", content=b"0")


@pytest.mark.usefixtures("unchecked")
def test_a_deployed_stack_is_examined_by_its_name(stack: Stack, session: boto3.Session) -> None:
    assert stack_environment(STACK, session) == {
        **stack.worker.config.environment,
        "MODEL_FOLDER": "/opt/model",
    }
    with pytest.raises(DoctorError, match="nonsense"):
        stack_environment("nonsense", session)


def test_a_model_inside_the_image_is_left_to_the_images_test(
    ask: Callable[..., dict[str, Finding]],
) -> None:
    assert ask(MODEL_FOLDER="/opt/model")["model"].well is None


def test_the_command_says_what_is_missing_in_this_shell(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "local", "doctor"],
        env={"PYTHONPATH": str(ROOT), "AWS_DEFAULT_REGION": REGION, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "WRONG  settings: set the environment variable QUEUE_URL" in done.stdout
    assert done.stderr == ""
