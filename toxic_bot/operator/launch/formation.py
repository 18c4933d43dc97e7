"""The stack in CloudFormation: what is in the way of a deployment, and why one failed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from toxic_bot.operator.launch.target import Target
from toxic_bot.operator.stack import DeploymentError

POLL_SECONDS = 5.0
GONE = ""
"""The status of a stack that there is none of."""


def status(target: Target) -> str:
    """Return the stack's status, or `GONE`.

    Raises
    ------
    DeploymentError
        When CloudFormation does not say.
    """
    try:
        [found] = target.client("cloudformation").describe_stacks(StackName=target.stack)["Stacks"]
    except ClientError as error:
        if error.response["Error"]["Code"] == "ValidationError":
            return GONE
        raise target.refused("CloudFormation cannot be read", error) from error
    except BotoCoreError as error:
        raise target.refused("CloudFormation cannot be read", error) from error
    return str(found["StackStatus"])


def make_way(target: Target) -> None:
    """Make sure that the stack can be deployed: one whose first deployment failed is deleted.

    Raises
    ------
    DeploymentError
        When it is being changed, or is stuck.
    """
    present = status(target)
    if present in ("ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "REVIEW_IN_PROGRESS"):
        # It has never stood, and CloudFormation updates none of these.
        delete(target)
    elif present == "UPDATE_ROLLBACK_FAILED":
        raise DeploymentError(
            f"{target.stack} is stuck: run 'aws cloudformation continue-update-rollback "
            f"--stack-name {target.stack}'; docs/deploy.md says what to do if that fails"
        )
    elif present.endswith("_IN_PROGRESS"):
        raise DeploymentError(
            f"{target.stack} is being changed ({present}): wait until that is over, and run the "
            "command again"
        )


def latest_event(target: Target) -> str:
    """Return the ID of the stack's latest event; empty if it has none."""
    return next((str(one["EventId"]) for one in _events(target)), "")


def first_failure(target: Target, before: str) -> str:
    """Return which resource failed first after an event, and why; empty if none did."""
    failure = ""
    for event in _events(target):
        if event["EventId"] == before:
            break
        reason = " ".join(str(event.get("ResourceStatusReason", "")).split())
        if event["ResourceStatus"].endswith("_FAILED") and "cancelled" not in reason:
            failure = f"{event['LogicalResourceId']}: {reason}"
    return failure[:500]


def _events(target: Target) -> Iterator[dict[str, Any]]:
    """Yield the stack's events, the latest first; none if they cannot be read."""
    pages = target.client("cloudformation").get_paginator("describe_stack_events")
    with suppress(BotoCoreError, ClientError):
        for page in pages.paginate(StackName=target.stack):
            yield from page["StackEvents"]


def delete(target: Target) -> bool:
    """Delete the stack and wait until it is gone; return whether there was one.

    Raises
    ------
    DeploymentError
        When something in it cannot be deleted.
    """
    if status(target) == GONE:
        return False
    client, before = target.client("cloudformation"), latest_event(target)
    try:
        client.delete_stack(StackName=target.stack)
    except (BotoCoreError, ClientError) as error:
        raise target.refused(f"{target.stack} cannot be deleted", error) from error
    while (present := status(target)) not in (GONE, "DELETE_COMPLETE"):
        if not present.endswith("_IN_PROGRESS"):
            why = first_failure(target, before) or present
            raise DeploymentError(
                f"{target.stack} cannot be deleted ({why}): remove that by hand, and run the "
                "command again"
            )
        time.sleep(POLL_SECONDS)
    return True


def others(target: Target) -> list[str]:
    """Return the names of the other stages' stacks in this account and region.

    Raises
    ------
    DeploymentError
        When CloudFormation does not say.
    """
    try:
        pages = target.client("cloudformation").get_paginator("describe_stacks").paginate()
        return sorted(
            one["StackName"]
            for page in pages
            for one in page["Stacks"]
            if one["StackName"].startswith("toxic-bot-")
            and one["StackName"] != target.stack
            and "ParentId" not in one
        )
    except (BotoCoreError, ClientError) as error:
        raise target.refused("CloudFormation cannot be read", error) from error
