"""What the bot logs and counts, wherever it runs.

Log lines go through Python's `logging`, under the name `LOGGER`; whoever starts the bot chooses
how they are written, and where metrics go. Neither ever receives a secret or the text of a
message.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from enum import StrEnum
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar, cast

LOGGER = "toxic_bot"
"""Name of the logger."""

_Handler = TypeVar("_Handler", bound=Callable[..., Any])

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


class KeyedLogger(logging.LoggerAdapter[logging.Logger]):
    """A logger whose keyword arguments are keys of the log line."""

    def process(
        self, msg: Any, kwargs: MutableMapping[str, Any]
    ) -> tuple[Any, MutableMapping[str, Any]]:
        """Make keys of the keyword arguments, beside those that `keyed` gives."""
        return msg, {"extra": {**_keys.get(), **kwargs}}


logger = KeyedLogger(logging.getLogger(LOGGER))

_keys: ContextVar[dict[str, Any]] = ContextVar("keys", default={})  # noqa: B039 - never changed


@contextmanager
def keyed(**keys: str | int) -> Iterator[None]:
    """Give all log lines of this thread some keys, and those of its `KeyedExecutor`s."""
    token = _keys.set(_keys.get() | keys)
    try:
        yield
    finally:
        _keys.reset(token)


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


class Unit(StrEnum):
    """What a metric's value is, as CloudWatch names it."""

    COUNT = "Count"
    MILLISECONDS = "Milliseconds"
    SECONDS = "Seconds"


@dataclass(frozen=True, slots=True)
class Metric:
    """One value of a metric.

    Parameters
    ----------
    name, unit
        What was counted or measured.
    value
        How much.
    dimensions
        What to tell apart. Each combination of values is a metric of its own.
    """

    name: str
    unit: Unit
    value: float
    dimensions: Mapping[str, str]


MetricsExporter = Callable[[Iterable[Metric]], None]
"""Writes metrics, in the order in which they were recorded."""

_metrics: deque[Metric] = deque()
_exporters: list[MetricsExporter] = []


def export_metrics(exporter: MetricsExporter) -> None:
    """Send metrics to an exporter, in place of any earlier one; without one, none are kept."""
    _exporters[:] = [exporter]


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
    _record(Metric(name, Unit.COUNT, 1, dimensions))


def measure(name: str, value: float, *, unit: Unit = Unit.MILLISECONDS, **dimensions: str) -> None:
    """Record a duration; otherwise like `count`."""
    _record(Metric(name, unit, value, dimensions))


def drop_metrics() -> None:
    """Forget what has been recorded since metrics were last exported."""
    _metrics.clear()


def metered(handler: _Handler) -> _Handler:
    """Export an invocation's metrics once it has ended, however it ends.

    None is exported earlier, because writing a line takes longer than much of what is measured.
    """

    @wraps(handler)
    def metered_handler(*arguments: Any) -> Any:
        try:
            return handler(*arguments)
        finally:
            for exporter in _exporters:
                exporter(_recorded())

    return cast("_Handler", metered_handler)


def _record(metric: Metric) -> None:
    if _exporters:
        _metrics.append(metric)


def _recorded() -> Iterator[Metric]:
    while _metrics:
        yield _metrics.popleft()
