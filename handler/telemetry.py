"""The logger and the metrics, wherever the bot runs.

Neither ever receives a secret or the text of a message.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar, cast

from aws_lambda_powertools import Logger
from aws_lambda_powertools.metrics import MetricUnit, single_metric

from judge import __version__

NAMESPACE = os.environ.get("POWERTOOLS_METRICS_NAMESPACE", "ToxicBot")

IS_METERED = os.environ.get("POWERTOOLS_METRICS_DISABLED", "").lower() not in ("true", "1")
"""Whether anybody collects metrics: Powertools itself leaves only those of its decorator out."""

logger = Logger()
logger.append_keys(version=__version__)

_Handler = TypeVar("_Handler", bound=Callable[..., Any])

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")

_metrics: deque[tuple[str, MetricUnit, float, dict[str, str]]] = deque()


@contextmanager
def keyed(**keys: str | int) -> Iterator[None]:
    """Give all log lines of this thread some keys, and those of its `KeyedExecutor`s."""
    outer = logger.thread_safe_get_current_keys()
    logger.thread_safe_append_keys(**keys)
    try:
        yield
    finally:
        # Removing single keys would also take them from the threads that were given them.
        logger.thread_safe_clear_keys()
        logger.thread_safe_append_keys(**outer)


class KeyedExecutor(ThreadPoolExecutor):
    """A pool of threads whose log lines have the keys of whoever submitted the work."""

    def submit(
        self,
        fn: Callable[_Parameters, _Result],
        /,
        *args: _Parameters.args,
        **kwargs: _Parameters.kwargs,
    ) -> Future[_Result]:
        """Submit a call; see `ThreadPoolExecutor.submit`."""
        context, work = copy_context(), partial(fn, *args, **kwargs)
        return super().submit(lambda: context.run(work))


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
            _write_all()

    return cast("_Handler", metered_handler)


def _write_all() -> None:
    if not IS_METERED:
        _metrics.clear()
        return
    handler = logger.registered_handler
    # Printing ends a line in a second step, before which another thread might log.
    handler.acquire()
    try:
        while _metrics:
            _write(*_metrics.popleft())
    finally:
        handler.release()


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
