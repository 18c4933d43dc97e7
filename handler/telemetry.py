"""The one logger and the metrics of both functions.

Nothing here is ever given a secret or the text of a message.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from aws_lambda_powertools import Logger
from aws_lambda_powertools.metrics import MetricUnit, single_metric

from handler.settings import Tracing

NAMESPACE = os.environ.get("POWERTOOLS_METRICS_NAMESPACE", "ToxicBot")

logger = Logger()

_Handler = TypeVar("_Handler", bound=Callable[..., Any])


_metrics: list[tuple[str, MetricUnit, float, dict[str, str]]] = []


def count(name: str, **dimensions: str) -> None:
    """Count one of something; it is written when the invocation ends.

    Parameters
    ----------
    name
        The metric's name in the deployment's namespace, such as ``ToxicBot/dev``.
    **dimensions
        What to tell apart; each combination is a metric of its own, so only
        short lists of values belong here.
    """
    _metrics.append((name, MetricUnit.Count, 1, dimensions))


def measure(name: str, milliseconds: float, **dimensions: str) -> None:
    """Record how long something took, in milliseconds; otherwise as ``count``."""
    _metrics.append((name, MetricUnit.Milliseconds, milliseconds, dimensions))


def metered(handler: _Handler) -> _Handler:
    """Write the metrics of an invocation when it has ended, however it does.

    Each is one line of CloudWatch's embedded metric format on standard output; to write
    one takes longer than much of what is measured.
    """

    @wraps(handler)
    def metered_handler(*arguments: Any) -> Any:
        try:
            return handler(*arguments)
        finally:
            while _metrics:
                _write(*_metrics.pop(0))

    return cast("_Handler", metered_handler)


def _write(name: str, unit: MetricUnit, value: float, dimensions: dict[str, str]) -> None:
    with single_metric(
        name=name,
        unit=unit,
        value=value,
        namespace=NAMESPACE,
        default_dimensions={"service": str(logger.service)},
    ) as metric:
        for dimension, label in dimensions.items():
            metric.add_dimension(dimension, label)


def traced(tracing: Tracing) -> Callable[[_Handler], _Handler]:
    """Return a decorator that writes X-Ray traces of a handler, where that is on.

    The tracer's SDK is imported only then. It records neither responses nor what an
    exception says, only times.
    """
    if tracing is Tracing.OFF:
        return lambda handler: handler
    from aws_lambda_powertools import Tracer

    return cast(
        "Callable[[_Handler], _Handler]",
        Tracer().capture_lambda_handler(capture_response=False, capture_error=False),
    )
