"""The logger and the metrics, wherever the bot runs.

Neither ever receives a secret or the text of a message.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from aws_lambda_powertools import Logger
from aws_lambda_powertools.metrics import MetricUnit, single_metric

from judge import __version__

NAMESPACE = os.environ.get("POWERTOOLS_METRICS_NAMESPACE", "ToxicBot")

logger = Logger()
logger.append_keys(version=__version__)

_Handler = TypeVar("_Handler", bound=Callable[..., Any])

_metrics: list[tuple[str, MetricUnit, float, dict[str, str]]] = []


def count(name: str, **dimensions: str) -> None:
    """Count one occurrence; it is written when the invocation ends.

    Parameters
    ----------
    name
        The metric's name in the deployment's namespace, such as ``ToxicBot/dev``.
    **dimensions
        What to tell apart. Each combination of values is a metric of its own, so a dimension
        should have few values.
    """
    _metrics.append((name, MetricUnit.Count, 1, dimensions))


def measure(name: str, milliseconds: float, **dimensions: str) -> None:
    """Record a duration in milliseconds; otherwise like `count`."""
    _metrics.append((name, MetricUnit.Milliseconds, milliseconds, dimensions))


def metered(handler: _Handler) -> _Handler:
    """Write an invocation's metrics once it has ended, however it ends.

    Each metric is one line of CloudWatch's embedded metric format on standard output. None
    is written earlier, because writing a line takes longer than much of what is measured.
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
