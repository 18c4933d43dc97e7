"""``toxic-bot release``, with moto's CloudFormation and S3."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.client import BaseClient
from moto import mock_aws

from simulators.aws.template import REGION
from tests.template.code import ROOT
from toxic_bot.cli.command_line import main
from toxic_bot.operator import releases

pytestmark = pytest.mark.slow

STACK = "toxic-bot-prod"
BUCKET = "aws-sam-cli-managed-default-samclisourcebucket"
REGISTRY = "123456789012.dkr.ecr.us-east-1.amazonaws.com/toxic-bot"
FIRST, SECOND, THIRD = (f"worker-{letter * 12}-latest" for letter in "abc")


def template(tag: str, **parameters: str) -> str:
    """Return a template like the project's, as far as moto's CloudFormation keeps it."""
    functions = {
        name: {
            "Type": "AWS::SNS::Topic",
            "Properties": {"TopicName": tag},
            "Metadata": {"ImageUri": f"{REGISTRY}:{tag.replace('worker', name.lower())}"},
        }
        for name in ("Receiver", "Worker")
    }
    declared = {
        name: {"Type": "String", "Default": default}
        for name, default in {"Deployment": "Canary10Percent5Minutes", **parameters}.items()
    }
    return json.dumps({"Parameters": declared, "Resources": functions})


class Sam:
    """'sam deploy', which stores a template before it deploys it."""

    def __init__(self) -> None:
        self._s3: Any = boto3.client("s3")
        self.cloudformation: Any = boto3.client("cloudformation")
        bucket = {"SourceBucket": {"Value": BUCKET}}
        topic = {"Topic": {"Type": "AWS::SNS::Topic"}}
        managed = json.dumps({"Resources": topic, "Outputs": bucket})
        self.cloudformation.create_stack(StackName=releases.SAM_STACK, TemplateBody=managed)
        self._s3.create_bucket(Bucket=BUCKET)

    def deploy(self, body: str, **values: str) -> None:
        key = f"{STACK}/{len(self.stored())}.template"
        self._s3.put_object(Bucket=BUCKET, Key=key, Body=body.encode())
        exists = self.stored() != [key]
        call = self.cloudformation.update_stack if exists else self.cloudformation.create_stack
        parameters = [{"ParameterKey": n, "ParameterValue": value} for n, value in values.items()]
        call(StackName=STACK, TemplateBody=body, Parameters=parameters)

    def stored(self) -> list[str]:
        listed = self._s3.list_objects_v2(Bucket=BUCKET, Prefix=f"{STACK}/")
        return [one["Key"] for one in listed.get("Contents", ())]

    def tag(self) -> str:
        body = self.cloudformation.get_template(StackName=STACK)["TemplateBody"]
        return releases._tag(json.dumps(body))

    def values(self) -> dict[str, str]:
        [stack] = self.cloudformation.describe_stacks(StackName=STACK)["Stacks"]
        return {one["ParameterKey"]: one["ParameterValue"] for one in stack["Parameters"]}


@pytest.fixture
def sam(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sam]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", REGION)
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    monkeypatch.setattr(releases, "POLL_SECONDS", 0.0)
    with mock_aws():
        yield Sam()


def test_the_releases_are_listed_and_the_present_one_is_marked(
    sam: Sam, capsys: pytest.CaptureFixture[str]
) -> None:
    for tag in (FIRST, SECOND):
        sam.deploy(template(tag), Deployment="Canary10Percent5Minutes")
    assert main(["release", "list", "--stack", STACK]) == 0
    latest, first = capsys.readouterr().out.splitlines()
    assert re.fullmatch(rf"\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\dZ  {SECOND}  live", latest)
    assert first.endswith(FIRST)


def test_one_command_goes_back_to_the_release_before_at_once_and_keeps_the_settings(
    sam: Sam, monkeypatch: pytest.MonkeyPatch
) -> None:
    sam.deploy(template(FIRST, Answer="thread"), Answer="nudge")
    sam.deploy(template(SECOND, Answer="thread", About=""), Answer="nudge", About="https://a.org")
    sent: list[Any] = []
    # The stubs hide how a client makes its calls.
    client_type: Any = BaseClient
    call = client_type._make_api_call

    def recorded(client: BaseClient, operation: str, parameters: dict[str, Any]) -> Any:
        if operation == "UpdateStack":
            sent.extend(parameters["Parameters"])
        return call(client, operation, parameters)

    monkeypatch.setattr(BaseClient, "_make_api_call", recorded)
    assert main(["release", "restore", "--stack", STACK]) == 0
    assert sam.tag() == FIRST
    # The older template does not know the newer parameter, which CloudFormation would refuse.
    assert sent == [
        {"ParameterKey": "Deployment", "ParameterValue": "AllAtOnce"},
        {"ParameterKey": "Answer", "UsePreviousValue": True},
    ]
    assert sam.values()["Answer"] == "nudge"


def test_a_release_is_restored_by_the_tag_of_its_image(sam: Sam) -> None:
    for tag in (FIRST, SECOND, THIRD):
        sam.deploy(template(tag))
    assert main(["release", "restore", "--stack", STACK, FIRST]) == 0
    assert sam.tag() == FIRST
    assert main(["release", "restore", "--stack", STACK, THIRD]) == 0
    assert sam.tag() == THIRD


@pytest.mark.parametrize("arguments", [[], ["worker-dddddddddddd-latest"]])
def test_where_there_is_nothing_to_go_back_to_a_line_says_so(
    sam: Sam, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    sam.deploy(template(FIRST))
    assert main(["release", "restore", "--stack", STACK, *arguments]) == 1
    assert "'toxic-bot release list' shows them" in capsys.readouterr().err
    assert sam.tag() == FIRST


def test_a_refusal_of_cloudformation_is_one_line(
    sam: Sam, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sam.deploy(template(FIRST))
    sam.deploy(template(SECOND))
    monkeypatch.setattr(releases.Releases, "_status", lambda _: "UPDATE_ROLLBACK_COMPLETE")
    assert main(["release", "restore", "--stack", STACK]) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert "UPDATE_ROLLBACK_COMPLETE" in line


@pytest.mark.parametrize("stage", ["default", "prod"])
def test_sam_stores_the_releases_of_a_stage_under_the_name_of_its_stack(stage: str) -> None:
    config = tomllib.loads((ROOT / "samconfig.toml").read_text("utf-8"))
    deploy = config[stage]["deploy"]["parameters"]
    assert deploy["s3_prefix"] == deploy["stack_name"]
