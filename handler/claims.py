"""Claims: what keeps one piece of work from being done twice.

A claim is a record of Powertools idempotency. While the work runs it is in progress;
when the work is done it holds the result, which every later caller gets instead of
doing the work again; when the work fails it is deleted, and when the worker dies it
lapses with the time that Lambda had left.

Source: https://docs.powertools.aws.dev/lambda/python/latest/utilities/idempotency/
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from aws_lambda_powertools.utilities.idempotency import IdempotencyConfig, idempotent_function
from aws_lambda_powertools.utilities.idempotency.exceptions import (
    IdempotencyAlreadyInProgressError,
    IdempotencyInconsistentStateError,
    IdempotencyPersistenceLayerError,
)
from aws_lambda_powertools.utilities.idempotency.persistence.base import BasePersistenceLayer
from aws_lambda_powertools.utilities.idempotency.serialization.custom_dict import (
    CustomDictSerializer,
)
from aws_lambda_powertools.utilities.typing import LambdaContext

from handler.errors import TryAgainError

LOOK_MEMORY = 15 * 60
"""Seconds for which a look at a message is remembered; Slack's last retry comes after five
minutes."""

ANSWER_MEMORY = 7 * 24 * 3600
"""Seconds for which a version of a message counts as answered."""

IN_PROGRESS_DELAY = 2.0
"""Seconds after which an event is tried again whose work another invocation is doing."""

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class LookKey:
    """Names the n-th look at a message."""

    team: str
    channel: str
    ts: str
    number: int


@dataclass(frozen=True, slots=True)
class AnswerKey:
    """Names an answer: to one version of a message, for everybody or for one user."""

    team: str
    channel: str
    ts: str
    edited: str
    user: str | None


class Claims:
    """Makes functions that do each piece of work once.

    Parameters
    ----------
    store
        Makes the place where claims are kept; Powertools wants one for each function.
    """

    def __init__(self, store: Callable[[], BasePersistenceLayer]) -> None:
        self._store = store
        self._configs: list[IdempotencyConfig] = []

    def begin(self, context: LambdaContext) -> None:
        """Let claims lapse when the time that this invocation has left is over."""
        for config in self._configs:
            config.register_lambda_context(context)

    def once(
        self,
        work: Callable[..., _Result],
        *,
        prefix: str,
        memory: int,
        to_dict: Callable[[_Result], dict[str, Any]],
        from_dict: Callable[[dict[str, Any]], _Result],
    ) -> Callable[..., _Result]:
        """Return a function that does ``work`` once for each value of its argument ``key``.

        Parameters
        ----------
        work
            Called with keyword arguments, ``key`` (a dataclass) among them.
        prefix
            What kind of claim it is.
        memory
            Seconds for which the result is remembered.
        to_dict, from_dict
            Turn the result into JSON's values, and back.

        Returns
        -------
        callable
            Takes the arguments of ``work``. Raises TryAgainError when another
            invocation is at it, or when the claims cannot be reached.
        """
        config = IdempotencyConfig(expires_after_seconds=memory, hash_function="sha256")
        self._configs.append(config)
        claimed = cast(
            "Callable[..., _Result]",
            idempotent_function(
                work,
                data_keyword_argument="key",
                persistence_store=self._store(),
                config=config,
                output_serializer=CustomDictSerializer(to_dict, from_dict),
                key_prefix=prefix,
            ),
        )

        def once(**arguments: Any) -> _Result:
            try:
                return claimed(**arguments)
            except IdempotencyAlreadyInProgressError:
                raise TryAgainError(
                    "another invocation is at it", reason="in_progress", delay=IN_PROGRESS_DELAY
                ) from None
            except (IdempotencyPersistenceLayerError, IdempotencyInconsistentStateError) as error:
                raise TryAgainError(
                    "the claims cannot be reached: check the table and the worker's role",
                    reason="claims",
                ) from error

        return once
