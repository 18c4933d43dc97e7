"""What template.yaml declares, as SAM translates it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator
from samtranslator.yaml_helper import yaml_parse

from simulators.aws.template import session
from tests.template.code import ROOT

LOGS = {"logs:CreateLogStream", "logs:PutLogEvents"}
TRACES = {"xray:PutTraceSegments", "xray:PutTelemetryRecords"}


@cache
def template() -> dict[str, Any]:
    """Return the template, with its intrinsic functions as objects."""
    parsed: dict[str, Any] = yaml_parse((ROOT / "template.yaml").read_text("utf-8"))
    return parsed


@cache
def observability() -> dict[str, Any]:
    """Return the template of the stack inside the stack, with the names of the one around it."""
    text = (ROOT / "observability.yaml").read_text("utf-8")
    for inner, outer in (
        ("${StackName}", "${AWS::StackName}"),
        (" StackName\n", " AWS::StackName\n"),
    ):
        text = text.replace(inner, outer)
    parsed: dict[str, Any] = yaml_parse(text)
    return parsed


def declarations() -> dict[str, Any]:
    """Return the resources of both templates, by logical ID."""
    outer, inner = template()["Resources"], observability()["Resources"]
    assert not outer.keys() & inner.keys()
    return {**outer, **inner}


def translated(text: str | None = None, **parameters: str) -> dict[str, Any]:
    """Return the resources that SAM makes of a template, as it does when a stack is deployed.

    Parameters
    ----------
    text
        The template; None for the project's.
    **parameters
        Values of its parameters.
    """
    document = yaml_parse(text or (ROOT / "template.yaml").read_text("utf-8"))
    translator = Translator({}, Parser(), boto_session=session())
    body = translator.translate(document, parameter_values=parameters)
    translator.metrics.publish()
    resources: dict[str, Any] = body["Resources"]
    return resources


@cache
def deployed() -> dict[str, Any]:
    """Return the resources that SAM makes of the project's templates."""
    return {**translated(), **observability()["Resources"]}


def resource(logical_id: str) -> dict[str, Any]:
    """Return a resource's properties."""
    properties: dict[str, Any] = declarations()[logical_id]["Properties"]
    return properties


def resources(kind: str) -> dict[str, dict[str, Any]]:
    """Return the properties of all resources of a type, by logical ID."""
    return {
        logical_id: declaration.get("Properties", {})
        for logical_id, declaration in declarations().items()
        if declaration["Type"] == kind
    }


def variables(logical_id: str) -> dict[str, Any]:
    """Return a function's environment variables."""
    shared = template()["Globals"]["Function"]["Environment"]["Variables"]
    return {**shared, **resource(logical_id)["Environment"]["Variables"]}


def statements(role: str) -> list[dict[str, Any]]:
    """Return the statements of a role's policies that do not depend on a condition."""
    return [one for one in _all_statements(role) if "Fn::If" not in one]


def conditional_statements(role: str) -> dict[str, dict[str, Any]]:
    """Return the statements of a role's policies that depend on a condition, by its name."""
    return {one["Fn::If"][0]: one["Fn::If"][1] for one in _all_statements(role) if "Fn::If" in one}


def _all_statements(role: str) -> list[dict[str, Any]]:
    return [
        statement
        for policy in resource(role)["Policies"]
        for statement in policy["PolicyDocument"]["Statement"]
    ]


def parameters_in(value: Any) -> set[str]:
    """Return the template's parameters that a value refers to, in conditions too."""
    if isinstance(value, list):
        return {name for inner in value for name in parameters_in(inner)}
    if not isinstance(value, dict):
        return set()
    names = {str(value.get("Ref"))}
    if isinstance(text := value.get("Fn::Sub"), str):
        names |= set(re.findall(r"\$\{([\w.]+)\}", text))
    if "Fn::If" in value:
        names |= parameters_in(template()["Conditions"][value["Fn::If"][0]])
    return (names & set(template()["Parameters"])) | parameters_in(list(value.values()))


def values(value: Any) -> list[str]:
    """Return the strings that a value can take: those of both branches of an ``!If``."""
    if isinstance(value, dict) and "Fn::If" in value:
        return [text for branch in value["Fn::If"][1:] for text in values(branch)]
    if isinstance(value, list):
        return [text for item in value for text in values(item)]
    return [value] if isinstance(value, str) else [json.dumps(value)]


def actions(role: str) -> set[str]:
    """Return the actions that a role allows."""
    return {action for statement in statements(role) for action in values(statement["Action"])}


@dataclass(frozen=True, slots=True)
class WatchedMetric:
    """A metric that an alarm or the dashboard uses.

    Parameters
    ----------
    namespace, name
        CloudWatch's namespace and name of the metric.
    dimensions
        Names and values; the value is empty where a search matches any.
    """

    namespace: str
    name: str
    dimensions: tuple[tuple[str, str], ...]


def dashboard() -> list[dict[str, Any]]:
    """Return the dashboard's widgets."""
    body = resource("Dashboard")["DashboardBody"]["Fn::Sub"]
    widgets: list[dict[str, Any]] = json.loads(body)["widgets"]
    return widgets


def dashboard_metrics() -> list[WatchedMetric]:
    """Return the dashboard's metrics, with its ``...`` shorthand expanded."""
    metrics = []
    for widget in dashboard():
        previous: list[str] = []
        for entry in widget["properties"]["metrics"]:
            if isinstance(entry[0], dict):
                if "SEARCH" not in entry[0]["expression"]:
                    continue  # it computes with the widget's other metrics
                metrics.append(_search_metric(entry[0]["expression"]))
                continue
            fields = [field for field in entry if isinstance(field, str)]
            if fields[0] == "...":
                fields = [*previous[: len(previous) - len(fields) + 1], *fields[1:]]
            previous = fields
            dimensions = tuple(zip(fields[2::2], fields[3::2], strict=True))
            metrics.append(WatchedMetric(fields[0], fields[1], dimensions))
    return metrics


def _search_metric(expression: str) -> WatchedMetric:
    match = re.fullmatch(
        r"SEARCH\('\{\"([^\"]+)\",([\w,]+)\} MetricName=\"(\w+)\"', '\w+', \d+\)", expression
    )
    assert match, expression
    return WatchedMetric(match[1], match[3], tuple((name, "") for name in match[2].split(",")))


def alarm_metrics(*, full: bool = True) -> list[WatchedMetric]:
    """Return the metrics that alarms watch; all, or without those that only some stacks have."""
    metrics = []
    for name, alarm in resources("AWS::CloudWatch::Alarm").items():
        if not full and (
            name in observability()["Resources"] or "Condition" in declarations()[name]
        ):
            continue
        queries = [query for query in alarm.get("Metrics", []) if "MetricStat" in query]
        for metric in [query["MetricStat"]["Metric"] for query in queries] or [alarm]:
            namespace = metric["Namespace"]
            metrics.append(
                WatchedMetric(
                    namespace["Fn::Sub"] if isinstance(namespace, dict) else namespace,
                    metric["MetricName"],
                    tuple(
                        (dimension["Name"], str(dimension["Value"]))
                        for dimension in metric.get("Dimensions", [])
                    ),
                )
            )
    return metrics


def filtered_metrics() -> set[tuple[str, str]]:
    """Return namespace and name of the metrics that CloudWatch counts in logs."""
    return {
        (one["MetricNamespace"]["Fn::Sub"], one["MetricName"])
        for metric_filter in resources("AWS::Logs::MetricFilter").values()
        for one in metric_filter["MetricTransformations"]
    }
