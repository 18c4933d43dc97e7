"""What template.yaml declares, as SAM translates it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from samtranslator.yaml_helper import yaml_parse

from tests.template.code import ROOT

LOGS = {"logs:CreateLogStream", "logs:PutLogEvents"}
TRACES = {"xray:PutTraceSegments", "xray:PutTelemetryRecords"}


@cache
def template() -> dict[str, Any]:
    """Return the template, with its intrinsic functions as objects."""
    parsed: dict[str, Any] = yaml_parse((ROOT / "template.yaml").read_text("utf-8"))
    return parsed


def resource(logical_id: str) -> dict[str, Any]:
    """Return a resource's properties."""
    properties: dict[str, Any] = template()["Resources"][logical_id]["Properties"]
    return properties


def resources(kind: str) -> dict[str, dict[str, Any]]:
    """Return the properties of all resources of a type, by logical id."""
    return {
        logical_id: one.get("Properties", {})
        for logical_id, one in template()["Resources"].items()
        if one["Type"] == kind
    }


def variables(logical_id: str) -> dict[str, Any]:
    """Return a function's environment variables."""
    everywhere = template()["Globals"]["Function"]["Environment"]["Variables"]
    return {**everywhere, **resource(logical_id)["Environment"]["Variables"]}


def statements(role: str) -> list[dict[str, Any]]:
    """Return the statements of a role's policies."""
    return [
        statement
        for policy in resource(role)["Policies"]
        for statement in policy["PolicyDocument"]["Statement"]
    ]


def values(value: Any) -> list[str]:
    """Return the strings that a value may be: both branches of an ``!If``."""
    if isinstance(value, dict) and "Fn::If" in value:
        return [one for branch in value["Fn::If"][1:] for one in values(branch)]
    if isinstance(value, list):
        return [one for inner in value for one in values(inner)]
    return [value] if isinstance(value, str) else [json.dumps(value)]


def actions(role: str) -> set[str]:
    """Return the actions that a role allows."""
    return {action for one in statements(role) for action in values(one["Action"])}


@dataclass(frozen=True, slots=True)
class Watched:
    """A metric that an alarm or the dashboard looks at.

    Parameters
    ----------
    namespace, name
        CloudWatch's.
    dimensions
        Names, with values where they are given.
    """

    namespace: str
    name: str
    dimensions: tuple[tuple[str, str], ...]


def dashboard() -> list[dict[str, Any]]:
    """Return the dashboard's widgets."""
    body = resource("Dashboard")["DashboardBody"]["Fn::Sub"]
    widgets: list[dict[str, Any]] = json.loads(body)["widgets"]
    return widgets


def on_dashboard() -> list[Watched]:
    """Return the metrics that the dashboard shows, its shorthand written out."""
    found = []
    for widget in dashboard():
        before: list[str] = []
        for entry in widget["properties"]["metrics"]:
            if isinstance(entry[0], dict):
                found.append(_searched(entry[0]["expression"]))
                continue
            words = [one for one in entry if isinstance(one, str)]
            if words[0] == "...":
                words = [*before[: len(before) - len(words) + 1], *words[1:]]
            before = words
            pairs = tuple(zip(words[2::2], words[3::2], strict=True))
            found.append(Watched(words[0], words[1], pairs))
    return found


def _searched(expression: str) -> Watched:
    match = re.fullmatch(
        r"SEARCH\('\{\"([^\"]+)\",([\w,]+)\} MetricName=\"(\w+)\"', '\w+', 300\)", expression
    )
    assert match, expression
    return Watched(match[1], match[3], tuple((one, "") for one in match[2].split(",")))


def in_alarms() -> list[Watched]:
    """Return the metrics that alarms look at."""
    found = []
    for alarm in resources("AWS::CloudWatch::Alarm").values():
        summed = [one["MetricStat"] for one in alarm.get("Metrics", []) if "MetricStat" in one]
        for metric in [one["Metric"] for one in summed] or [alarm]:
            namespace = metric["Namespace"]
            found.append(
                Watched(
                    namespace["Fn::Sub"] if isinstance(namespace, dict) else namespace,
                    metric["MetricName"],
                    tuple((one["Name"], str(one["Value"])) for one in metric["Dimensions"]),
                )
            )
    return found
