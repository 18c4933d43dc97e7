"""CloudWatch's alarms: whether one of the template's rings for the metrics of one period.

Sources: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html,
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    "GreaterThanThreshold": operator.gt,
    "GreaterThanOrEqualToThreshold": operator.ge,
}

Resolve = Callable[[Any], str]
"""Returns the value of a template's property, such as a ``Ref`` in a dimension."""


@dataclass(frozen=True, slots=True)
class Datapoint:
    """One value of a metric.

    Parameters
    ----------
    namespace, name
        The metric.
    dimensions
        Names and values.
    value
        Its value.
    """

    namespace: str
    name: str
    dimensions: frozenset[tuple[str, str]]
    value: float


def datapoint(namespace: str, name: str, value: float, **dimensions: str) -> Datapoint:
    """Return a datapoint."""
    return Datapoint(namespace, name, frozenset(dimensions.items()), value)


def embedded(records: Iterable[Mapping[str, Any]]) -> Iterator[Datapoint]:
    """Yield what CloudWatch reads in the lines of a log: metrics in its embedded format."""
    for record in records:
        for directive in record.get("_aws", {}).get("CloudWatchMetrics", ()):
            for metric in directive["Metrics"]:
                values = record[metric["Name"]]
                for names in directive["Dimensions"]:
                    dimensions = frozenset((name, str(record[name])) for name in names)
                    for value in values if isinstance(values, list) else [values]:
                        yield Datapoint(
                            directive["Namespace"], metric["Name"], dimensions, float(value)
                        )


def rings(alarm: Mapping[str, Any], datapoints: Sequence[Datapoint], resolve: Resolve) -> bool:
    """Report whether what came out in one period breaches an alarm's threshold.

    Parameters
    ----------
    alarm
        The alarm's properties in the template.
    datapoints
        Everything that came out; other metrics are ignored.
    resolve
        Resolves namespaces and dimensions.
    """
    if "Metrics" in alarm:
        queries = alarm["Metrics"]
        values = {
            query["Id"]: _statistic(
                query["MetricStat"]["Metric"], query["MetricStat"]["Stat"], datapoints, resolve
            )
            for query in queries
            if "MetricStat" in query
        }
        [returned] = [query for query in queries if query.get("ReturnData", True)]
        value = _evaluated(returned["Expression"], values)
    else:
        statistic = alarm.get("Statistic") or alarm["ExtendedStatistic"]
        value = _statistic(alarm, statistic, datapoints, resolve)
    # No alarm of the template takes missing data for a breach.
    if value is None:
        return False
    return COMPARISONS[alarm["ComparisonOperator"]](value, float(alarm["Threshold"]))


def _statistic(
    metric: Mapping[str, Any], statistic: str, datapoints: Sequence[Datapoint], resolve: Resolve
) -> float | None:
    """Return a statistic of a metric's values; None if there are none."""
    dimensions = frozenset(
        (one["Name"], resolve(one["Value"])) for one in metric.get("Dimensions", ())
    )
    wanted = (resolve(metric["Namespace"]), metric["MetricName"], dimensions)
    values = sorted(
        one.value for one in datapoints if (one.namespace, one.name, one.dimensions) == wanted
    )
    if not values:
        return None
    if match := re.fullmatch(r"p(\d+)", statistic):
        return values[math.ceil(int(match[1]) / 100 * len(values)) - 1]
    if match := re.fullmatch(r"PR\(:(\d+)\)", statistic):
        return 100 * sum(value <= int(match[1]) for value in values) / len(values)
    simple: Mapping[str, Callable[[], float]] = {
        "Sum": lambda: sum(values),
        "Maximum": lambda: values[-1],
        "SampleCount": lambda: len(values),
    }
    return simple[statistic]()


def _evaluated(expression: str, values: Mapping[str, float | None]) -> float | None:
    """Return what metric math makes of the metrics of a period; None if it has no data."""
    known = {name: value for name, value in values.items() if value is not None}
    functions: dict[str, Any] = {
        "METRICS": lambda: list(known.values()),
        "SUM": sum,
        "MAX": max,
        "IF": lambda condition, then, otherwise: then if condition else otherwise,
    }
    if "METRICS()" in expression and not known:
        return None
    try:
        # The project's own template; the names are its metrics'.
        return float(eval(expression, {"__builtins__": {}}, functions | known))
    # A metric without data leaves the expression without any, and so does a division by zero.
    except (NameError, ZeroDivisionError):
        return None
