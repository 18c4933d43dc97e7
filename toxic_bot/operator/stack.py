"""A deployed stack, as the AWS account describes it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, overload

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from toxic_bot.judge.errors import ToxicBotError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_sqs import SQSClient

TIMEOUT = 10
"""Seconds that a call may take."""


class DeploymentError(ToxicBotError):
    """A deployment cannot be found, or does not let this shell do what it was asked to do."""


def create_session() -> boto3.Session:
    """Return a session with this shell's credentials and region.

    Raises
    ------
    DeploymentError
        When the profile that AWS_PROFILE names does not exist.
    """
    try:
        # botocore knows the region's other name alone.
        return boto3.Session(region_name=os.environ.get("AWS_REGION") or None)
    except BotoCoreError as error:
        raise DeploymentError(
            f"this shell's profile cannot be used ({reason(error)}): check AWS_PROFILE"
        ) from error


def client_config() -> Config:
    """Return the timeouts and retries of an operator's calls."""
    return Config(connect_timeout=TIMEOUT, read_timeout=TIMEOUT, retries={"total_max_attempts": 2})


@dataclass(frozen=True, slots=True)
class Deployment:
    """A stack and its resources.

    Parameters
    ----------
    stack
        The stack's name.
    resources
        Physical IDs by logical ID.
    outputs
        The stack's outputs.
    session
        Credentials and region.
    """

    stack: str
    resources: Mapping[str, str]
    outputs: Mapping[str, str]
    session: boto3.Session = field(repr=False)

    @classmethod
    def find(cls, stack: str, session: boto3.Session) -> Deployment:
        """Look a stack up.

        Raises
        ------
        DeploymentError
            When it cannot be found.
        """
        try:
            client = session.client("cloudformation", config=client_config())
            [description] = client.describe_stacks(StackName=stack)["Stacks"]
            pages = client.get_paginator("list_stack_resources").paginate(StackName=stack)
            resources = {
                one["LogicalResourceId"]: one["PhysicalResourceId"]
                for page in pages
                for one in page["StackResourceSummaries"]
                if "PhysicalResourceId" in one
            }
        except (BotoCoreError, ClientError, ValueError) as error:
            raise DeploymentError(
                f"the stack {stack} cannot be found ({reason(error)}): check its name, the region "
                "and your AWS credentials with 'aws sts get-caller-identity'"
            ) from error
        outputs = {one["OutputKey"]: one["OutputValue"] for one in description.get("Outputs", [])}
        return cls(stack, resources, outputs, session)

    def physical_id(self, logical_id: str) -> str:
        """Return the name, URL or ID of a resource.

        Raises
        ------
        DeploymentError
            When the stack has no such resource.
        """
        try:
            return self.resources[logical_id]
        except KeyError:
            raise DeploymentError(
                f"the stack {self.stack} has no {logical_id}: deploy this version of template.yaml"
            ) from None

    @overload
    def client(self, service: Literal["sqs"]) -> SQSClient: ...
    @overload
    def client(self, service: Literal["dynamodb"]) -> DynamoDBClient: ...
    @overload
    def client(self, service: str) -> Any: ...

    def client(self, service: Any) -> Any:
        """Return a client with an operator's timeouts."""
        return self.session.client(service, config=client_config())


def reason(error: Exception) -> str:
    """Return what to tell of an error: AWS's code, or else its type."""
    if isinstance(error, ClientError):
        return str(error.response.get("Error", {}).get("Code", "unknown error"))
    return type(error).__name__
