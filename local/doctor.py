"""What is wrong with a deployment or a local set-up, and how to mend it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

import boto3
import httpx
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError

from handler.classifier import load
from handler.errors import ModelError, SettingsError
from handler.settings import SecretStore, Settings
from local.methods import BOT_SCOPES

MOST_SKEW = 60.0
"""Seconds that this machine's clock may be off; Slack's signatures live for 300."""
IMAGE_MODEL = "/opt/model"
"""Where the model lies inside the image; no folder of this machine."""
TIMEOUT = 10


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check came to.

    Parameters
    ----------
    what
        What was checked.
    well
        Whether it is as it should be; None for what could not be checked.
    detail
        What was found.
    remedy
        How to mend it; empty where all is well.
    """

    what: str
    well: bool | None
    detail: str
    remedy: str = ""


class DoctorError(Exception):
    """A check found something wrong."""

    def __init__(self, detail: str, remedy: str) -> None:
        super().__init__(detail)
        self.remedy = remedy


def stack_environment(stack: str, session: boto3.Session) -> dict[str, str]:
    """Return the variables of the worker of a deployed stack.

    Raises
    ------
    DoctorError
        When the stack, or its worker, cannot be found.
    """
    try:
        resources = session.client("cloudformation").describe_stack_resources(StackName=stack)
        [worker] = [
            resource["PhysicalResourceId"]
            for resource in resources["StackResources"]
            if resource.get("LogicalResourceId") == "Worker"
        ]
        configuration = session.client("lambda").get_function_configuration(FunctionName=worker)
    except (BotoCoreError, ClientError, ValueError) as error:
        raise DoctorError(
            f"the worker of the stack {stack} cannot be found ({_short(error)})",
            "check its name, the region and your AWS credentials: 'aws sts get-caller-identity'",
        ) from error
    return dict(configuration["Environment"]["Variables"])


def examine(
    environment: Mapping[str, str], channel: str | None, session: boto3.Session
) -> Iterator[Finding]:
    """Check everything that a verdict needs, one thing after the other.

    Parameters
    ----------
    environment
        The functions' variables.
    channel
        A channel in which the bot should answer; None leaves that out.
    session
        With the credentials and the region of the deployment.
    """
    try:
        settings = Settings.from_environment(environment)
    except SettingsError as error:
        yield Finding("settings", False, str(error), "mend the variable and start again")
        return
    yield Finding("settings", True, f"reactions {', '.join(sorted(settings.reactions))}")
    yield _checked("model", lambda: _model(settings))
    yield _checked("queue", lambda: _queue(settings, session))
    yield _checked("table", lambda: _table(settings, session))
    yield _checked("signing secret", lambda: _signing_secret(settings, session))
    token = ""

    def read_token() -> str:
        nonlocal token
        token = _secret(settings, settings.bot_token_name, session)
        if not token.startswith("xoxb-"):
            raise DoctorError(
                "it does not begin with xoxb-",
                "store the Bot User OAuth Token of the app's page 'OAuth & Permissions'",
            )
        return "present, a bot token"

    finding = _checked("bot token", read_token)
    yield finding
    if not finding.well:
        yield Finding("Slack", None, "not asked, for want of a token")
        return
    client = WebClient(token, base_url=settings.slack_api_url, timeout=TIMEOUT, retry_handlers=[])
    yield _checked("Slack", lambda: _scopes(client))
    if channel:
        yield _checked(f"channel {channel}", lambda: _channel(client, channel))
    yield _checked("clock", lambda: _clock(settings))


def _checked(what: str, check: Callable[[], str | None]) -> Finding:
    try:
        detail = check()
    except DoctorError as error:
        return Finding(what, False, str(error), error.remedy)
    if detail is None:
        return Finding(what, None, "inside the image: 'make image-test' tries it")
    return Finding(what, True, detail)


def _model(settings: Settings) -> str | None:
    if str(settings.model_folder) == IMAGE_MODEL and not settings.model_folder.exists():
        return None
    try:
        classifier = load(settings.model_folder)
    except ModelError as error:
        message, _, remedy = str(error).rpartition(": ")
        raise DoctorError(message, remedy) from error
    verdict = classifier.classify("Thank you very much!")
    return f"{classifier.config.name} loads, and gives thanks a score of {verdict.score:.3f}"


def _queue(settings: Settings, session: boto3.Session) -> str:
    waiting = "ApproximateNumberOfMessages"
    try:
        attributes: Mapping[Any, str] = session.client(
            "sqs", config=_config()
        ).get_queue_attributes(QueueUrl=settings.queue_url, AttributeNames=["All"])["Attributes"]
    except (BotoCoreError, ClientError) as error:
        raise DoctorError(
            f"it cannot be reached ({_short(error)})",
            "check QUEUE_URL, the region and your AWS credentials",
        ) from error
    if "RedrivePolicy" not in attributes:
        raise DoctorError("it has no dead-letter queue", "deploy template.yaml again")
    dead = json.loads(attributes["RedrivePolicy"])["deadLetterTargetArn"].rpartition(":")[2]
    return f"{attributes[waiting]} waiting; failures go to {dead}"


def _table(settings: Settings, session: boto3.Session) -> str:
    try:
        table: Mapping[str, Any] = session.client("dynamodb", config=_config()).describe_table(
            TableName=settings.claim_table
        )["Table"]
    except (BotoCoreError, ClientError) as error:
        raise DoctorError(
            f"it cannot be reached ({_short(error)})",
            "check CLAIM_TABLE, the region and your AWS credentials",
        ) from error
    keys = [key["AttributeName"] for key in table["KeySchema"]]
    if keys != ["id"]:
        raise DoctorError(f"its key is {', '.join(keys)}, not id", "deploy template.yaml again")
    return f"{settings.claim_table} is {str(table['TableStatus']).lower()}"


def _signing_secret(settings: Settings, session: boto3.Session) -> str:
    secret = _secret(settings, settings.signing_secret_name, session)
    if len(secret) < 20 or secret.startswith("xox"):
        raise DoctorError(
            "it does not look like a signing secret",
            "store the Signing Secret of the app's page 'Basic Information'",
        )
    return "present"


def _secret(settings: Settings, name: str, session: boto3.Session) -> str:
    try:
        if settings.secret_store is SecretStore.SSM:
            parameter: str = session.client("ssm", config=_config()).get_parameter(
                Name=name, WithDecryption=True
            )["Parameter"]["Value"]
            return parameter.strip()
        value: str = session.client("secretsmanager", config=_config()).get_secret_value(
            SecretId=name
        )["SecretString"]
        return value.strip()
    except (BotoCoreError, ClientError, KeyError) as error:
        raise DoctorError(
            f"it cannot be read ({_short(error)})",
            f"create {name} in {settings.secret_store}, or let your credentials read it",
        ) from error


def _scopes(client: WebClient) -> str:
    answer = _asked(lambda: client.auth_test())
    headers = {str(name).lower(): str(value) for name, value in answer.headers.items()}
    granted = {scope.strip() for scope in headers.get("x-oauth-scopes", "").split(",")}
    if missing := sorted(BOT_SCOPES - granted):
        raise DoctorError(
            f"the token lacks {', '.join(missing)}",
            "add the scopes of manifest.yaml to the app and install it again",
        )
    return f"{answer['user']} in {answer['team']}, with all scopes"


def _channel(client: WebClient, channel: str) -> str:
    try:
        # No message has this timestamp; that Slack says so means that the bot may look.
        client.conversations_replies(channel=channel, ts="1000000000.000001", limit=1)
    except SlackApiError as error:
        name = str(error.response.get("error"))
        if name in ("thread_not_found", "message_not_found"):
            return "the bot is in it"
        remedies = {
            "not_in_channel": "write '/invite @Toxic Bot' in the channel",
            "channel_not_found": "check the id, and write '/invite @Toxic Bot' in the channel",
            "missing_scope": "add the scopes of manifest.yaml to the app and install it again",
        }
        raise DoctorError(
            f"Slack answers {name}", remedies.get(name, "look the error up in Slack's documents")
        ) from error
    except (SlackClientError, OSError) as error:
        raise _unreachable(error) from error
    return "the bot is in it"


def _asked(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except SlackApiError as error:
        raise DoctorError(
            f"Slack answers {error.response.get('error')}",
            "install the app again and store the new bot token",
        ) from error
    except (SlackClientError, OSError) as error:
        raise _unreachable(error) from error


def _unreachable(error: Exception) -> DoctorError:
    return DoctorError(
        f"Slack cannot be reached ({type(error).__name__})",
        "check SLACK_API_URL and the way to the internet",
    )


def _clock(settings: Settings) -> str:
    try:
        date = httpx.get(f"{settings.slack_api_url}api.test", timeout=TIMEOUT).headers["date"]
        skew = time.time() - parsedate_to_datetime(date).timestamp()
    except (httpx.HTTPError, KeyError, ValueError) as error:
        raise _unreachable(error) from error
    if abs(skew) > MOST_SKEW:
        raise DoctorError(
            f"this machine's clock is {abs(skew):.0f} seconds {'ahead' if skew > 0 else 'behind'}",
            "set the clock: Slack's signatures are refused after five minutes",
        )
    return f"within {max(1, abs(round(skew)))} s of Slack's"


def _config() -> Config:
    return Config(connect_timeout=TIMEOUT, read_timeout=TIMEOUT, retries={"total_max_attempts": 2})


def _short(error: Exception) -> str:
    if isinstance(error, ClientError):
        return str(error.response.get("Error", {}).get("Code", "unknown error"))
    return type(error).__name__
