"""The doctor, on setups that work and on setups that do not."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import boto3
import httpx
import pytest

from simulators.aws.account import STACK
from simulators.aws.template import REGION
from simulators.samples import CHANNEL
from simulators.slack.methods import Grant
from simulators.slack.workspace import Channel
from simulators.stack import Stack
from tests.cli.command import run, started
from tests.http_slack import SECRET
from tests.socket_mode import TOKENS, SocketModeSlack
from toxic_bot.operator.doctor.aws import worker_environment
from toxic_bot.operator.doctor.deployment import diagnose_aws
from toxic_bot.operator.doctor.finding import Finding
from toxic_bot.operator.stack import Deployment, DeploymentError
from toxic_bot.slack.web_api.client import BOT_SCOPES

pytestmark = pytest.mark.slow

ABROAD = "arn:aws:secretsmanager:eu-west-1:123456789012:secret:a-AbCdEf"


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
def diagnose(stack: Stack, session: boto3.Session) -> Callable[..., dict[str, Finding]]:
    def findings(channel: str = CHANNEL, **changed: str) -> dict[str, Finding]:
        environment = stack.worker.config.environment | changed
        return {finding.what: finding for finding in diagnose_aws(environment, channel, session)}

    return findings


def test_a_working_deployment_passes_every_check(
    diagnose: Callable[..., dict[str, Finding]],
) -> None:
    findings = diagnose()
    assert [finding for finding in findings.values() if not finding.ok] == []
    assert set(findings) == {
        "settings",
        "region",
        "model",
        "queue",
        "text queue",
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
        ("text queue", {"TEXT_QUEUE_URL": "https://sqs.us-east-1.amazonaws.com/1/nothing"}),
        ("table", {"CLAIM_TABLE": "nothing"}),
        ("signing secret", {"SIGNING_SECRET_NAME": "nothing"}),
        ("bot token", {"BOT_TOKEN_NAME": "nothing"}),
        ("Slack", {"SLACK_API_URL": "http://127.0.0.1:9/api/"}),
    ],
)
def test_every_problem_is_reported_with_a_remedy(
    diagnose: Callable[..., dict[str, Finding]], what: str, changed: dict[str, str]
) -> None:
    finding = diagnose(**changed)[what]
    assert finding.ok is False
    assert finding.detail
    assert finding.remedy


@pytest.mark.parametrize(
    ("changed", "detail"),
    [
        (
            {"SIGNING_SECRET_NAME": ABROAD},
            "the signing secret is in eu-west-1, this shell uses us-east-1",
        ),
        (
            {"BOT_TOKEN_NAME": ABROAD},
            "the bot token is in eu-west-1, this shell uses us-east-1",
        ),
        (
            {"QUEUE_URL": "https://sqs.eu-west-1.amazonaws.com/123456789012/toxic-bot"},
            "the queue is in eu-west-1, this shell uses us-east-1",
        ),
    ],
)
def test_a_resource_in_another_region_is_named(
    diagnose: Callable[..., dict[str, Finding]], changed: dict[str, str], detail: str
) -> None:
    finding = diagnose(**changed)["region"]
    assert (finding.ok, finding.detail) == (False, detail)
    assert "AWS_REGION" in finding.remedy


def test_swapped_secrets_are_detected(
    diagnose: Callable[..., dict[str, Finding]], stack: Stack
) -> None:
    names = stack.worker.config.environment
    findings = diagnose(
        SIGNING_SECRET_NAME=names["BOT_TOKEN_NAME"], BOT_TOKEN_NAME=names["SIGNING_SECRET_NAME"]
    )
    assert "signing secret" in findings["signing secret"].detail
    assert "xoxb-" in findings["bot token"].detail


def test_a_missing_scope_is_named(
    diagnose: Callable[..., dict[str, Finding]], stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    reduced = Grant(BOT_SCOPES - {"groups:history"})
    monkeypatch.setitem(stack.web_api.grants, stack.secrets.bot_token, reduced)
    assert diagnose()["Slack"].detail == "the token lacks groups:history"


def test_a_channel_without_the_bot_is_reported(
    diagnose: Callable[..., dict[str, Finding]], stack: Stack
) -> None:
    stack.workspace.add_channel(Channel("C0EMPTY001", "empty"))
    finding = diagnose("C0EMPTY001")["channel C0EMPTY001"]
    assert (finding.ok, finding.detail) == (False, "Slack answered not_in_channel")
    assert "/invite" in finding.remedy


@pytest.mark.parametrize(("moderators", "ok"), [(CHANNEL, True), ("C0EMPTY002", False)])
def test_the_bot_should_be_in_the_moderators_channel(
    diagnose: Callable[..., dict[str, Finding]], stack: Stack, moderators: str, ok: bool
) -> None:
    stack.workspace.add_channel(Channel("C0EMPTY002", "moderators"))
    assert diagnose(MODERATORS=moderators)["moderators' channel"].ok is ok


def test_no_finding_contains_a_secret(
    diagnose: Callable[..., dict[str, Finding]], stack: Stack
) -> None:
    findings = repr(diagnose())
    assert stack.secrets.bot_token not in findings
    assert stack.secrets.signing_secret not in findings


@pytest.fixture
def unsigned_requests_allowed(stack: Stack) -> Iterator[None]:
    # moto cannot verify the signature of Lambda's GET requests.
    httpx.post(f"{stack.aws.endpoint}/moto-api/reset-auth", content=b"inf")
    yield
    httpx.post(f"{stack.aws.endpoint}/moto-api/reset-auth", content=b"0")


@pytest.mark.usefixtures("unsigned_requests_allowed")
def test_a_deployed_stack_is_found_by_name(stack: Stack, session: boto3.Session) -> None:
    assert worker_environment(Deployment.find(STACK, session)) == {
        **stack.worker.config.environment,
        "MODEL_FOLDER": "/opt/model",
    }
    with pytest.raises(DeploymentError, match="nonsense"):
        Deployment.find("nonsense", session)


def test_a_model_inside_the_image_is_not_checked_from_outside(
    diagnose: Callable[..., dict[str, Finding]],
) -> None:
    assert diagnose(MODEL_FOLDER="/opt/model")["model"].ok is None


# ------------------------------------------------------------- the command in a shell


@pytest.fixture
def shell(slack: SocketModeSlack, tmp_path: Path) -> dict[str, str]:
    """The environment of a shell in which only Slack's address is set."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "AWS_DEFAULT_REGION": REGION,
        "SLACK_API_URL": slack.environment["SLACK_API_URL"],
    }


def test_without_a_setup_the_doctor_lists_its_uses_and_checks_the_machine(
    shell: dict[str, str],
) -> None:
    result = run("doctor", environment=shell)
    for way in ("--stack NAME", "QUEUE_URL", "SLACK_APP_TOKEN"):
        assert way in result.stdout
    assert "ok     model: toxic-minilm-l6 loads" in result.stdout
    assert "ok     clock: within" in result.stdout
    assert (result.returncode, result.stderr) == (0, "")


def test_a_missing_function_variable_is_named(shell: dict[str, str]) -> None:
    result = run("doctor", environment=shell | {"CLAIM_TABLE": "claims"})
    assert result.returncode == 1
    assert "WRONG  settings: set the environment variable QUEUE_URL" in result.stdout
    assert result.stderr == ""


def test_a_working_socket_mode_setup_passes_every_check(shell: dict[str, str]) -> None:
    result = run("doctor", "--channel", CHANNEL, environment=shell | TOKENS)
    assert result.returncode == 0, result.stdout
    checks = [line.split(":")[0].split(maxsplit=1) for line in result.stdout.splitlines()]
    assert checks == [
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
def test_every_socket_mode_problem_is_reported_with_a_remedy(
    shell: dict[str, str], changed: dict[str, str], what: str
) -> None:
    result = run("doctor", environment=shell | TOKENS | changed)
    assert result.returncode == 1
    problem, remedy = result.stdout[result.stdout.index("WRONG") :].splitlines()[:2]
    assert what in problem
    assert remedy.strip().startswith("-> ")
    assert not any(token in result.stdout for token in (TOKENS | changed).values() if token)


@pytest.fixture
def listening_shell(shell: dict[str, str]) -> dict[str, str]:
    """The environment of a shell for ``toxic-bot listen``."""
    return shell | {"SLACK_SIGNING_SECRET": SECRET, "SLACK_BOT_TOKEN": TOKENS["SLACK_BOT_TOKEN"]}


def test_a_bot_that_listens_passes_every_check(
    listening_shell: dict[str, str], tmp_path: Path
) -> None:
    arguments = ("--port", "0", "--database", str(tmp_path / "bot.sqlite"))
    with started("listen", *arguments, environment=listening_shell) as process:
        assert process.stdout is not None
        url = process.stdout.readline().decode().split()[4]
        file = arguments[2:]
        result = run("doctor", "--request-url", url, *file, environment=listening_shell)
    assert result.returncode == 0, result.stdout
    assert "ok     rate limits: none of Slack's is in force; 0 requests wait" in result.stdout
    assert "ok     request URL: answers a signed challenge" in result.stdout


@pytest.mark.parametrize(
    ("secret", "path", "remedy"),
    [
        ("f" * 32, "/slack/events", "with this SLACK_SIGNING_SECRET"),
        (SECRET, "/slack", "the URL ends with /slack/events"),
        (SECRET, None, "start 'toxic-bot listen'"),
    ],
    ids=["other-secret", "other-path", "nobody"],
)
def test_what_keeps_slack_from_a_bot_that_listens_is_reported_with_a_remedy(
    listening_shell: dict[str, str], tmp_path: Path, secret: str, path: str | None, remedy: str
) -> None:
    arguments = ("--port", "0", "--database", str(tmp_path / "bot.sqlite"))
    with started("listen", *arguments, environment=listening_shell) as process:
        assert process.stdout is not None
        url = process.stdout.readline().decode().split()[4].replace("/slack/events", path or "")
        url = url if path else "http://127.0.0.1:9/slack/events"
        shell = listening_shell | {"SLACK_SIGNING_SECRET": secret}
        result = run("doctor", "--request-url", url, environment=shell)
    assert result.returncode == 1
    assert remedy in result.stdout
    assert secret not in result.stdout


def test_without_a_url_a_bot_that_listens_is_checked_but_for_it(
    listening_shell: dict[str, str],
) -> None:
    result = run("doctor", environment=listening_shell)
    assert result.returncode == 0, result.stdout
    assert "pass --request-url" in result.stdout


def test_an_unknown_aws_profile_is_reported(shell: dict[str, str]) -> None:
    result = run("doctor", "--stack", "bot", environment=shell | {"AWS_PROFILE": "nobody"})
    assert result.returncode == 1
    assert "WRONG  AWS: this shell's profile cannot be used" in result.stdout
    assert result.stderr == ""
