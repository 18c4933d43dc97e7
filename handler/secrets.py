"""The bot's two secrets, fetched by name and cached."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import boto3
from aws_lambda_powertools.utilities.parameters import SecretsProvider, SSMProvider
from aws_lambda_powertools.utilities.parameters.exceptions import GetParameterError

from handler.aws_settings import SecretStore
from handler.retry import TryAgainError

if TYPE_CHECKING:
    from botocore.config import Config

MAX_AGE = 300
"""Seconds for which a fetched secret is reused."""


class SecretReader:
    """Reads secrets from Secrets Manager or from Systems Manager's Parameter Store.

    Parameters
    ----------
    store
        The service that stores the secrets.
    config
        Timeouts and retries of the calls.
    """

    def __init__(self, store: SecretStore, config: Config) -> None:
        self._store = store
        # Clients of boto3's default session: Powertools would create a session of its own,
        # which costs 50 ms of Slack's three seconds.
        self._read: Callable[..., Any] = (
            partial(SSMProvider(boto3_client=boto3.client("ssm", config=config)).get, decrypt=True)
            if store is SecretStore.SSM
            else SecretsProvider(boto3_client=boto3.client("secretsmanager", config=config)).get
        )

    def read(self, name: str, *, fresh: bool = False) -> str:
        """Return a secret's value.

        Parameters
        ----------
        name
            The secret's name.
        fresh
            Bypass the cache.

        Raises
        ------
        TryAgainError
            When the store cannot be reached or has no such secret. An operator can fix
            either, and the event is worth keeping until then.
        """
        try:
            value = self._read(name, max_age=MAX_AGE, force_fetch=fresh)
        except GetParameterError as error:
            raise TryAgainError(
                f"the secret {name} cannot be read: check that it exists in {self._store} "
                "and that the function's role may read it",
                reason="secret",
            ) from error
        return str(value).strip()
