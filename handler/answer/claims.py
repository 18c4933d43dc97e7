"""Claims: what keeps a piece of work from being done twice.

A claim is a Powertools idempotency record. While the work runs, the claim is in progress.
Once the work is done, the claim stores the result, and later callers get that result instead
of repeating the work. If the work fails, the claim is deleted; if the worker dies, the claim
expires when the invocation would have timed out.

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

from handler.retry import TryAgainError

ASSESSMENT_EXPIRY = 15 * 60
"""Seconds for which an assessment is kept; Slack's last retry comes after five minutes."""

ANSWER_EXPIRY = 7 * 24 * 3600
"""Seconds for which a version of a message counts as answered."""

IN_PROGRESS_DELAY = 2.0
"""Seconds until the next try when another invocation is already doing the work."""

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class AssessmentKey:
    """Identifies the n-th assessment of a message."""

    team: str
    channel: str
    ts: str
    number: int


@dataclass(frozen=True, slots=True)
class AnswerKey:
    """Identifies an answer to one version of a message, for everybody or for one user."""

    team: str
    channel: str
    ts: str
    edited: str
    user: str | None


class Claims:
    """Wraps functions so that each piece of work is done once.

    Parameters
    ----------
    create_store
        Creates the store that holds the claims; Powertools needs one for each function.
    """

    def __init__(self, create_store: Callable[[], BasePersistenceLayer]) -> None:
        self._create_store = create_store
        self._configs: list[IdempotencyConfig] = []

    def begin(self, context: LambdaContext) -> None:
        """Let claims in progress expire when this invocation runs out of time."""
        for config in self._configs:
            config.register_lambda_context(context)

    def once(
        self,
        work: Callable[..., _Result],
        *,
        prefix: str,
        expires_after: int,
        to_dict: Callable[[_Result], dict[str, Any]],
        from_dict: Callable[[dict[str, Any]], _Result],
    ) -> Callable[..., _Result]:
        """Return a function that does ``work`` once for each value of its ``key`` argument.

        Parameters
        ----------
        work
            Called with keyword arguments only; ``key``, a dataclass, is one of them.
        prefix
            The kind of claim.
        expires_after
            Seconds for which the result is kept.
        to_dict, from_dict
            Convert the result to JSON values and back.

        Returns
        -------
        callable
            Takes the arguments of ``work``. Raises TryAgainError while another invocation
            does the work, and when the claims cannot be reached.
        """
        config = IdempotencyConfig(expires_after_seconds=expires_after, hash_function="sha256")
        self._configs.append(config)
        claimed = cast(
            "Callable[..., _Result]",
            idempotent_function(
                work,
                data_keyword_argument="key",
                persistence_store=self._create_store(),
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
                    "another invocation is already working on it",
                    reason="in_progress",
                    delay=IN_PROGRESS_DELAY,
                ) from None
            except (IdempotencyPersistenceLayerError, IdempotencyInconsistentStateError) as error:
                raise TryAgainError(
                    "the claims cannot be reached: check the table and the worker's role",
                    reason="claims",
                ) from error

        return once
