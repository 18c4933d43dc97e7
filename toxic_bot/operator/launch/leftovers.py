"""The templates of a stage's releases, in the bucket that the SAM CLI keeps for all its stacks."""

from __future__ import annotations

from botocore.exceptions import BotoCoreError, ClientError

from toxic_bot.operator.launch.target import Target
from toxic_bot.operator.releases import SAM_STACK
from toxic_bot.operator.stack import Deployment, DeploymentError


def remove_templates(target: Target) -> int:
    """Delete the stored templates; return how many there were.

    Raises
    ------
    DeploymentError
        When S3 does not let this shell do so.
    """
    try:
        bucket = Deployment.find(SAM_STACK, target.session).outputs["SourceBucket"]
    except (DeploymentError, KeyError):
        # SAM has deployed nothing here.
        return 0
    client = target.client("s3")
    number = 0
    try:
        # SAM's bucket keeps versions: one that is only marked as deleted would be paid for.
        pages = client.get_paginator("list_object_versions").paginate(
            Bucket=bucket, Prefix=f"{target.stack}/"
        )
        for page in pages:
            for one in [*page.get("Versions", ()), *page.get("DeleteMarkers", ())]:
                client.delete_object(Bucket=bucket, Key=one["Key"], VersionId=one["VersionId"])
                number += 1
    except (BotoCoreError, ClientError) as error:
        raise target.refused(f"the templates in {bucket} cannot be deleted", error) from error
    return number
