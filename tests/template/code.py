"""What the handler's code uses, as parsed from its source."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import boto3

from handler import asked_messages, case_table
from handler import channel_settings_table as settings_table
from handler import dynamodb_store as claim_table

ROOT = Path(__file__).parents[2]
ROOMS = ("deployment", "judge", "slack")
LAMBDA = [ROOT / name for name in ("handler", *(f"toxic_bot/{room}" for room in ROOMS))]
"""What the app image holds."""


def parse(module: str) -> ast.Module:
    """Parse a module, such as ``handler.worker``, or a package's own."""
    path = ROOT / module.replace(".", "/")
    path = path / "__init__.py" if path.is_dir() else path.with_name(f"{path.name}.py")
    return ast.parse(path.read_text("utf-8"))


def imported_modules(entry: str) -> set[str]:
    """Return our modules that an entry point imports, including the entry point."""
    imported, pending = set[str](), [entry]
    while pending:
        module = pending.pop()
        imported.add(module)
        pending += [
            str(node.module)
            for node in ast.walk(parse(module))
            if isinstance(node, ast.ImportFrom)
            and (node.module or "").startswith(("handler.", "toxic_bot."))
            and node.module not in imported
        ]
    return imported


def calls(entry: str) -> Iterator[ast.Call]:
    """Yield every call that the modules of an entry point make."""
    for module in imported_modules(entry):
        yield from (node for node in ast.walk(parse(module)) if isinstance(node, ast.Call))


def called_name(call: ast.Call) -> str:
    """Return the name of the called function or method, without its module or object."""
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def used_names(entry: str) -> set[str]:
    """Return the names and attributes that an entry point's modules use."""
    used = set()
    for module in imported_modules(entry):
        for node in ast.walk(parse(module)):
            if isinstance(node, ast.Attribute):
                used.add(node.attr)
            elif isinstance(node, ast.Name):
                used.add(node.id)
    return used


def sqs_actions(entry: str) -> set[str]:
    """Return the IAM actions of an entry point's own SQS calls."""
    operations = operations_of("sqs")
    called = {called_name(call) for call in calls(entry)}
    return {f"sqs:{operations[method]}" for method in called if method in operations}


def claim_actions() -> set[str]:
    """Return the IAM actions of the calls to the table for claims, budgets, votes and counts."""
    return _table_actions(claim_table.DynamoDBStore)


def settings_actions() -> set[str]:
    """Return the IAM actions of the worker's calls to the table for the channels' settings."""
    return _table_actions(settings_table.SettingsTable)


def case_actions() -> set[str]:
    """Return the IAM actions of the worker's calls to the table for the moderators' cases."""
    return _table_actions(case_table.CaseTable)


def emoji_actions() -> set[str]:
    """Return the IAM actions of the receiver's calls to the table."""
    index = _table_actions(settings_table.ChannelIndex)
    return index | _table_actions(asked_messages.AskedMessages)


def _table_actions(store: type) -> set[str]:
    operations = operations_of("dynamodb")
    called = re.findall(r"self\._client\.(\w+)\(", inspect.getsource(store))
    return {f"dynamodb:{operations[method]}" for method in called if method in operations}


def operations_of(service: Literal["dynamodb", "sqs"]) -> dict[str, str]:
    """Return a service's operations, keyed by boto3 method name."""
    client = boto3.client(
        service, region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="x"
    )
    return dict(client.meta.method_to_api_mapping)


def emitted_metrics(entry: str) -> dict[str, frozenset[str]]:
    """Return an entry point's metrics, each with its dimensions other than the service."""
    emitted: dict[str, frozenset[str]] = {}
    for call in calls(entry):
        if called_name(call) not in ("count", "measure") or not call.args:
            continue
        dimensions = frozenset(
            str(keyword.arg) for keyword in call.keywords if keyword.arg != "unit"
        )
        for node in ast.walk(call.args[0]):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                emitted[node.value] = dimensions
    return emitted


def slack_methods() -> set[str]:
    """Return the Web API methods that the worker calls."""
    families = ("auth", "chat", "conversations", "reactions", "users", "views")
    methods = set()
    for call in calls("handler.worker"):
        for node in (*call.args, call.func):
            text = (
                node.value
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
                else getattr(node, "attr", "")
            )
            family, _, method = text.partition("_")
            if family in families and method:
                methods.add(f"{family}.{method}")
    return methods
