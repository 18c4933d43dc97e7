"""What the SAM CLI needs to run a function on one machine."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest

from tests.template import declared
from tests.template.code import ROOT
from toxic_bot.deployment.settings import AwsSettings

ENVIRONMENT = json.loads((ROOT / "events" / "env.json").read_text("utf-8"))["Parameters"]


def resolvable(value: Any) -> bool:
    """Report whether 'sam local' resolves a value: a literal, or one parameter with a default."""
    parameters = declared.template()["Parameters"]
    if isinstance(value, dict) and set(value) == {"Ref"}:
        return "Default" in parameters.get(value["Ref"], {})
    if isinstance(value, dict) and set(value) == {"Fn::Sub"}:
        return declared.parameters_in(value) != set()
    return isinstance(value, str | int)


@pytest.mark.parametrize("function", ["Receiver", "Worker"])
def test_the_file_has_exactly_the_variables_that_sam_local_cannot_resolve(function: str) -> None:
    variables = declared.variables(function)
    assert {name for name, value in variables.items() if not resolvable(value)} == set(ENVIRONMENT)


def test_with_the_file_both_functions_start() -> None:
    settings = AwsSettings.from_environment(ENVIRONMENT)
    config = tomllib.loads((ROOT / "samconfig.toml").read_text("utf-8"))
    stack = config["default"]["deploy"]["parameters"]["stack_name"]
    names = {
        name: declared.resource(name)[key]["Fn::Sub"].replace("${AWS::StackName}", stack)
        for name, key in (("Queue", "QueueName"), ("ClaimTable", "TableName"))
    }
    assert settings.queue_url.endswith(f"/{names['Queue']}")
    assert settings.claim_table == names["ClaimTable"]


@pytest.mark.parametrize("command", ["local_invoke", "local_start_api"])
def test_sam_local_uses_the_file_without_an_option(command: str) -> None:
    config = tomllib.loads((ROOT / "samconfig.toml").read_text("utf-8"))
    assert config["default"][command]["parameters"]["env_vars"] == "events/env.json"
