"""The doctor, on setups that work and on setups that do not."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import boto3
import httpx
import pytest

from handler.slack.client import BOT_SCOPES
from local.aws.account import STACK
from local.aws.template import REGION
from local.samples import CHANNEL
from local.slack.methods import Grant
from local.slack.workspace import Channel
from local.stack import Stack
from tests.socket_mode import TOKENS, SocketModeSlack
from tests.toxic_bot.command import run
from toxic_bot.doctor.aws import stack_environment
from toxic_bot.doctor.diagnosis import diagnose_aws
from toxic_bot.doctor.finding import CheckError, Finding


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
        return {finding.what: finding for finding in diagnose_aws(environment, channel, session)}

    return findings


def test_a_deployment_that_works_has_nothing_wrong(ask: Callable[..., dict[str, Finding]]) -> None:
    findings = ask()
    assert [finding for finding in findings.values() if not finding.ok] == []
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
    assert finding.ok is False
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
    assert (finding.ok, finding.detail) == (False, "Slack answered not_in_channel")
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
def test_a_deployed_stack_is_found_by_its_name(stack: Stack, session: boto3.Session) -> None:
    assert stack_environment(STACK, session) == {
        **stack.worker.config.environment,
        "MODEL_FOLDER": "/opt/model",
    }
    with pytest.raises(CheckError, match="nonsense"):
        stack_environment("nonsense", session)


def test_a_model_inside_the_image_is_left_to_the_images_test(
    ask: Callable[..., dict[str, Finding]],
) -> None:
    assert ask(MODEL_FOLDER="/opt/model")["model"].ok is None


# ------------------------------------------------------------- the command, in a shell


@pytest.fixture
def shell(slack: SocketModeSlack, tmp_path: Path) -> dict[str, str]:
    """A shell in which only Slack's address is set."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "AWS_DEFAULT_REGION": REGION,
        "SLACK_API_URL": slack.environment["SLACK_API_URL"],
    }


def test_with_nothing_set_it_lists_the_ways_to_use_it_and_checks_the_machine(
    shell: dict[str, str],
) -> None:
    done = run("doctor", environment=shell)
    for way in ("--stack NAME", "QUEUE_URL", "SLACK_APP_TOKEN"):
        assert way in done.stdout
    assert "ok     model: toxic-minilm-l6 loads" in done.stdout
    assert "ok     clock: within" in done.stdout
    assert (done.returncode, done.stderr) == (0, "")


def test_a_missing_variable_of_a_function_is_named(shell: dict[str, str]) -> None:
    done = run("doctor", environment=shell | {"CLAIM_TABLE": "claims"})
    assert done.returncode == 1
    assert "WRONG  settings: set the environment variable QUEUE_URL" in done.stdout
    assert done.stderr == ""


def test_a_socket_mode_setup_that_works_has_nothing_wrong(shell: dict[str, str]) -> None:
    done = run("doctor", "--channel", CHANNEL, environment=shell | TOKENS)
    assert done.returncode == 0, done.stdout
    found = [line.split(":")[0].split(maxsplit=1) for line in done.stdout.splitlines()]
    assert found == [
        ["ok", what]
        for what in ("settings", "model", "app token", "Slack", f"channel {CHANNEL}", "clock")
    ]


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"SLACK_APP_TOKEN": "xapp-1-other"}, "app token: Slack answered invalid_auth"),
        ({"SLACK_BOT_TOKEN": "xoxb-other"}, "Slack: Slack answered invalid_auth"),
        ({"SLACK_BOT_TOKEN": ""}, "settings: set the environment variable SLACK_BOT_TOKEN"),
    ],
)
def test_what_is_wrong_with_a_socket_mode_setup_is_named_with_its_remedy(
    shell: dict[str, str], changed: dict[str, str], what: str
) -> None:
    done = run("doctor", environment=shell | TOKENS | changed)
    assert done.returncode == 1
    wrong, remedy = done.stdout[done.stdout.index("WRONG") :].splitlines()[:2]
    assert what in wrong
    assert remedy.strip().startswith("-> ")
    assert not [token for token in (TOKENS | changed).values() if token and token in done.stdout]


def test_a_profile_that_does_not_exist_is_named(shell: dict[str, str]) -> None:
    done = run("doctor", "--stack", "bot", environment=shell | {"AWS_PROFILE": "nobody"})
    assert done.returncode == 1
    assert "WRONG  AWS: this shell's profile cannot be used" in done.stdout
    assert done.stderr == ""
