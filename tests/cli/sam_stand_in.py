"""'sam build' and 'sam deploy' as far as the local AWS goes: ``python -m tests.cli.sam_stand_in``.

The real one needs a Docker daemon and what moto's CloudFormation lacks. This one translates the
template with SAM's own translator, stores it in SAM's bucket and creates the stack.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import sys
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import boto3
from botocore.exceptions import ClientError

from simulators.aws.template import Template
from toxic_bot.operator.releases import SAM_STACK

BUCKET = "aws-sam-cli-managed-default-samclisourcebucket"
REQUEST_URL = "STAND_IN_REQUEST_URL"
"""The variable with the address that the local gateway gives the stack's API."""
FAILURE = "STAND_IN_FAILURE"
"""The variable with what goes wrong."""


def parser() -> argparse.ArgumentParser:
    """Return the options that 'toxic-bot up' passes; any other is an error, as it is for SAM."""
    root = argparse.ArgumentParser(allow_abbrev=False)
    commands = root.add_subparsers(dest="command", required=True)
    build, deploy = commands.add_parser("build"), commands.add_parser("deploy")
    for command in (build, deploy):
        command.add_argument("--config-file", type=Path, required=True)
        command.add_argument("--region", required=True)
    build.add_argument("--cached", action="store_true")
    deploy.add_argument("--template-file", type=Path, default=Path("template.yaml"))
    for name in ("--stack-name", "--s3-prefix", "--image-repository"):
        deploy.add_argument(name, required=True)
    for name in ("--resolve-s3", "--no-confirm-changeset", "--no-fail-on-empty-changeset"):
        deploy.add_argument(name, action="store_true", required=True)
    for name in ("--capabilities", "--tags", "--parameter-overrides"):
        deploy.add_argument(name, nargs="+", required=True)
    return root


def options_of(command: str) -> set[str]:
    """Return the options of a command."""
    usage = io.StringIO()
    with redirect_stdout(usage), suppress(SystemExit):
        parser().parse_args([command, "--help"])
    return set(re.findall(r"--[a-z0-9-]+", usage.getvalue())) - {"--help"}


def main() -> int:
    """Run a command."""
    options = parser().parse_args()
    options.config_file.read_text()
    if failure := os.environ.get(FAILURE):
        print(f"Error: {failure}")
        return 1
    if options.command == "deploy":
        deploy(options)
    return 0


def deploy(options: argparse.Namespace) -> None:
    """Create or update the stack, and what moto's CloudFormation leaves out."""
    body = Template.read(options.template_file).body
    body["Outputs"]["RequestUrl"] = {"Value": os.environ[REQUEST_URL]}
    store(options)
    stacks = boto3.client("cloudformation", region_name=options.region)
    given = dict(one.split("=", 1) for one in options.parameter_overrides)
    parameters: list[dict[str, Any]] = [
        {"ParameterKey": name, "ParameterValue": value.strip("'")} for name, value in given.items()
    ]
    try:
        [present] = stacks.describe_stacks(StackName=options.stack_name)["Stacks"]
    except ClientError:
        pass
    else:
        # moto cannot update this template's resources, so the stack is made anew.
        stacks.delete_stack(StackName=options.stack_name)
        # SAM sends UsePreviousValue, which moto refuses for what was left at its default.
        parameters += [
            {"ParameterKey": one["ParameterKey"], "ParameterValue": one["ParameterValue"]}
            for one in present["Parameters"]
            if one["ParameterKey"] not in given
        ]
    stacks.create_stack(
        StackName=options.stack_name,
        TemplateBody=json.dumps(body),
        Parameters=parameters,
        Capabilities=options.capabilities,
    )
    complete(options.stack_name, options.region, given)
    # Let the receiver start now: on a slow machine, a cold one answers the doctor too late.
    with suppress(HTTPError):
        urlopen(Request(os.environ[REQUEST_URL], data=b""), timeout=120)


def store(options: argparse.Namespace) -> None:
    """Keep the template where SAM does."""
    s3 = boto3.client("s3", region_name=options.region)
    stacks = boto3.client("cloudformation", region_name=options.region)
    try:
        stacks.describe_stacks(StackName=SAM_STACK)
    except ClientError:
        bucket = {"SourceBucket": {"Value": BUCKET}}
        topic = {"Topic": {"Type": "AWS::SNS::Topic"}}
        stacks.create_stack(
            StackName=SAM_STACK, TemplateBody=json.dumps({"Resources": topic, "Outputs": bucket})
        )
        s3.create_bucket(Bucket=BUCKET)
        s3.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
    text = options.template_file.read_bytes()
    s3.put_object(Bucket=BUCKET, Key=f"{options.s3_prefix}/1.template", Body=text)


def complete(stack: str, region: str, given: dict[str, str]) -> None:
    """Make what moto's CloudFormation does not: queues that invoke, expiry, the subscription."""
    resources = {
        one["LogicalResourceId"]: one["PhysicalResourceId"]
        for one in boto3.client("cloudformation", region_name=region).describe_stack_resources(
            StackName=stack
        )["StackResources"]
        if "PhysicalResourceId" in one
    }
    functions: Any = boto3.client("lambda", region_name=region)
    for mapping in ("WorkerSource", "WorkerTexts"):
        functions.update_event_source_mapping(UUID=resources[mapping], Enabled=True)
    boto3.client("dynamodb", region_name=region).update_time_to_live(
        TableName=resources["ClaimTable"],
        TimeToLiveSpecification={"Enabled": True, "AttributeName": "expiration"},
    )
    if email := given.get("AlarmEmail", "").strip("'"):
        boto3.client("sns", region_name=region).subscribe(
            TopicArn=resources["Alarms"], Protocol="email", Endpoint=email
        )


if __name__ == "__main__":
    sys.exit(main())
