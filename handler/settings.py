"""The environment as one typed, validated object."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from handler.errors import SettingsError

_Choice = TypeVar("_Choice", bound=StrEnum)

WHOLE_CPU = 1769
"""Megabytes at which Lambda gives a function one whole CPU, in proportion to its memory."""


class AnswerMode(StrEnum):
    """To whom the verdict goes."""

    THREAD = "thread"
    EPHEMERAL = "ephemeral"
    NUDGE = "nudge"


class Tracing(StrEnum):
    """Whether X-Ray traces are written."""

    OFF = "off"
    ON = "on"


class SecretStore(StrEnum):
    """Where the secrets lie."""

    SECRETS_MANAGER = "secretsmanager"
    SSM = "ssm"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the deployment decides.

    Parameters
    ----------
    reactions
        Short names of the emoji that ask for a verdict.
    queue_url
        The SQS queue between receiver and worker.
    claim_table
        The DynamoDB table that holds the claims.
    secret_store
        Where the two secrets lie.
    signing_secret_name, bot_token_name
        Names of the secrets, never their values.
    answer
        To whom the verdict goes.
    model_folder
        The model that the worker loads.
    slack_api_url
        Slack's Web API, with a slash at the end.
    tracing
        Whether the worker writes X-Ray traces.
    threads
        Of one inference; None for every CPU there is.
    """

    reactions: frozenset[str]
    queue_url: str
    claim_table: str
    secret_store: SecretStore
    signing_secret_name: str
    bot_token_name: str
    answer: AnswerMode
    model_folder: Path
    slack_api_url: str
    tracing: Tracing
    threads: int | None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Settings:
        """Read and check the environment.

        Raises
        ------
        SettingsError
            Names the first variable that is missing or malformed, and what it should
            look like.
        """
        reactions = _matching(
            environment,
            "REACTIONS",
            r"[^\s:,]+(\s*,\s*[^\s:,]+)*",
            "emoji short names without colons, such as biohazard_sign,skull",
            default="biohazard_sign",
        )
        return cls(
            reactions=frozenset(name.strip() for name in reactions.split(",")),
            queue_url=_matching(
                environment, "QUEUE_URL", r"https?://\S+", "the address of an SQS queue"
            ),
            claim_table=_matching(
                environment, "CLAIM_TABLE", r"[\w.-]{3,255}", "the name of a DynamoDB table"
            ),
            secret_store=_choice(
                environment, "SECRET_STORE", SecretStore, SecretStore.SECRETS_MANAGER
            ),
            signing_secret_name=_matching(
                environment, "SIGNING_SECRET_NAME", r"[\w/+=.@:-]+", "the name of a secret"
            ),
            bot_token_name=_matching(
                environment, "BOT_TOKEN_NAME", r"[\w/+=.@:-]+", "the name of a secret"
            ),
            answer=_choice(environment, "ANSWER", AnswerMode, AnswerMode.THREAD),
            model_folder=Path(environment.get("MODEL_FOLDER") or "model"),
            slack_api_url=_matching(
                environment,
                "SLACK_API_URL",
                r"https?://\S+/",
                "an address that ends with a slash",
                default="https://slack.com/api/",
            ),
            tracing=_choice(environment, "TRACING", Tracing, Tracing.OFF),
            threads=_threads(environment.get("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "")),
        )


def _threads(memory: str) -> int | None:
    """Return how many threads a Lambda function's megabytes pay for.

    A function may see more CPUs than it pays for; a thread on one of those takes the time
    of the others. Source:
    https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
    """
    return max(1, int(memory) // WHOLE_CPU) if memory.isdecimal() else None


def _matching(
    environment: Mapping[str, str], name: str, pattern: str, form: str, default: str = ""
) -> str:
    value = environment.get(name, "").strip() or default
    if not value:
        raise SettingsError(f"set the environment variable {name} to {form}")
    if not re.fullmatch(pattern, value):
        # The value is not shown: a secret put in the wrong variable must not reach a log.
        raise SettingsError(f"the environment variable {name} is malformed: it should be {form}")
    return value


def _choice(
    environment: Mapping[str, str], name: str, choices: type[_Choice], default: _Choice
) -> _Choice:
    try:
        return choices(environment.get(name, "").strip() or default)
    except ValueError as error:
        known = ", ".join(choices)
        raise SettingsError(f"the environment variable {name} should be one of: {known}") from error
