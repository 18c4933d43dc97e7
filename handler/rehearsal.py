"""The fourth Lambda function: tries the new versions before they receive any reaction.

CodeDeploy invokes it as its hook BeforeAllowTraffic. With few reactions, traffic alone would
not show in five minutes that a version does not even start.

Source: https://docs.aws.amazon.com/codedeploy/latest/userguide/reference-appspec-file-structure-hooks.html
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any, Literal

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from handler.clients import create_client
from handler.secrets import SecretReader
from handler.sqs_record import REHEARSAL
from handler.telemetry import start_telemetry
from toxic_bot.deployment.settings import SigningSecretSettings
from toxic_bot.slack.requests.challenge import (
    ChallengeError,
    SignedChallenge,
)
from toxic_bot.slack.retry import TryAgainError
from toxic_bot.slack.settings import SettingsError, read_matching
from toxic_bot.slack.telemetry import logger

BOTO = Config(connect_timeout=1, read_timeout=3, retries={"total_max_attempts": 2})
# A cold start of the worker takes seconds, and a second one would take no less.
INVOCATION = Config(connect_timeout=1, read_timeout=25, retries={"total_max_attempts": 1})
PAUSES = (1.0, 3.0, 6.0)
"""Seconds before another try, when Lambda has no capacity for a function at the moment."""
Status = Literal["Failed", "Succeeded"]
ARN = r"arn:\S+:function:\S+"

start_telemetry()
try:
    settings = SigningSecretSettings.from_environment(os.environ)
    new_receiver = read_matching(os.environ, "NEW_RECEIVER", ARN, "the ARN of a version")
    new_worker = read_matching(os.environ, "NEW_WORKER", ARN, "the ARN of a version")
except SettingsError as error:
    sys.exit(f"error: {error}")
secrets = SecretReader(settings.store, BOTO)
functions = create_client("lambda", INVOCATION)
deployments = create_client("codedeploy", BOTO)


def handler(event: dict[str, Any], context: object) -> None:  # noqa: ARG001 - Lambda passes it
    """Try both new versions, and tell CodeDeploy whether the deployment may go on."""
    status: Status = "Failed"
    try:
        _try_receiver()
        _try_worker()
        status = "Succeeded"
    except (ChallengeError, TryAgainError) as error:
        logger.error(str(error))
    finally:
        # Without a report, CodeDeploy would wait for an hour.
        deployments.put_lifecycle_event_hook_execution_status(
            deploymentId=event["DeploymentId"],
            lifecycleEventHookExecutionId=event["LifecycleEventHookExecutionId"],
            status=status,
        )


def _try_receiver() -> None:
    challenge = SignedChallenge.create(secrets.read(settings.name))
    request = {
        "version": "2.0",
        "headers": challenge.headers,
        "body": challenge.body.decode(),
        "isBase64Encoded": False,
    }
    response = _invoke(new_receiver, request)
    challenge.check(int(response.get("statusCode", 0)), str(response.get("body", "")))


def _try_worker() -> None:
    response = _invoke(new_worker, {REHEARSAL: True, "Records": []})
    if response.get("batchItemFailures") != []:
        raise ChallengeError("the worker did not answer the rehearsed gesture: see its log")


def _invoke(function: str, event: dict[str, Any]) -> dict[str, Any]:
    try:
        response = _invoked(function, json.dumps(event))
        failed, result = "FunctionError" in response, json.load(response["Payload"])
    except (BotoCoreError, ClientError, ValueError) as error:
        raise ChallengeError(
            f"{function} cannot be invoked ({type(error).__name__}): see its log"
        ) from error
    if failed or not isinstance(result, dict):
        raise ChallengeError(f"{function} does not start or fails: see its log")
    return result


def _invoked(function: str, payload: str) -> dict[str, Any]:
    """Invoke a function, again if it is throttled: the old version may be busy at the moment."""
    for pause in PAUSES:
        try:
            return dict(functions.invoke(FunctionName=function, Payload=payload))
        except ClientError as error:
            if error.response["Error"]["Code"] != "TooManyRequestsException":
                raise
            logger.warning("a new version is throttled", function=function, seconds=pause)
            time.sleep(pause)
    return dict(functions.invoke(FunctionName=function, Payload=payload))
