"""Checks of a deployment's AWS resources."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from toxic_bot.deployment.settings import AwsSettings, SecretStore
from toxic_bot.operator.doctor.finding import CheckError
from toxic_bot.operator.stack import Deployment, DeploymentError, client_config, reason


def worker_environment(deployment: Deployment) -> dict[str, str]:
    """Return the environment of a deployed stack's worker.

    Raises
    ------
    DeploymentError
        When the stack's worker cannot be found.
    """
    try:
        configuration = deployment.client("lambda").get_function_configuration(
            FunctionName=deployment.physical_id("Worker")
        )
    except (BotoCoreError, ClientError) as error:
        raise DeploymentError(
            f"the worker of the stack {deployment.stack} cannot be found ({reason(error)}): check "
            "the region and your AWS credentials with 'aws sts get-caller-identity'"
        ) from error
    # moto takes a parameter of type Number for a number here, too.
    variables = configuration["Environment"]["Variables"]
    return {name: str(value) for name, value in variables.items()}


def check_region(settings: AwsSettings, session: boto3.Session) -> str:
    """Check that this shell, the queue and both secrets are in one region."""
    here = session.region_name
    if here is None:
        raise CheckError(
            "this shell has no region", "export AWS_REGION=us-east-1, or the stack's own"
        )
    queue = re.match(r"https://sqs\.([a-z0-9-]+)\.", settings.queue_url)
    regions = {
        "queue": queue[1] if queue else here,
        "signing secret": _region(settings.signing_secret_name, here),
        "bot token": _region(settings.bot_token_name, here),
    }
    for what, region in regions.items():
        if region != here:
            raise CheckError(
                f"the {what} is in {region}, this shell uses {here}",
                "export AWS_REGION with the region in samconfig.toml; keep the secrets there too",
            )
    return here


def _region(name: str, default: str) -> str:
    return name.split(":")[3] if name.startswith("arn:") else default


def check_queue(settings: AwsSettings, session: boto3.Session) -> str:
    """Check that the queue exists and has a dead-letter queue."""
    attributes = _attributes(settings.queue_url, "QUEUE_URL", session)
    if "RedrivePolicy" not in attributes:
        raise CheckError("it has no dead-letter queue", "deploy template.yaml again")
    dead_letters = json.loads(attributes["RedrivePolicy"])["deadLetterTargetArn"].rpartition(":")[2]
    waiting = attributes["ApproximateNumberOfMessages"]
    return f"{waiting} waiting; failures go to {dead_letters}"


def check_text_queue(settings: AwsSettings, session: boto3.Session) -> str:
    """Check that the queue for texts exists and keeps nothing."""
    attributes = _attributes(settings.text_queue_url, "TEXT_QUEUE_URL", session)
    if "RedrivePolicy" in attributes:
        raise CheckError(
            "it has a dead-letter queue, which would keep texts", "deploy template.yaml again"
        )
    seconds = int(attributes["MessageRetentionPeriod"])
    return f"{attributes['ApproximateNumberOfMessages']} waiting; deleted after {seconds} seconds"


def _attributes(url: str, variable: str, session: boto3.Session) -> Mapping[Any, str]:
    client = session.client("sqs", config=client_config())
    try:
        return client.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    except (BotoCoreError, ClientError) as error:
        raise CheckError(
            f"it cannot be reached ({reason(error)})",
            f"check {variable}, the region and your AWS credentials",
        ) from error


def check_table(settings: AwsSettings, session: boto3.Session) -> str:
    """Check that the table of claims exists and has the right key."""
    try:
        table: Mapping[str, Any] = session.client(
            "dynamodb", config=client_config()
        ).describe_table(TableName=settings.claim_table)["Table"]
    except (BotoCoreError, ClientError) as error:
        raise CheckError(
            f"it cannot be reached ({reason(error)})",
            "check CLAIM_TABLE, the region and your AWS credentials",
        ) from error
    keys = [key["AttributeName"] for key in table["KeySchema"]]
    if keys != ["id"]:
        raise CheckError(f"its key is {', '.join(keys)}, not id", "deploy template.yaml again")
    return f"{settings.claim_table} is {str(table['TableStatus']).lower()}"


def check_signing_secret(settings: AwsSettings, session: boto3.Session) -> str:
    """Check that the signing secret can be read and looks like one."""
    secret = read_secret(settings, settings.signing_secret_name, session)
    if len(secret) < 20 or secret.startswith("xox"):
        raise CheckError(
            "it does not look like a signing secret",
            "store the Signing Secret from the app's page 'Basic Information'",
        )
    return "present"


def read_secret(settings: AwsSettings, name: str, session: boto3.Session) -> str:
    """Return a secret's value.

    Raises
    ------
    CheckError
        When it cannot be read.
    """
    try:
        if settings.secret_store is SecretStore.SSM:
            parameter: str = session.client("ssm", config=client_config()).get_parameter(
                Name=name, WithDecryption=True
            )["Parameter"]["Value"]
            return parameter.strip()
        value: str = session.client("secretsmanager", config=client_config()).get_secret_value(
            SecretId=name
        )["SecretString"]
        return value.strip()
    except (BotoCoreError, ClientError, KeyError) as error:
        raise CheckError(
            f"it cannot be read ({reason(error)})",
            f"create {name} in {settings.secret_store}, or allow your credentials to read it",
        ) from error
