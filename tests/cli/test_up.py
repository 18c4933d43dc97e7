"""``toxic-bot up`` and ``toxic-bot down``, from an empty folder, in the local AWS account."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import boto3
import httpx
import pytest
import yaml
from botocore.exceptions import ClientError

from simulators import ROOT
from simulators.asgi import Server
from simulators.aws.gateway import PATH, gateway
from simulators.aws.template import REGION
from simulators.process import HOST, ServerProcess, free_port, inherited_environment
from simulators.samples import VIEWER, create_workspace
from simulators.slack.methods import Grant, WebApi
from simulators.slack.rate_limits import NO_LIMITS
from simulators.slack.server import application
from tests.aws_account import cold_start
from tests.cli.sam_stand_in import BUCKET, FAILURE, REQUEST_URL, options_of
from tests.template.test_guides import SAM, SAM_HELP
from tests.template.test_parameters import as_sam_reads
from toxic_bot.operator.launch import formation
from toxic_bot.operator.launch.manifest import PLACEHOLDER, finished
from toxic_bot.operator.launch.sam import IMAGE, overrides
from toxic_bot.operator.launch.secrets import BOT_TOKEN, SECRETS, SIGNING_SECRET
from toxic_bot.operator.launch.target import Target
from toxic_bot.operator.stack import Deployment, DeploymentError

SECRET, TOKEN = "0123456789abcdef0123456789abcdef", "xoxb-4711-0815-canary"
STACK = "toxic-bot-dev"
KEY = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}


class Receiver:
    """The deployed receiver, started at the first request as Lambda does."""

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud
        self._module: ModuleType | None = None

    def invoke(self, event: dict[str, Any]) -> Any:
        if self._module is None:
            name = self._cloud.deployment().physical_id("Receiver")
            found = self._cloud.client("lambda").get_function_configuration(FunctionName=name)
            variables = found["Environment"]["Variables"]
            os.environ |= {key: str(value) for key, value in variables.items()}
            os.environ |= self._cloud.environment | {"AWS_DEFAULT_REGION": REGION}
            self._module = cold_start("handler.receiver")
        return self._module.handler(event, None)


@dataclass
class Cloud:
    """The local AWS, a Slack, and a shell in an empty folder that is signed in to both."""

    environment: dict[str, str]
    folder: Path
    slack: Server

    def client(self, service: Any) -> Any:
        return boto3.client(
            service,
            region_name=REGION,
            endpoint_url=self.environment["AWS_ENDPOINT_URL"],
            aws_access_key_id="test",
            aws_secret_access_key="test",
        )

    def deployment(self) -> Deployment:
        return Deployment.find(STACK, boto3.Session(region_name=REGION))

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "toxic_bot", *arguments]

    def run(
        self, *arguments: str, typed: str = "", **variables: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*arguments),
            input=typed,
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=self.environment | variables,
            timeout=300,
            check=False,
        )

    def up(self, *arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        slack = f"SlackApiUrl={self.slack.address}/api/"
        return self.run("up", "--email", "you@example.org", *arguments, slack, typed=typed)

    def secrets(self) -> dict[str, str]:
        client = self.client("secretsmanager")
        return {
            one["Name"]: client.get_secret_value(SecretId=one["ARN"])["SecretString"]
            for one in client.list_secrets()["SecretList"]
        }

    def stored(self) -> list[str]:
        """Return the names of the stored secrets."""
        return [one["Name"] for one in self.client("secretsmanager").list_secrets()["SecretList"]]

    def programs(self) -> str:
        """Return the command lines of Docker and SAM so far."""
        log = self.folder.parent / "programs.log"
        return log.read_text("utf-8") if log.exists() else ""


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a local AWS."""
    port, folder = free_port(), tmp_path_factory.mktemp("aws")
    aws = ServerProcess(
        [sys.executable, "-m", "simulators.aws.moto_server", str(port)],
        port=port,
        log=folder / "aws.log",
        environment=inherited_environment()
        | {"PYTHONPATH": str(ROOT), "MOTO_LAMBDA_STUB_ECR": "true"},
        folder=folder,
    )
    try:
        aws.wait_until_listening()
        yield f"http://{HOST}:{port}"
    finally:
        aws.stop()


@pytest.fixture
def cloud(endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cloud]:
    httpx.post(f"{endpoint}/moto-api/reset", trust_env=False).raise_for_status()
    web_api = WebApi(create_workspace(), {TOKEN: Grant()}, NO_LIMITS)
    slack = Server(application(web_api, VIEWER))
    folder, programs = tmp_path / "empty", tmp_path / "programs"
    folder.mkdir()
    programs.mkdir()
    log = tmp_path / "programs.log"
    for name, does in {
        "docker": "exit 0",
        "sam": f'exec {sys.executable} -m tests.cli.sam_stand_in "$@"',
    }.items():
        script = programs / name
        script.write_text(f'#!/bin/sh\necho "{name} $*" >> {log}\n{does}\n')
        script.chmod(0o755)
    environment = inherited_environment() | {
        "PYTHONPATH": str(ROOT),
        "PATH": f"{programs}:{os.environ['PATH']}",
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_REGION": REGION,
        "AWS_CONFIG_FILE": str(tmp_path / "none"),
        **KEY,
    }
    cloud = Cloud(environment, folder, slack)
    api = Server(gateway(Receiver(cloud)))
    cloud.environment[REQUEST_URL] = f"{api.address}{PATH}"
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    before = dict(os.environ)
    os.environ |= {name: environment[name] for name in environment if name.startswith("AWS_")}
    try:
        slack.start()
        api.start()
        yield cloud
    finally:
        os.environ.clear()
        os.environ |= before
        api.stop()
        slack.stop()


@pytest.mark.long
@pytest.mark.slow
def test_up_deploys_from_an_empty_folder_and_again_and_down_removes_everything(
    cloud: Cloud,
) -> None:
    first = cloud.up("Language=de", typed=f"{SECRET}\n{TOKEN}\n")
    assert first.returncode == 0, first.stdout + first.stderr
    assert "WRONG  " not in first.stdout
    assert "ok     request URL" in first.stdout
    assert cloud.secrets() == {
        "toxic-bot/dev/signing-secret": SECRET,
        "toxic-bot/dev/bot-token": TOKEN,
    }
    assert list(cloud.folder.iterdir()) == []

    # The manifest is complete, and the rest of the output is not part of it.
    app = yaml.safe_load(first.stdout.partition("manifest:\n\n")[2].partition("\nok ")[0])
    urls = {
        app["settings"]["event_subscriptions"]["request_url"],
        app["settings"]["interactivity"]["request_url"],
        *(command["url"] for command in app["features"]["slash_commands"]),
    }
    assert urls == {cloud.environment[REQUEST_URL]}

    again = cloud.up("Answer=nudge")
    assert again.returncode == 0, again.stdout + again.stderr
    [stack] = cloud.client("cloudformation").describe_stacks(StackName=STACK)["Stacks"]
    values = {one["ParameterKey"]: one["ParameterValue"] for one in stack["Parameters"]}
    assert (values["Language"], values["Answer"]) == ("de", "nudge")
    [repository] = cloud.client("ecr").describe_repositories()["repositories"]
    assert repository["repositoryName"] == "toxic-bot"
    assert cloud.client("ecr").get_lifecycle_policy(repositoryName="toxic-bot")

    told = first.stdout + first.stderr + again.stdout + again.stderr + cloud.programs()
    told += (ROOT / "build" / "up.log").read_text("utf-8")
    assert SECRET not in told
    assert TOKEN not in told

    down = cloud.run("down", "--yes")
    assert down.returncode == 0, down.stderr
    assert formation.status(Target.find("dev")) == formation.GONE
    assert cloud.client("ecr").describe_repositories()["repositories"] == []
    assert cloud.client("s3").list_object_versions(Bucket=BUCKET).get("Versions", []) == []
    for kind in SECRETS:
        found = cloud.client("secretsmanager").describe_secret(
            SecretId=kind.name(Target.find("dev"))
        )
        assert "DeletedDate" in found
    assert "Kept:" in down.stdout
    assert "api.slack.com/apps" in down.stdout

    twice = cloud.run("down", "--yes")
    assert twice.returncode == 0
    assert "there was no more of the stack" in twice.stdout

    # Within a week, nobody has to find the secrets again.
    assert cloud.up().returncode == 0
    assert cloud.secrets()["toxic-bot/dev/bot-token"] == TOKEN


@pytest.mark.slow
def test_up_takes_an_image_that_is_in_ecr_already_and_needs_no_docker(cloud: Cloud) -> None:
    (cloud.folder.parent / "programs" / "docker").write_text("#!/bin/sh\nexit 1\n")
    image = "123456789012.dkr.ecr.us-east-1.amazonaws.com/toxic-bot@sha256:" + "0a" * 32
    result = cloud.up("--image", image, typed=f"{SECRET}\n{TOKEN}\n")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "sam build" not in cloud.programs()
    stored = cloud.client("s3").get_object(Bucket=BUCKET, Key=f"{STACK}/1.template")
    template = stored["Body"].read().decode()
    assert f"ImageUri: {image}" in template
    assert IMAGE not in template


@pytest.mark.slow
def test_what_is_typed_never_appears_in_the_terminal(cloud: Cloud) -> None:
    master, slave = pty.openpty()
    process = subprocess.Popen(
        cloud.command("up"),
        stdin=slave,
        stdout=slave,
        stderr=slave,
        cwd=cloud.folder,
        # It ends after the questions.
        env=cloud.environment | {FAILURE: "enough"},
        start_new_session=True,
    )
    os.close(slave)
    shown = b""
    answers = [(b"Signing Secret", SECRET), (b"OAuth Token", TOKEN)]
    try:
        while True:
            try:
                shown += os.read(master, 4096)
            except OSError:  # the other end is closed
                break
            if answers and shown.rstrip().endswith(b":") and answers[0][0] in shown:
                os.write(master, f"{answers.pop(0)[1]}\n".encode())
                shown += b"|"
        assert process.wait(300) == 1
    finally:
        process.kill()
        os.close(master)
    assert answers == []
    assert b"enough" in shown
    assert SECRET.encode() not in shown
    assert TOKEN.encode() not in shown
    assert len(cloud.stored()) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("", "standard input ends before the Signing Secret"),
        (f"{SECRET}\n", "standard input ends before the Bot User OAuth Token"),
        (f"{TOKEN}\n{SECRET}\n", "that is not the Signing Secret: copy it from"),
        (f"{SECRET}\nxapp-canary\n", "that is not the Bot User OAuth Token"),
    ],
)
def test_a_secret_that_is_missing_or_another_stores_nothing(
    cloud: Cloud, typed: str, line: str
) -> None:
    result = cloud.up(typed=typed)
    [error] = result.stderr.splitlines()
    assert error.startswith(f"error: {line}")
    assert "canary" not in error
    assert cloud.stored() == []
    assert "sam deploy" not in cloud.programs()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variables", "line"),
    [
        ({"AWS_REGION": ""}, "no region is set: export AWS_REGION"),
        (
            {
                "AWS_ACCESS_KEY_ID": "",
                "AWS_SECRET_ACCESS_KEY": "",
                "AWS_EC2_METADATA_DISABLED": "1",
            },
            "this shell is not signed in to AWS",
        ),
        ({"PATH": "/nowhere"}, "sam is missing: install it, https://"),
    ],
)
def test_what_a_shell_lacks_is_one_line_before_anybody_is_asked(
    cloud: Cloud, variables: dict[str, str], line: str
) -> None:
    result = cloud.run("up", typed=f"{SECRET}\n{TOKEN}\n", **variables)
    assert result.returncode == 1
    [error] = result.stderr.splitlines()
    assert error.startswith(f"error: {line}")
    assert cloud.stored() == []


@pytest.mark.slow
def test_a_failed_deployment_is_one_line_that_says_what_to_do(cloud: Cloud) -> None:
    result = cloud.run("up", typed=f"{SECRET}\n{TOKEN}\n", **{FAILURE: "no such bucket"})
    [error] = result.stderr.splitlines()
    # SAM failed before CloudFormation began, at the image.
    assert error.startswith("error: the image cannot be built (no such bucket): see ")
    assert result.returncode == 1
    # The secrets need not be found again.
    assert len(cloud.stored()) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--stage", "Prod!"], "'Prod!' is no name of a stage"),
        (["Langauge=de"], "template.yaml has no parameter Langauge"),
        (["Language"], "'Language' is no parameter: write NAME=VALUE"),
        (["Stage=prod"], "Stage cannot be set here: use --stage"),
    ],
)
def test_a_typing_error_is_one_line(cloud: Cloud, arguments: list[str], line: str) -> None:
    result = cloud.run("up", *arguments)
    [error] = result.stderr.splitlines()
    assert error.startswith(f"error: {line}")


@pytest.mark.slow
def test_down_removes_nothing_without_being_told_to_and_spares_what_another_stage_uses(
    cloud: Cloud,
) -> None:
    cloud.client("ecr").create_repository(repositoryName="toxic-bot")
    topic = '{"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}}'
    for stack in (STACK, "toxic-bot-prod"):
        cloud.client("cloudformation").create_stack(StackName=stack, TemplateBody=topic)
    unasked = cloud.run("down")
    assert unasked.returncode == 1
    assert "use --yes" in unasked.stderr
    assert formation.status(Target.find("dev")) == "CREATE_COMPLETE"
    told = cloud.run("down", "--yes")
    assert told.returncode == 0, told.stderr
    assert "the repository toxic-bot, which toxic-bot-prod may use" in told.stdout
    assert cloud.client("ecr").describe_repositories()["repositories"]
    assert formation.status(Target.find("dev")) == formation.GONE
    assert formation.status(Target.find("prod")) == "CREATE_COMPLETE"


class Formation:
    """CloudFormation, as far as its states go."""

    def __init__(self, status: str, events: list[dict[str, str]] | None = None) -> None:
        self.status, self.events, self.deleted = status, events or [], False

    def describe_stacks(self, StackName: str) -> dict[str, Any]:  # noqa: N803 - AWS's name
        if self.deleted:
            error = {"Error": {"Code": "ValidationError", "Message": f"no {StackName}"}}
            raise ClientError(error, "DescribeStacks")  # type: ignore[arg-type] # a response has more fields, which nobody reads
        return {"Stacks": [{"StackStatus": self.status}]}

    def get_paginator(self, operation: str) -> Formation:
        assert operation == "describe_stack_events"
        return self

    def paginate(self, StackName: str) -> list[dict[str, Any]]:  # noqa: ARG002, N803 - AWS's name
        return [{"StackEvents": [one]} for one in self.events]

    def delete_stack(self, StackName: str) -> None:  # noqa: ARG002, N803 - AWS's name
        self.deleted = True


def target(stack: Formation) -> Target:
    class Session:
        def client(self, *_: Any, **__: Any) -> Formation:
            return stack

    return Target("dev", "123456789012", REGION, Session())  # type: ignore[arg-type] # stands in for boto3's


def test_a_stack_whose_first_deployment_failed_makes_way_for_the_next() -> None:
    stack = Formation("ROLLBACK_COMPLETE")
    formation.make_way(target(stack))
    assert stack.deleted


@pytest.mark.parametrize(
    "status", ["CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE"]
)
def test_a_stack_that_stands_is_left_as_it_is(status: str) -> None:
    stack = Formation(status)
    formation.make_way(target(stack))
    assert not stack.deleted


@pytest.mark.parametrize(
    ("status", "line"),
    [
        ("UPDATE_ROLLBACK_FAILED", "continue-update-rollback"),
        ("UPDATE_IN_PROGRESS", "wait until that is over"),
    ],
)
def test_a_stack_that_cannot_be_deployed_now_says_what_to_do(status: str, line: str) -> None:
    stack = Formation(status)
    with pytest.raises(DeploymentError, match=line):
        formation.make_way(target(stack))
    assert not stack.deleted


@pytest.mark.long
@pytest.mark.slow
def test_a_failure_before_cloudformation_is_not_blamed_on_an_earlier_deployment(
    cloud: Cloud,
) -> None:
    assert cloud.up(typed=f"{SECRET}\n{TOKEN}\n").returncode == 0
    failing = cloud.folder.parent / "programs" / "sam"
    failing.write_text('#!/bin/sh\n[ "$1" = build ] || { echo "Error: no push"; exit 1; }\n')
    result = cloud.up()
    [error] = result.stderr.splitlines()
    assert error.startswith(f"error: {STACK} cannot be deployed (no push): see ")


def event(resource: str, status: str, reason: str = "") -> dict[str, str]:
    return {
        "LogicalResourceId": resource,
        "PhysicalResourceId": "arn:stack" if resource == STACK else resource,
        "StackId": "arn:stack",
        "ResourceStatus": status,
        "ResourceStatusReason": reason,
    }


def test_the_resource_that_failed_first_since_the_deployment_began_is_named() -> None:
    latest_first = [
        event(STACK, "ROLLBACK_COMPLETE"),
        event("Worker", "CREATE_FAILED", "Resource creation cancelled"),
        event("SecretsAreHere", "CREATE_FAILED", "doesn't match\n pattern"),
        event(STACK, "CREATE_IN_PROGRESS"),
        event("Queue", "CREATE_FAILED", "of an earlier deployment"),
    ]
    for number, one in enumerate(latest_first):
        one["EventId"] = str(number)
    failed = target(Formation("ROLLBACK_COMPLETE", latest_first))
    assert formation.first_failure(failed, "4") == "SecretsAreHere: doesn't match pattern"
    # Nothing has happened since.
    assert formation.latest_event(failed) == "0"
    assert formation.first_failure(failed, "0") == ""


def test_the_manifest_has_no_placeholder_left_and_loses_nothing() -> None:
    url = "https://abc.execute-api.us-east-1.amazonaws.com/slack/events"
    text = (ROOT / "manifest.yaml").read_text("utf-8")
    assert text.count(PLACEHOLDER) == 3
    done = finished(ROOT, url)
    assert "REPLACE-ME" not in done
    assert yaml.safe_load(done) == yaml.safe_load(text.replace(PLACEHOLDER, url))


def test_a_secret_is_recognized_with_the_spaces_that_copying_adds() -> None:
    assert SIGNING_SECRET.checked(f" {SECRET}\n") == SECRET
    assert BOT_TOKEN.checked(f"{TOKEN} ") == TOKEN
    with pytest.raises(DeploymentError) as caught:
        SIGNING_SECRET.checked(TOKEN)
    assert TOKEN not in str(caught.value)


@pytest.mark.slow
def test_sam_reads_every_value_as_it_is_meant() -> None:
    values = {
        "Moderators": "",
        "DigestSchedule": "cron(0 8 ? * MON *)",
        "ChannelAnswers": "C0123456789=nudge,G0123456789=ephemeral",
        "BotTokenArn": "arn:aws:ssm:us-east-1:123456789012:parameter/toxic-bot/dev/bot-token",
        "CodeOfConduct": "https://example.org/a?b=c&d=%20",
    }
    assert as_sam_reads(overrides(values)) == [values]


@pytest.mark.slow
def test_sam_knows_every_option_that_up_gives_it() -> None:
    if not SAM.exists():
        pytest.skip("the SAM CLI is not installed: run 'make .venv/sam' to install it")
    printed = subprocess.run(
        [str(SAM), "-c", SAM_HELP, "build", "deploy"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"SAM_CLI_TELEMETRY": "0"},
    ).stdout
    for name, text in json.loads(printed).items():
        used = options_of(name)
        assert len(used) > 2
        assert {one for one in used if not re.search(rf"{one}\b", text)} == set()
