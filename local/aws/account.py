"""An AWS on this machine: moto's server, and the stack that ``template.yaml`` declares in it."""

from __future__ import annotations

import ast
import json
import secrets
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload
from urllib.parse import urlsplit

import httpx
from botocore.config import Config
from botocore.exceptions import ClientError

from local import LocalError
from local.aws.template import REGION, Template, session
from local.process import HOST, ServerProcess, free_port, inherited

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_secretsmanager import SecretsManagerClient
    from mypy_boto3_sqs import SQSClient

STACK = "toxic-bot"
ROOT = Path(__file__).parent.parent
SERVER_ENVIRONMENT = {
    "PYTHONPATH": str(ROOT),
    # The functions' image is in no registry of this account's.
    "MOTO_LAMBDA_STUB_ECR": "true",
    # A queue may be emptied more often than once a minute.
    "MOTO_SQS_ENFORCE_STRICT_QUEUE_PURGE_BEHAVIOUR": "false",
}


@dataclass(frozen=True, slots=True)
class Credentials:
    """An access key; ``token`` is empty for a user's, and set for an assumed role's."""

    access_key: str
    secret_key: str = field(repr=False)
    token: str = field(default="", repr=False)

    def environment(self) -> dict[str, str]:
        """Return the variables that AWS's SDKs read."""
        variables = {
            "AWS_ACCESS_KEY_ID": self.access_key,
            "AWS_SECRET_ACCESS_KEY": self.secret_key,
        }
        return variables | ({"AWS_SESSION_TOKEN": self.token} if self.token else {})


@dataclass(frozen=True, slots=True)
class Secrets:
    """The two secrets of the bot, random on this machine."""

    signing_secret: str = field(default_factory=lambda: secrets.token_hex(16), repr=False)
    bot_token: str = field(default_factory=lambda: f"xoxb-{secrets.token_hex(20)}", repr=False)


@dataclass(frozen=True, slots=True)
class FunctionConfig:
    """A Lambda function as the stack declares it.

    Parameters
    ----------
    name
        The function's name.
    handler
        Module and function that its image is started with.
    environment
        Its variables.
    timeout
        Seconds.
    memory
        MB.
    credentials
        Of the function's own role.
    """

    name: str
    handler: str
    environment: dict[str, str] = field(repr=False)
    timeout: int
    memory: int
    credentials: Credentials


@dataclass(frozen=True, slots=True)
class SourceConfig:
    """An SQS event source as the stack declares it.

    Parameters
    ----------
    queue_url, queue_arn
        The queue it reads.
    batch_size
        Messages of one invocation at the most.
    window
        Seconds for which a batch is gathered.
    concurrency
        Invocations at the same time at the most.
    partial_failures
        Whether the function's ``batchItemFailures`` are heeded.
    """

    queue_url: str
    queue_arn: str
    batch_size: int
    window: int
    concurrency: int
    partial_failures: bool


class Account:
    """A running moto server with the project's stack in it.

    Every request is checked against the policies of who makes it: each function runs
    under its own role, and ``admin`` may do anything.

    Parameters
    ----------
    folder
        Where the server's log goes.
    template
        What to create.
    parameters
        Values of the template's parameters; the secrets' ARNs are added here.
    bot_secrets
        Put into Secrets Manager before the stack is created.
    environment
        Replaces variables of both functions: what the image holds elsewhere.
    """

    def __init__(
        self,
        folder: Path,
        template: Template,
        *,
        parameters: Mapping[str, str],
        bot_secrets: Secrets,
        environment: Mapping[str, str],
    ) -> None:
        port = free_port()
        self.endpoint = f"http://{HOST}:{port}"
        self.template = template
        self.admin = Credentials("AKIALOCAL", "local")
        self._replaced = dict(environment)
        self._session = session()
        self._clients: dict[tuple[str, Credentials], Any] = {}
        self._lock = threading.Lock()
        self._process = ServerProcess(
            [sys.executable, "-m", "local.aws.moto_server", str(port)],
            port=port,
            log=folder / "aws.log",
            environment=inherited() | SERVER_ENVIRONMENT,
            folder=folder,
        )
        try:
            self._process.wait_until_listening()
            self._create(parameters, bot_secrets)
        except BaseException:
            self.stop()
            raise

    def _create(self, parameters: Mapping[str, str], bot_secrets: Secrets) -> None:
        vault = self.client("secretsmanager")
        arns = {
            parameter: vault.create_secret(Name=name, SecretString=value)["ARN"]
            for parameter, name, value in (
                ("SigningSecretArn", "toxic-bot/signing-secret", bot_secrets.signing_secret),
                ("BotTokenArn", "toxic-bot/bot-token", bot_secrets.bot_token),
            )
        }
        values = dict(parameters) | arns
        cloudformation = self.client("cloudformation")
        try:
            cloudformation.create_stack(
                StackName=STACK,
                TemplateBody=json.dumps(self.template.body),
                Parameters=[
                    {"ParameterKey": key, "ParameterValue": value} for key, value in values.items()
                ],
                Capabilities=["CAPABILITY_NAMED_IAM"],
            )
            resources = cloudformation.describe_stack_resources(StackName=STACK)["StackResources"]
        except ClientError as error:
            raise LocalError(f"the stack cannot be created from template.yaml: {error}") from error
        self._resources: dict[str, str] = {
            one["LogicalResourceId"]: one["PhysicalResourceId"]
            for one in resources
            # moto lists a resource whose condition does not hold, without an id.
            if "PhysicalResourceId" in one
        }
        self._functions = {
            logical_id: self._function(logical_id, handler)
            for logical_id, handler in self.template.handlers.items()
        }
        self._sources = {
            logical_id: self._source(self._resources[logical_id])
            for logical_id in self.template.sources
        }
        self.admin = self._create_admin()
        # From here on moto checks who asks.
        httpx.post(
            f"{self.endpoint}/moto-api/reset-auth", content=b"0", trust_env=False
        ).raise_for_status()

    def _create_admin(self) -> Credentials:
        iam = self.client("iam")
        iam.create_user(UserName="local-admin")
        everything = {
            "Version": "2012-10-17",
            "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}],
        }
        iam.put_user_policy(
            UserName="local-admin",
            PolicyName="everything",
            PolicyDocument=json.dumps(everything),
        )
        key = iam.create_access_key(UserName="local-admin")["AccessKey"]
        return Credentials(key["AccessKeyId"], key["SecretAccessKey"])

    def _function(self, logical_id: str, handler: str) -> FunctionConfig:
        declared = self.client("lambda").get_function_configuration(
            FunctionName=self.physical_id(logical_id)
        )
        self._write_policies_again(declared["Role"].rpartition("/")[2])
        assumed = self.client("sts").assume_role(
            RoleArn=declared["Role"], RoleSessionName=declared["FunctionName"]
        )["Credentials"]
        return FunctionConfig(
            name=declared["FunctionName"],
            handler=handler,
            environment=declared["Environment"]["Variables"] | self._replaced,
            timeout=declared["Timeout"],
            memory=declared["MemorySize"],
            credentials=Credentials(
                assumed["AccessKeyId"], assumed["SecretAccessKey"], assumed["SessionToken"]
            ),
        )

    def _write_policies_again(self, role: str) -> None:
        # moto's CloudFormation keeps a role's inline policies as the text of a Python
        # dictionary, with None for AWS::NoValue; its permission checks read JSON alone.
        iam = self.client("iam")
        for name in iam.list_role_policies(RoleName=role)["PolicyNames"]:
            kept = iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]
            policy = ast.literal_eval(kept) if isinstance(kept, str) else dict(kept)
            policy["Statement"] = [one for one in policy["Statement"] if one]
            iam.put_role_policy(RoleName=role, PolicyName=name, PolicyDocument=json.dumps(policy))

    def _source(self, mapping_id: str) -> SourceConfig:
        declared = self.client("lambda").get_event_source_mapping(UUID=mapping_id)
        queue = declared["EventSourceArn"].rpartition(":")[2]
        return SourceConfig(
            queue_url=self.client("sqs").get_queue_url(QueueName=queue)["QueueUrl"],
            queue_arn=declared["EventSourceArn"],
            batch_size=declared["BatchSize"],
            window=declared.get("MaximumBatchingWindowInSeconds") or 0,
            concurrency=int((declared.get("ScalingConfig") or {}).get("MaximumConcurrency", 2)),
            partial_failures="ReportBatchItemFailures"
            in (declared.get("FunctionResponseTypes") or []),
        )

    def physical_id(self, logical_id: str) -> str:
        """Return the name, address or id of a resource of the stack.

        Raises
        ------
        LocalError
            When the template declares no such resource.
        """
        try:
            return self._resources[logical_id]
        except KeyError:
            raise LocalError(f"template.yaml declares no resource named {logical_id}") from None

    def function(self, logical_id: str) -> FunctionConfig:
        """Return a function of the stack."""
        self.physical_id(logical_id)
        return self._functions[logical_id]

    def source(self, logical_id: str) -> SourceConfig:
        """Return an event source of the stack."""
        self.physical_id(logical_id)
        return self._sources[logical_id]

    def queue_url(self, logical_id: str) -> str:
        """Return a queue's address on this machine."""
        return self.endpoint + urlsplit(self.physical_id(logical_id)).path

    @overload
    def client(
        self, service: Literal["sqs"], credentials: Credentials | None = None
    ) -> SQSClient: ...
    @overload
    def client(
        self, service: Literal["dynamodb"], credentials: Credentials | None = None
    ) -> DynamoDBClient: ...
    @overload
    def client(
        self, service: Literal["secretsmanager"], credentials: Credentials | None = None
    ) -> SecretsManagerClient: ...
    @overload
    def client(
        self,
        service: Literal["cloudformation", "iam", "lambda", "sts"],
        credentials: Credentials | None = None,
    ) -> Any: ...

    def client(self, service: Any, credentials: Credentials | None = None) -> Any:
        """Return a boto3 client of this account, the admin's unless told otherwise."""
        who = credentials or self.admin
        with self._lock:
            if (service, who) not in self._clients:
                self._clients[service, who] = self._session.client(
                    service,
                    region_name=REGION,
                    endpoint_url=self.endpoint,
                    aws_access_key_id=who.access_key,
                    aws_secret_access_key=who.secret_key,
                    aws_session_token=who.token or None,
                    config=Config(retries={"total_max_attempts": 1}, read_timeout=30, proxies={}),
                )
            return self._clients[service, who]

    def stop(self) -> None:
        """End the server."""
        self._process.stop()
