"""The settings of the two Lambda functions, which the template sets from its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from toxic_bot.judge.config import EMBEDDED_MODEL
from toxic_bot.slack.settings import BotSettings, read_choice, read_matching

WHOLE_CPU = 1769
"""Megabytes of memory at which Lambda allots a function one full CPU."""


class SecretStore(StrEnum):
    """The AWS service that stores the two secrets."""

    SECRETS_MANAGER = "secretsmanager"
    SSM = "ssm"


class Tracing(StrEnum):
    """Whether X-Ray traces are written."""

    OFF = "off"
    ON = "on"


@dataclass(frozen=True, slots=True)
class SigningSecretSettings:
    """Where the signing secret is stored.

    Parameters
    ----------
    store
        The service that stores it.
    name
        Its name, never its value.
    """

    store: SecretStore
    name: str

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> SigningSecretSettings:
        """Read and validate the variables.

        Raises
        ------
        SettingsError
            Names the first variable that is missing or malformed.
        """
        return cls(
            store=read_choice(
                environment, "SECRET_STORE", SecretStore, SecretStore.SECRETS_MANAGER
            ),
            name=read_matching(
                environment, "SIGNING_SECRET_NAME", r"[\w/+=.@:-]+", "the name of a secret"
            ),
        )


@dataclass(frozen=True, slots=True)
class AwsSettings:
    """What a deployment on AWS decides.

    Parameters
    ----------
    bot
        How the bot behaves in Slack.
    queue_url
        The SQS queue between receiver and worker.
    text_queue_url
        The one for gestures that hold a text, which keeps nothing for long.
    claim_table
        The DynamoDB table that holds the claims.
    secret_store
        The service that stores the two secrets.
    signing_secret_name, bot_token_name
        Names of the secrets, never their values.
    model_folder
        The model that the worker loads.
    tracing
        Whether X-Ray traces are written.
    threads
        Threads per inference; None for one per available CPU.
    """

    bot: BotSettings
    queue_url: str
    text_queue_url: str
    claim_table: str
    secret_store: SecretStore
    signing_secret_name: str
    bot_token_name: str
    model_folder: Path
    tracing: Tracing
    threads: int | None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> AwsSettings:
        """Read and validate the environment of a Lambda function.

        Raises
        ------
        SettingsError
            Names the first variable that is missing or malformed and says what it should
            look like.
        """
        return cls(
            bot=BotSettings.from_environment(environment),
            queue_url=read_matching(
                environment, "QUEUE_URL", r"https?://\S+", "the URL of an SQS queue"
            ),
            text_queue_url=read_matching(
                environment, "TEXT_QUEUE_URL", r"https?://\S+", "the URL of an SQS queue"
            ),
            claim_table=read_matching(
                environment, "CLAIM_TABLE", r"[\w.-]{3,255}", "the name of a DynamoDB table"
            ),
            secret_store=read_choice(
                environment, "SECRET_STORE", SecretStore, SecretStore.SECRETS_MANAGER
            ),
            signing_secret_name=read_matching(
                environment, "SIGNING_SECRET_NAME", r"[\w/+=.@:-]+", "the name of a secret"
            ),
            bot_token_name=read_matching(
                environment, "BOT_TOKEN_NAME", r"[\w/+=.@:-]+", "the name of a secret"
            ),
            model_folder=Path(environment.get("MODEL_FOLDER") or EMBEDDED_MODEL),
            tracing=read_choice(environment, "TRACING", Tracing, Tracing.OFF),
            threads=_threads(environment.get("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "")),
        )


def _threads(memory: str) -> int | None:
    """Return how many threads a Lambda function's memory pays for.

    A function may see more CPUs than it pays for; a thread on one of those takes its time
    from the others. Source:
    https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
    """
    return max(1, int(memory) // WHOLE_CPU) if memory.isdecimal() else None
