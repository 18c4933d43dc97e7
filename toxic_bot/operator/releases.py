"""The releases of a stack that SAM has stored: each a template that names its images.

A release is restored without a checkout or a build, by giving CloudFormation its template again.
The stack keeps its settings.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from toxic_bot.operator.stack import Deployment, DeploymentError, reason

SAM_STACK = "aws-sam-cli-managed-default"
"""The stack with the bucket in which SAM stores templates."""

CAPABILITIES = ["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"]
AT_ONCE = {"Deployment": "AllAtOnce"}
"""How a restored release takes over: after the rehearsal, and without a canary."""

POLL_SECONDS = 5.0
# SAM's tags are <function>-<start of the image's ID>-<tag>.
_IMAGE = re.compile(r"""ImageUri["']?:\s*["']?([^\s"',]+)""")
_TAG = re.compile(r"[:@]([^:@/]+)$")


@dataclass(frozen=True, slots=True)
class Release:
    """A stored template.

    Parameters
    ----------
    key
        Its name in the bucket.
    stored
        When SAM stored it first.
    tag
        Tag of the worker's image.
    images
        The images of all functions.
    """

    key: str
    stored: datetime
    tag: str
    images: frozenset[str]


class Releases:
    """The releases of a stack.

    Parameters
    ----------
    deployment
        The stack.
    bucket
        Where its templates are; empty for SAM's own bucket.
    """

    def __init__(self, deployment: Deployment, bucket: str = "") -> None:
        self._stack = deployment.stack
        self._cloudformation = deployment.client("cloudformation")
        self._s3 = deployment.client("s3")
        if not bucket:
            managed = Deployment.find(SAM_STACK, deployment.session)
            bucket = managed.outputs["SourceBucket"]
        self._bucket = bucket

    def stored(self) -> list[Release]:
        """Return all releases that have been stored, the latest first.

        Raises
        ------
        DeploymentError
            When they cannot be read.
        """
        try:
            pages = self._s3.get_paginator("list_objects_v2").paginate(
                Bucket=self._bucket, Prefix=f"{self._stack}/"
            )
            objects = [
                one
                for page in pages
                for one in page.get("Contents", ())
                if one["Key"].endswith(".template")
            ]
            found = [self._read(one) for one in objects]
        except (BotoCoreError, ClientError) as error:
            raise DeploymentError(
                f"the bucket {self._bucket} cannot be read ({reason(error)}): check its name and "
                "your permissions to s3:ListBucket and s3:GetObject"
            ) from error
        with_images = [one for one in found if one.images]
        return sorted(with_images, key=lambda one: (one.stored, one.key), reverse=True)

    def _read(self, stored: dict[str, Any]) -> Release:
        body = self._s3.get_object(Bucket=self._bucket, Key=stored["Key"])["Body"].read().decode()
        return Release(stored["Key"], stored["LastModified"], _tag(body), _images(body))

    def live(self, releases: Sequence[Release]) -> Release | None:
        """Return the release that the stack has now, if it is one of these."""
        try:
            template = self._cloudformation.get_template(
                StackName=self._stack, TemplateStage="Original"
            )["TemplateBody"]
        except (BotoCoreError, ClientError) as error:
            raise self._failed("its template cannot be read", error) from error
        # boto3 parses a template in JSON.
        images = _images(template if isinstance(template, str) else json.dumps(template))
        return next((one for one in releases if one.images == images), None)

    def restore(self, release: Release) -> None:
        """Deploy a release again, at once and with the stack's present settings.

        Raises
        ------
        DeploymentError
            When CloudFormation refuses, or rolls it back.
        """
        url = f"{self._s3.meta.endpoint_url}/{self._bucket}/{release.key}"
        try:
            summary = self._cloudformation.get_template_summary(TemplateURL=url)
            present = {one["ParameterKey"] for one in self._description().get("Parameters", ())}
            names = [one["ParameterKey"] for one in summary["Parameters"]]
            self._cloudformation.update_stack(
                StackName=self._stack,
                TemplateURL=url,
                Capabilities=CAPABILITIES,
                Parameters=[_parameter(name) for name in names if name in present],
            )
        except (BotoCoreError, ClientError) as error:
            raise self._failed("the release cannot be deployed", error) from error
        while (status := self._status()).endswith("_IN_PROGRESS"):
            time.sleep(POLL_SECONDS)
        if status != "UPDATE_COMPLETE":
            raise DeploymentError(
                f"the stack {self._stack} is {status}: its events say why, "
                f"'aws cloudformation describe-stack-events --stack-name {self._stack}'"
            )

    def _status(self) -> str:
        try:
            return str(self._description()["StackStatus"])
        except (BotoCoreError, ClientError) as error:
            raise self._failed("its status cannot be read", error) from error

    def _description(self) -> dict[str, Any]:
        [description] = self._cloudformation.describe_stacks(StackName=self._stack)["Stacks"]
        return dict(description)

    def _failed(self, what: str, error: Exception) -> DeploymentError:
        # CloudFormation says in its message what is wrong; it contains names and states only.
        message = str(error) if isinstance(error, ClientError) else reason(error)
        return DeploymentError(f"{self._stack}: {what} ({' '.join(message.split())})")


def _parameter(name: str) -> dict[str, Any]:
    if name in AT_ONCE:
        return {"ParameterKey": name, "ParameterValue": AT_ONCE[name]}
    return {"ParameterKey": name, "UsePreviousValue": True}


def _images(template: str) -> frozenset[str]:
    return frozenset(_IMAGE.findall(template))


def _tag(template: str) -> str:
    tags = [match[1] for image in _IMAGE.findall(template) if (match := _TAG.search(image))]
    return next((tag for tag in tags if tag.startswith("worker-")), tags[0] if tags else "")
