from __future__ import annotations

from typing import Any

import pytest

from simulators.aws.alarms import Datapoint, datapoint, embedded, rings


def metric(name: str, **dimensions: str) -> dict[str, Any]:
    return {
        "Namespace": "Bot",
        "MetricName": name,
        "Dimensions": [{"Name": key, "Value": value} for key, value in dimensions.items()],
    }


def alarm(threshold: float, **changes: Any) -> dict[str, Any]:
    return {
        "Threshold": threshold,
        "ComparisonOperator": "GreaterThanThreshold",
        "Statistic": "Sum",
        **changes,
    }


def came_out(name: str, *values: float, **dimensions: str) -> list[Datapoint]:
    return [datapoint("Bot", name, value, **dimensions) for value in values]


def math(expression: str, *queries: tuple[str, dict[str, Any], str]) -> dict[str, Any]:
    stats = [
        {"Id": name, "ReturnData": False, "MetricStat": {"Stat": stat, "Metric": one}}
        for name, one, stat in queries
    ]
    return {"Metrics": [{"Id": "e", "Expression": expression, "ReturnData": True}, *stats]}


def test_an_alarm_sums_only_its_own_metric_with_exactly_its_dimensions() -> None:
    one = alarm(1) | metric("Failed", service="worker")
    assert not rings(one, came_out("Failed", 1, service="worker"), str)
    assert rings(one, came_out("Failed", 1, 1, service="worker"), str)
    assert not rings(one, came_out("Failed", 1, 1, service="receiver"), str)
    assert not rings(one, came_out("Failed", 1, 1, service="worker", reason="x"), str)
    assert not rings(one, came_out("Other", 1, 1, service="worker"), str)


@pytest.mark.parametrize(
    ("statistic", "value"),
    [("Sum", 106), ("Maximum", 100), ("SampleCount", 4), ("p50", 2), ("p99", 100), ("PR(:3)", 75)],
)
def test_a_statistic_is_that_of_all_values(statistic: str, value: float) -> None:
    values = came_out("Ms", 1, 2, 3, 100)
    for threshold, ringing in ((value - 0.5, True), (value + 0.5, False)):
        assert rings(alarm(threshold, Statistic=statistic) | metric("Ms"), values, str) is ringing


def test_metric_math_ignores_what_is_missing_in_a_sum_and_has_no_data_elsewhere() -> None:
    queries = (("a", metric("A"), "Sum"), ("b", metric("B"), "Sum"))
    total = alarm(2) | math("SUM(METRICS())", *queries)
    assert rings(total, came_out("A", 3), str)
    assert not rings(total, [], str)
    share = alarm(10) | math("IF(a >= 2, 100 * a / b, 0)", *queries)
    assert rings(share, came_out("A", 2) + came_out("B", 4), str)
    assert not rings(share, came_out("A", 1) + came_out("B", 1), str)
    assert not rings(share, came_out("A", 2), str)


def test_lines_in_the_embedded_format_become_datapoints() -> None:
    line = {
        "_aws": {
            "CloudWatchMetrics": [
                {"Namespace": "Bot", "Dimensions": [["service"]], "Metrics": [{"Name": "Failed"}]}
            ]
        },
        "service": "worker",
        "Failed": [1.0],
    }
    found = list(embedded([{"message": "no metric"}, line]))
    assert found == came_out("Failed", 1, service="worker")
