"""A simulated AWS account: moto's server and the CloudFormation stack of ``template.yaml``."""

from __future__ import annotations

import ast
import json
import secrets
import sys
import threading
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload
from urllib.parse import urlsplit

import httpx
from botocore.config import Config
from botocore.exceptions import ClientError

from simulators import ROOT, LocalError
from simulators.aws import EXPIRE_DELAYS, EXPIRE_VISIBILITY, FAULTS, QUEUE_AGES
from simulators.aws.failures import AwsFault, PlannedFault
from simulators.aws.template import REGION, Template, session
from simulators.process import HOST, ServerProcess, free_port, inherited_environment

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_secretsmanager import SecretsManagerClient
    from mypy_boto3_sqs import SQSClient

STACK = "toxic-bot"
PATIENCE = 60.0
"""Seconds that the account may take: it works through many calls at once, on a busy machine."""
SERVER_ENVIRONMENT = {
    "PYTHONPATH": str(ROOT),
    # Do not look up the functions' image: no registry holds it.
    "MOTO_LAMBDA_STUB_ECR": "true",
    # Let tests purge a queue more than once a minute.
    "MOTO_SQS_ENFORCE_STRICT_QUEUE_PURGE_BEHAVIOUR": "false",
}


@dataclass(frozen=True, slots=True)
class Credentials:
    """An access key; ``token`` is empty for a user and set for an assumed role."""

    access_key: str
    secret_key: str = field(repr=False)
    token: str = field(default="", repr=False)

    def environment(self) -> dict[str, str]:
        """Return the environment variables that the AWS SDKs read."""
        variables = {
            "AWS_ACCESS_KEY_ID": self.access_key,
            "AWS_SECRET_ACCESS_KEY": self.secret_key,
        }
        return variables | ({"AWS_SESSION_TOKEN": self.token} if self.token else {})


@dataclass(frozen=True, slots=True)
class Secrets:
    """The bot's two secrets, random by default."""

    signing_secret: str = field(default_factory=lambda: secrets.token_hex(16), repr=False)
    bot_token: str = field(default_factory=lambda: f"xoxb-{secrets.token_hex(20)}", repr=False)


@dataclass(frozen=True, slots=True)
class FunctionConfig:
    """The configuration of a Lambda function in the stack.

    Parameters
    ----------
    name
        The function's name.
    handler
        Module and function that its image starts with.
    environment
        Its environment variables.
    timeout
        Its timeout, in seconds.
    memory
        Its memory, in MB.
    credentials
        Credentials of its execution role.
    """

    name: str
    handler: str
    environment: dict[str, str] = field(repr=False)
    timeout: int
    memory: int
    credentials: Credentials


@dataclass(frozen=True, slots=True)
class EventSourceMapping:
    """An event source mapping for SQS in the stack.

    Parameters
    ----------
    queue_url, queue_arn
        The queue that it polls.
    batch_size
        Maximum number of messages in an invocation.
    batching_window
        Maximum number of seconds to gather a batch.
    maximum_concurrency
        Maximum number of concurrent invocations.
    reports_item_failures
        Whether the function's ``batchItemFailures`` count (``ReportBatchItemFailures``).
    """

    queue_url: str
    queue_arn: str
    batch_size: int
    batching_window: int
    maximum_concurrency: int
    reports_item_failures: bool


class Account:
    """A running moto server that holds the project's CloudFormation stack.

    Every request is checked against the caller's IAM policies: each function has its own
    execution role, and ``admin`` may do anything.

    Parameters
    ----------
    folder
        The server's working directory, which also holds its log.
    template
        The template that the stack is created from.
    parameters
        Values for the template's parameters, except the ARNs of the secrets.
    bot_secrets
        Stored in Secrets Manager before the stack is created.
    environment
        Overrides for the environment variables of both functions, such as for paths that
        exist only in the image.
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
        self._environment_overrides = dict(environment)
        self._session = session()
        self._clients: dict[tuple[str, Credentials], Any] = {}
        self._lock = threading.Lock()
        self._process = ServerProcess(
            [sys.executable, "-m", "simulators.aws.moto_server", str(port)],
            port=port,
            log=folder / "aws.log",
            environment=inherited_environment() | SERVER_ENVIRONMENT,
            folder=folder,
        )
        try:
            self._process.wait_until_listening()
            self._create(parameters, bot_secrets)
        except BaseException:
            self.stop()
            raise

    def _create(self, parameters: Mapping[str, str], bot_secrets: Secrets) -> None:
        secrets_manager = self.client("secretsmanager")
        arns = {
            parameter: secrets_manager.create_secret(Name=name, SecretString=value)["ARN"]
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
            raise LocalError(f"template.yaml cannot be deployed: {error}") from error
        self._resources: dict[str, str] = {
            one["LogicalResourceId"]: one["PhysicalResourceId"]
            for one in resources
            # moto also lists resources whose condition is false, without an ID.
            if "PhysicalResourceId" in one
        }
        self._functions = {
            logical_id: self._function(logical_id, handler)
            for logical_id, handler in self.template.handlers.items()
            if logical_id in self._resources
        }
        self._event_source_mappings = {
            logical_id: self._event_source_mapping(self._resources[logical_id])
            for logical_id in self.template.event_source_mappings
        }
        self.admin = self._create_admin()
        # From here on, moto checks IAM policies.
        httpx.post(
            f"{self.endpoint}/moto-api/reset-auth", content=b"0", trust_env=False, timeout=PATIENCE
        ).raise_for_status()

    def _create_admin(self) -> Credentials:
        iam = self.client("iam")
        iam.create_user(UserName="local-admin")
        policy = {
            "Version": "2012-10-17",
            "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}],
        }
        iam.put_user_policy(
            UserName="local-admin",
            PolicyName="everything",
            PolicyDocument=json.dumps(policy),
        )
        key = iam.create_access_key(UserName="local-admin")["AccessKey"]
        return Credentials(key["AccessKeyId"], key["SecretAccessKey"])

    def _function(self, logical_id: str, handler: str) -> FunctionConfig:
        configuration = self.client("lambda").get_function_configuration(
            FunctionName=self.physical_id(logical_id)
        )
        self._rewrite_policies_as_json(configuration["Role"].rpartition("/")[2])
        session_credentials = self.client("sts").assume_role(
            RoleArn=configuration["Role"], RoleSessionName=configuration["FunctionName"]
        )["Credentials"]
        return FunctionConfig(
            name=configuration["FunctionName"],
            handler=handler,
            environment={
                # moto takes a parameter of type Number for a number here, too.
                name: str(value)
                for name, value in configuration["Environment"]["Variables"].items()
            }
            | self._environment_overrides,
            timeout=configuration["Timeout"],
            memory=configuration["MemorySize"],
            credentials=Credentials(
                session_credentials["AccessKeyId"],
                session_credentials["SecretAccessKey"],
                session_credentials["SessionToken"],
            ),
        )

    def _rewrite_policies_as_json(self, role: str) -> None:
        # moto's CloudFormation stores inline policies as the repr of a Python dictionary,
        # with None for AWS::NoValue; its permission checks read only JSON.
        iam = self.client("iam")
        for name in iam.list_role_policies(RoleName=role)["PolicyNames"]:
            document = iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]
            policy = ast.literal_eval(document) if isinstance(document, str) else dict(document)
            policy["Statement"] = [one for one in policy["Statement"] if one]
            iam.put_role_policy(RoleName=role, PolicyName=name, PolicyDocument=json.dumps(policy))

    def _event_source_mapping(self, mapping_id: str) -> EventSourceMapping:
        mapping = self.client("lambda").get_event_source_mapping(UUID=mapping_id)
        queue = mapping["EventSourceArn"].rpartition(":")[2]
        return EventSourceMapping(
            queue_url=self.client("sqs").get_queue_url(QueueName=queue)["QueueUrl"],
            queue_arn=mapping["EventSourceArn"],
            batch_size=mapping["BatchSize"],
            batching_window=mapping.get("MaximumBatchingWindowInSeconds") or 0,
            maximum_concurrency=int(
                (mapping.get("ScalingConfig") or {}).get("MaximumConcurrency", 2)
            ),
            reports_item_failures="ReportBatchItemFailures"
            in (mapping.get("FunctionResponseTypes") or []),
        )

    def physical_id(self, logical_id: str) -> str:
        """Return the physical ID of a resource in the stack: a name, URL or UUID.

        Raises
        ------
        LocalError
            When the template has no such resource.
        """
        try:
            return self._resources[logical_id]
        except KeyError:
            raise LocalError(
                f"the stack has no resource named {logical_id}: check template.yaml and parameters"
            ) from None

    def function(self, logical_id: str) -> FunctionConfig:
        """Return the configuration of a function in the stack."""
        self.physical_id(logical_id)
        return self._functions[logical_id]

    def event_source_mapping(self, logical_id: str) -> EventSourceMapping:
        """Return an event source mapping in the stack."""
        self.physical_id(logical_id)
        return self._event_source_mappings[logical_id]

    def expire_delays(self) -> int:
        """Make the delayed messages of all queues visible at once; return their number."""
        return int(
            httpx.post(f"{self.endpoint}{EXPIRE_DELAYS}", trust_env=False, timeout=PATIENCE).text
        )

    def plan_faults(self, faults: Iterable[PlannedFault]) -> None:
        """Let calls to this account fail as planned; the earlier plan is dropped."""
        plan = [astuple(one) for one in faults]
        httpx.post(
            f"{self.endpoint}{FAULTS}", json=plan, trust_env=False, timeout=PATIENCE
        ).raise_for_status()

    def played_faults(self) -> list[PlannedFault]:
        """Return the faults of the plan that have met their call so far."""
        played = httpx.get(f"{self.endpoint}{FAULTS}", trust_env=False, timeout=PATIENCE).json()
        return [PlannedFault(o, n, AwsFault(fault), key) for o, n, fault, key in played]

    def expire_visibility(self) -> int:
        """Let all visibility timeouts run out, even of messages at work; return their number."""
        return int(
            httpx.post(
                f"{self.endpoint}{EXPIRE_VISIBILITY}", trust_env=False, timeout=PATIENCE
            ).text
        )

    def queue_ages(self, older_by: float = 0.0) -> dict[str, float]:
        """Return how many seconds old the oldest message of each queue is, by the queue's name.

        Parameters
        ----------
        older_by
            Seconds by which all messages become older first.
        """
        url, content = f"{self.endpoint}{QUEUE_AGES}", str(older_by).encode()
        ages: dict[str, float] = httpx.post(
            url, content=content, trust_env=False, timeout=PATIENCE
        ).json()
        return ages

    def queue_url(self, logical_id: str) -> str:
        """Return the URL of a queue on this machine."""
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
        service: Literal[
            "cloudformation", "cloudwatch", "events", "iam", "lambda", "logs", "sns", "sts"
        ],
        credentials: Credentials | None = None,
    ) -> Any: ...

    def client(self, service: Any, credentials: Credentials | None = None) -> Any:
        """Return a boto3 client for this account, with the admin's credentials by default."""
        caller = credentials or self.admin
        with self._lock:
            if (service, caller) not in self._clients:
                self._clients[service, caller] = self._session.client(
                    service,
                    region_name=REGION,
                    endpoint_url=self.endpoint,
                    aws_access_key_id=caller.access_key,
                    aws_secret_access_key=caller.secret_key,
                    aws_session_token=caller.token or None,
                    config=Config(retries={"total_max_attempts": 1}, read_timeout=30, proxies={}),
                )
            return self._clients[service, caller]

    def stop(self) -> None:
        """Stop the server."""
        self._process.stop()
