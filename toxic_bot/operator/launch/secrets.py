"""The bot's two secrets in Secrets Manager. Their values are never logged or written to a file."""

from __future__ import annotations

import re
from dataclasses import dataclass

from botocore.exceptions import BotoCoreError, ClientError

from toxic_bot.operator.launch.target import Target
from toxic_bot.operator.stack import DeploymentError

RECOVERY_DAYS = 7
"""How long a deleted secret can be restored."""


@dataclass(frozen=True, slots=True)
class SecretKind:
    """One of the two secrets.

    Parameters
    ----------
    parameter
        The template's parameter that takes its ARN.
    suffix
        The end of its name.
    title
        What Slack calls it.
    place
        Where Slack shows it.
    form
        What it looks like.
    """

    parameter: str
    suffix: str
    title: str
    place: str
    form: re.Pattern[str]

    def name(self, target: Target) -> str:
        """Return its name in Secrets Manager."""
        return f"toxic-bot/{target.stage}/{self.suffix}"

    def checked(self, value: str) -> str:
        """Return a value without the spaces around it.

        Raises
        ------
        DeploymentError
            When it cannot be this secret. The message does not repeat it.
        """
        value = value.strip()
        if not self.form.fullmatch(value):
            raise DeploymentError(
                f"that is not the {self.title}: copy it from the app's page {self.place}, and run "
                "the command again"
            )
        return value


SIGNING_SECRET = SecretKind(
    "SigningSecretArn",
    "signing-secret",
    "Signing Secret",
    "'Basic Information', 'App Credentials'",
    re.compile(r"(?!xox)[0-9A-Za-z]{20,64}"),
)
BOT_TOKEN = SecretKind(
    "BotTokenArn",
    "bot-token",
    "Bot User OAuth Token (xoxb-...)",
    "'OAuth & Permissions', after 'Install to Workspace'",
    re.compile(r"xoxb-[0-9A-Za-z-]{5,}"),
)
SECRETS = (SIGNING_SECRET, BOT_TOKEN)


def stored_arn(target: Target, kind: SecretKind) -> str:
    """Return the ARN of a secret, or an empty string if it has to be asked for.

    A secret that was deleted a few days ago is restored.

    Raises
    ------
    DeploymentError
        When Secrets Manager does not say.
    """
    client = target.client("secretsmanager")
    try:
        found = client.describe_secret(SecretId=kind.name(target))
        if "DeletedDate" in found:
            client.restore_secret(SecretId=found["ARN"])
    except client.exceptions.ResourceNotFoundException:
        return ""
    except (BotoCoreError, ClientError) as error:
        raise target.refused("Secrets Manager cannot be read", error) from error
    return str(found["ARN"])


def store(target: Target, kind: SecretKind, value: str) -> str:
    """Store a secret, in place of an earlier value if there is one, and return its ARN.

    Raises
    ------
    DeploymentError
        When it cannot be stored.
    """
    client = target.client("secretsmanager")
    try:
        if arn := stored_arn(target, kind):
            client.put_secret_value(SecretId=arn, SecretString=value)
            return arn
        created = client.create_secret(
            Name=kind.name(target),
            Description=f"Toxic Bot, {target.stage}: Slack's {kind.title}",
            SecretString=value,
        )
    except (BotoCoreError, ClientError) as error:
        raise target.refused(f"the secret {kind.name(target)} cannot be stored", error) from error
    return str(created["ARN"])


def remove(target: Target, kind: SecretKind) -> bool:
    """Delete a secret, so that it can be restored for a week; return whether there was one.

    Raises
    ------
    DeploymentError
        When it cannot be deleted.
    """
    client = target.client("secretsmanager")
    try:
        if "DeletedDate" in client.describe_secret(SecretId=kind.name(target)):
            return False
        client.delete_secret(SecretId=kind.name(target), RecoveryWindowInDays=RECOVERY_DAYS)
    except client.exceptions.ResourceNotFoundException:
        return False
    except (BotoCoreError, ClientError) as error:
        raise target.refused(f"the secret {kind.name(target)} cannot be deleted", error) from error
    return True
