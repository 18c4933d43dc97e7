"""Checks of how a deployed stack is doing: what runs, what waits, and whom the alarms tell."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from toxic_bot.deployment.settings import AwsSettings
from toxic_bot.deployment.table import EXPIRATION
from toxic_bot.operator.doctor.aws import read_secret
from toxic_bot.operator.doctor.finding import CheckError, Finding, UncheckedError, check
from toxic_bot.operator.doctor.request_url import Remedies, check_request_url
from toxic_bot.operator.doctor.waits import check_waits, slots_in_table
from toxic_bot.operator.stack import Deployment, DeploymentError, reason

FUNCTIONS = ("Receiver", "Worker", "Probe", "Rehearsal")
MODERATED_FUNCTIONS = ("Digest",)
"""Those that a stack with ``Moderators`` has besides."""
INNER_STACK = "FullObservability"
"""Logical ID of the stack inside the stack, which has the other alarms."""
EVENT_SOURCES = {"event source": "WorkerSource", "text event source": "WorkerTexts"}
"""Logical IDs by what the guide calls them."""


def check_operation(
    deployment: Deployment, settings: AwsSettings, request_url: str | None
) -> Iterator[Finding]:
    """Check a deployed stack as its operator would.

    Parameters
    ----------
    deployment
        The stack.
    settings
        Its worker's settings.
    request_url
        Where Slack sends events; None for the stack's output.
    """

    def finding(what: str, action: Callable[[], str]) -> Finding:
        return check(what, lambda: _answered(action))

    functions = deployment.client("lambda")
    moderated = bool(settings.bot.moderation.channel)
    for name in FUNCTIONS + (MODERATED_FUNCTIONS if moderated else ()):
        yield finding(
            f"{name.lower()} function", partial(check_function, functions, deployment, name)
        )
    for what, mapping in EVENT_SOURCES.items():
        yield finding(what, partial(check_event_source, deployment, mapping))
    yield finding("probe schedule", lambda: check_schedule(deployment, "ProbeEveryMinute"))
    if moderated:
        yield finding("digest schedule", lambda: check_schedule(deployment, "DigestEveryWeek"))
    yield finding("dead letters", lambda: check_dead_letters(deployment))
    yield finding("rate limits", lambda: check_rate_limits(deployment))
    yield finding("time to live", lambda: check_time_to_live(deployment))
    yield finding("alarms", lambda: check_alarms(deployment))
    yield finding(
        "alarm subscription", lambda: check_subscription(deployment.client("sns"), deployment)
    )
    yield finding(
        "request URL",
        lambda: check_request_url(
            request_url or deployment.outputs.get("RequestUrl", ""),
            read_secret(settings, settings.signing_secret_name, deployment.session),
            Remedies.of_stack(deployment.stack),
        ),
    )


def _answered(action: Callable[[], str]) -> str:
    """Run a check; an error of AWS's API is no finding about the bot."""
    try:
        return action()
    except DeploymentError as error:
        raise UncheckedError(str(error)) from error
    except (BotoCoreError, ClientError) as error:
        raise UncheckedError(f"AWS answered {reason(error)}: your credentials lack it") from error


def check_function(functions: Any, deployment: Deployment, name: str) -> str:
    """Check that a function can be invoked and that its last update succeeded.

    Parameters
    ----------
    functions
        A client of Lambda.
    deployment
        The stack.
    name
        The function's logical ID.
    """
    configuration = functions.get_function_configuration(FunctionName=deployment.physical_id(name))
    state, update = configuration["State"], configuration.get("LastUpdateStatus", "Successful")
    if state == "Failed" or update == "Failed":
        why = configuration.get("StateReason") or configuration.get("LastUpdateStatusReason")
        raise CheckError(
            f"Lambda says: {why or 'failed'}", "deploy again; if it persists, see its log"
        )
    # After weeks without an invocation, Lambda sets a function aside, and the next one wakes it.
    return f"{state.lower()}, {configuration['MemorySize']} MB"


def check_event_source(deployment: Deployment, name: str) -> str:
    """Check that a queue invokes the worker.

    Parameters
    ----------
    deployment
        The stack.
    name
        The event source mapping's logical ID.
    """
    mapping = deployment.physical_id(name)
    source = deployment.client("lambda").get_event_source_mapping(UUID=mapping)
    if source["State"] not in ("Enabled", "Enabling", "Updating", "Creating"):
        raise CheckError(
            f"it is {str(source['State']).lower()}: requests wait in the queue",
            f"aws lambda update-event-source-mapping --enabled --uuid {mapping}",
        )
    return str(source["State"]).lower()


def check_schedule(deployment: Deployment, name: str) -> str:
    """Check that a function is invoked when it is due.

    Parameters
    ----------
    deployment
        The stack.
    name
        The schedule's logical ID.
    """
    rule = deployment.physical_id(name)
    schedule = deployment.client("events").describe_rule(Name=rule)
    if schedule["State"] == "DISABLED":
        raise CheckError("it is off", f"aws events enable-rule --name {rule}")
    return str(schedule["ScheduleExpression"])


def check_dead_letters(deployment: Deployment) -> str:
    """Check that nothing has failed for good."""
    attributes = deployment.client("sqs").get_queue_attributes(
        QueueUrl=deployment.physical_id("DeadLetterQueue"),
        AttributeNames=["ApproximateNumberOfMessages"],
    )["Attributes"]
    number = int(attributes["ApproximateNumberOfMessages"])
    if number:
        raise CheckError(
            f"{number} could not be answered",
            f"toxic-bot dlq list --stack {deployment.stack}",
        )
    return "none"


def check_rate_limits(deployment: Deployment) -> str:
    """Check that no request waits for long because of Slack's rate limits."""
    waiting = sum(_delayed(deployment, name) for name in ("Queue", "TextQueue"))
    now = time.time()
    table = deployment.physical_id("ClaimTable")
    slots = slots_in_table(deployment.client("dynamodb"), table, now)
    return check_waits(waiting, slots, now)


def _delayed(deployment: Deployment, queue: str) -> int:
    attributes = deployment.client("sqs").get_queue_attributes(
        QueueUrl=deployment.physical_id(queue),
        AttributeNames=["ApproximateNumberOfMessagesDelayed"],
    )["Attributes"]
    return int(attributes["ApproximateNumberOfMessagesDelayed"])


def check_time_to_live(deployment: Deployment) -> str:
    """Check that DynamoDB deletes old claims."""
    description = deployment.client("dynamodb").describe_time_to_live(
        TableName=deployment.physical_id("ClaimTable")
    )["TimeToLiveDescription"]
    status = description.get("TimeToLiveStatus", "DISABLED")
    if status not in ("ENABLED", "ENABLING") or description.get("AttributeName") != EXPIRATION:
        raise CheckError(
            "the claims are never deleted, so the table grows",
            "aws dynamodb update-time-to-live --table-name "
            f"{deployment.physical_id('ClaimTable')} --time-to-live-specification "
            f"Enabled=true,AttributeName={EXPIRATION}",
        )
    return f"on {EXPIRATION}"


def check_alarms(deployment: Deployment) -> str:
    """Check that no alarm of the stack is in ALARM."""
    prefix = f"{deployment.stack}-"
    pages = (
        deployment.client("cloudwatch")
        .get_paginator("describe_alarms")
        .paginate(AlarmNamePrefix=prefix)
    )
    # A stack whose name begins with this one's has alarms of that prefix, too.
    own = set(deployment.resources.values())
    if INNER_STACK in deployment.resources:
        inner = Deployment.find(deployment.physical_id(INNER_STACK), deployment.session)
        own |= set(inner.resources.values())
    alarms = [one for page in pages for one in page["MetricAlarms"] if one["AlarmName"] in own]
    alarming = [one["AlarmName"] for one in alarms if one["StateValue"] == "ALARM"]
    if alarming:
        names = ", ".join(sorted(name.removeprefix(prefix) for name in alarming))
        raise CheckError(f"in ALARM: {names}", "see 'Alarms' in docs/deploy.md for what to do")
    return f"none of {len(alarms)} is in ALARM"


def check_subscription(topics: Any, deployment: Deployment) -> str:
    """Check that somebody receives the alarms.

    Parameters
    ----------
    topics
        A client of SNS.
    deployment
        The stack.
    """
    subscriptions = topics.list_subscriptions_by_topic(TopicArn=deployment.physical_id("Alarms"))[
        "Subscriptions"
    ]
    if not subscriptions:
        raise CheckError("nobody receives the alarms", 'deploy with "AlarmEmail=you@example.org"')
    # Until it is confirmed, a subscription has these words instead of an ARN.
    pending = [one for one in subscriptions if one["SubscriptionArn"] == "PendingConfirmation"]
    if len(pending) == len(subscriptions):
        raise CheckError(
            "it is not confirmed, so no alarm reaches anybody",
            f"confirm it in the email that SNS sent to {pending[0]['Endpoint']}",
        )
    return f"{len(subscriptions) - len(pending)} confirmed"
