"""The one repository of the image, in ECR: every function and every stage uses it."""

from __future__ import annotations

import json

from botocore.exceptions import BotoCoreError, ClientError

from toxic_bot.operator.launch.target import Target

NAME = "toxic-bot"
KEPT_IMAGES = 50
"""Each function may have an image of its own, under its own tag: ten releases to go back to."""
LIFECYCLE = {
    "rules": [
        {
            "rulePriority": 1,
            "selection": {
                "tagStatus": "any",
                "countType": "imageCountMoreThan",
                "countNumber": KEPT_IMAGES,
            },
            "action": {"type": "expire"},
        }
    ]
}


def ensure(target: Target) -> str:
    """Create the repository if it is missing, and return its URI.

    Raises
    ------
    DeploymentError
        When ECR does not let this shell do so.
    """
    client = target.client("ecr")
    try:
        try:
            [found] = client.describe_repositories(repositoryNames=[NAME])["repositories"]
        except client.exceptions.RepositoryNotFoundException:
            found = client.create_repository(repositoryName=NAME)["repository"]
            client.put_lifecycle_policy(
                repositoryName=NAME, lifecyclePolicyText=json.dumps(LIFECYCLE)
            )
    except (BotoCoreError, ClientError) as error:
        raise target.refused(f"the repository {NAME} cannot be created", error) from error
    return str(found["repositoryUri"])


def remove(target: Target) -> bool:
    """Delete the repository with its images; return whether there was one.

    Raises
    ------
    DeploymentError
        When ECR does not let this shell do so.
    """
    client = target.client("ecr")
    try:
        client.delete_repository(repositoryName=NAME, force=True)
    except client.exceptions.RepositoryNotFoundException:
        return False
    except (BotoCoreError, ClientError) as error:
        raise target.refused(f"the repository {NAME} cannot be deleted", error) from error
    return True
