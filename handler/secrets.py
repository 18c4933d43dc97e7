"""The bot's two secrets, fetched by name and cached."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from handler.clients import create_client
from toxic_bot.deployment.settings import SecretStore
from toxic_bot.slack.retry import TryAgainError

if TYPE_CHECKING:
    from botocore.config import Config

MAX_AGE = 300
"""Seconds for which a fetched secret is reused."""


class SecretReader:
    """Reads secrets from Secrets Manager or from Systems Manager's Parameter Store.

    Powertools has such a reader too, which imports all of boto3.

    Parameters
    ----------
    store
        The service that stores the secrets.
    config
        Timeouts and retries of the calls.
    clock
        Returns seconds that never run backward.
    """

    def __init__(
        self,
        store: SecretStore,
        config: Config,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._client = create_client(store.value, config)
        self._clock = clock
        # Name to value and the time when it was fetched.
        self._cache: dict[str, tuple[str, float]] = {}

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
        value, fetched = self._cache.get(name, ("", -MAX_AGE))
        now = self._clock()
        if not value or fresh or now - fetched >= MAX_AGE:
            value = self._fetch(name)
            self._cache[name] = value, now
        return value

    def _fetch(self, name: str) -> str:
        try:
            if self._store is SecretStore.SSM:
                value = self._client.get_parameter(Name=name, WithDecryption=True)["Parameter"][
                    "Value"
                ]
            else:
                value = self._client.get_secret_value(SecretId=name)["SecretString"]
        # A secret that was stored as binary has no string.
        except (BotoCoreError, ClientError, KeyError) as error:
            raise TryAgainError(
                f"the secret {name} cannot be read: check that it exists in {self._store} "
                "and that the function's role may read it",
                reason="secret",
            ) from error
        return str(value).strip()
