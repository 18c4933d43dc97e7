"""Where ``toxic-bot up`` deploys: an account, a region, a stage, and a clone to deploy from."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from toxic_bot.operator.stack import DeploymentError, client_config, create_session, reason

CLONE = Path(__file__).resolve().parents[3]
"""The folder with template.yaml, if the package runs in a clone of the repository."""
STAGE = re.compile(r"[a-z][a-z0-9-]{0,30}")
"""What the template's parameter Stage accepts."""


@dataclass(frozen=True, slots=True)
class Target:
    """A stage in an AWS account.

    Parameters
    ----------
    stage
        Its name, such as ``dev``.
    account, region
        Where it is deployed.
    session
        This shell's credentials, and the region.
    """

    stage: str
    account: str
    region: str
    session: boto3.Session = field(repr=False)

    @classmethod
    def find(cls, stage: str) -> Target:
        """Find out who this shell is signed in as.

        Raises
        ------
        DeploymentError
            When the shell has no region or no valid credentials, or the stage no valid name.
        """
        if not STAGE.fullmatch(stage):
            raise DeploymentError(
                f"{stage!r} is no name of a stage: choose a short one, such as dev or prod-sales"
            )
        session = create_session()
        if not session.region_name:
            raise DeploymentError("no region is set: export AWS_REGION=us-east-1, or another one")
        try:
            identity = session.client("sts", config=client_config()).get_caller_identity()
        except (BotoCoreError, ClientError) as error:
            raise DeploymentError(
                f"this shell is not signed in to AWS ({reason(error)}): run 'aws configure' or "
                "'aws sso login', and check with 'aws sts get-caller-identity'"
            ) from error
        return cls(stage, identity["Account"], session.region_name, session)

    @property
    def stack(self) -> str:
        """The stack's name."""
        return f"toxic-bot-{self.stage}"

    def client(self, service: Any) -> Any:
        """Return a client of one of AWS's services."""
        return self.session.client(service, config=client_config())

    def refused(self, what: str, error: Exception) -> DeploymentError:
        """Return what to tell when AWS refuses to do something."""
        return DeploymentError(
            f"{what} ({reason(error)}): check your permissions in account {self.account}; "
            "docs/deployment-policy.json lists what a deployment needs"
        )


def find_clone() -> Path:
    """Return the folder to deploy from.

    Raises
    ------
    DeploymentError
        When the package is installed without one.
    """
    if not (CLONE / "template.yaml").is_file():
        raise DeploymentError(
            "this command needs a clone of the repository: install the package from it, with "
            "pip install --editable '.[aws]'"
        )
    return CLONE
