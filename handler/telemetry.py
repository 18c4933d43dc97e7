"""The one logger and the metrics of both functions.

Nothing here is ever given a secret or the text of a message.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from aws_lambda_powertools import Logger
from aws_lambda_powertools.metrics import Metrics, MetricUnit, single_metric

from handler.settings import Tracing

_Handler = TypeVar("_Handler", bound=Callable[..., Any])

NAMESPACE = "ToxicBot"

logger = Logger()
metrics = Metrics(namespace=NAMESPACE)


def count(name: str, **dimensions: str) -> None:
    """Count one of something.

    Parameters
    ----------
    name
        The metric's name in the namespace ``ToxicBot``.
    **dimensions
        What to tell apart; each combination is a metric of its own, so only
        short lists of values belong here.
    """
    if not dimensions:
        metrics.add_metric(name=name, unit=MetricUnit.Count, value=1)
        return
    with single_metric(
        name=name,
        unit=MetricUnit.Count,
        value=1,
        namespace=NAMESPACE,
        default_dimensions={"service": str(metrics.service)},
    ) as metric:
        for dimension, value in dimensions.items():
            metric.add_dimension(dimension, value)


def measure(name: str, milliseconds: float) -> None:
    """Record how long something took, in milliseconds."""
    metrics.add_metric(name=name, unit=MetricUnit.Milliseconds, value=milliseconds)


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
