"""The values of the template's parameters, in samconfig.toml and the guides, as SAM reads them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tomllib

import pytest

from tests.template import declared
from tests.template.code import ROOT
from tests.template.test_guides import SAM

STAGES = ("default", "prod")
OWN = {
    "default": {"Deployment", "LogLevel", "LogRetentionDays"},
    "prod": {"Stage", "AlarmEmail"},
}
"""What a stage sets to something other than the template's default, besides the two secrets."""

PARSE = """
import json, sys
from click.exceptions import UsageError
from samcli.cli.types import CfnParameterOverridesType

def parsed(overrides):
    try:
        return CfnParameterOverridesType().convert(overrides, None, None)
    except UsageError as error:
        return {"error": str(error)}

print(json.dumps([parsed(overrides) for overrides in json.load(sys.stdin)]))
"""


def overrides(stage: str) -> list[str]:
    """Return what a stage passes to the SAM CLI as ``parameter_overrides``."""
    config = tomllib.loads((ROOT / "samconfig.toml").read_text("utf-8"))
    passed: list[str] = config[stage]["deploy"]["parameters"]["parameter_overrides"]
    return passed


def examples() -> list[str]:
    """Return every parameter with a value that the guides tell people to enter."""
    names = "|".join(declared.template()["Parameters"])
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    text = "\n".join(page.read_text("utf-8") for page in pages)
    return sorted(set(re.findall(rf'"((?:{names})=[^"\n]*)"', text)))


def as_sam_reads(*lists: list[str]) -> list[dict[str, str]]:
    """Return what the SAM CLI makes of lists of overrides."""
    if not SAM.exists():
        pytest.skip("the SAM CLI is not installed: run 'make .venv/sam' to install it")
    printed = subprocess.run(
        [str(SAM), "-c", PARSE],
        input=json.dumps(lists),
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"SAM_CLI_TELEMETRY": "0"},
    ).stdout
    parsed: list[dict[str, str]] = json.loads(printed)
    return parsed


def is_accepted(name: str, value: str) -> bool:
    """Report whether CloudFormation accepts a parameter's value."""
    parameter = declared.template()["Parameters"][name]
    if "AllowedValues" in parameter:
        return value in [str(allowed) for allowed in parameter["AllowedValues"]]
    if "MinValue" in parameter:
        return int(value) in range(parameter["MinValue"], parameter["MaxValue"] + 1)
    if "MaxLength" in parameter:
        return len(value) <= int(parameter["MaxLength"])
    return re.fullmatch(parameter["AllowedPattern"], value) is not None


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_lists_every_parameter_because_cloudformation_keeps_what_it_is_not_given(
    stage: str,
) -> None:
    names = [override.partition("=")[0] for override in overrides(stage)]
    assert sorted(names) == sorted(declared.template()["Parameters"])
    assert names[0] == "Stage"


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
def test_sam_reads_the_values_of_a_stage_and_they_are_the_templates_defaults(stage: str) -> None:
    [values] = as_sam_reads(overrides(stage))
    parameters = declared.template()["Parameters"]
    assert set(values) == set(parameters)
    own = {name for name, one in parameters.items() if values[name] != str(one.get("Default", ""))}
    assert own == OWN[stage] | {"SigningSecretArn", "BotTokenArn"}
    placeholders = {name for name, value in values.items() if value.startswith("PUT-")}
    for name in set(values) - placeholders:
        assert is_accepted(name, values[name]), name
    # What only the reader knows stops the deployment until it is filled in.
    assert placeholders >= {"SigningSecretArn", "BotTokenArn"}
    for name in placeholders:
        assert not is_accepted(name, values[name]), name


def test_prod_asks_for_the_address_of_whoever_gets_the_alarms() -> None:
    assert "AlarmEmail=PUT-AN-EMAIL-ADDRESS-HERE" in overrides("prod")


@pytest.mark.slow
def test_sam_reads_every_parameter_of_the_guides_as_it_is_meant() -> None:
    written = examples()
    assert {"Moderators=''", "DigestSchedule='cron(0 8 ? * MON *)'"} <= set(written)
    for example, parsed in zip(written, as_sam_reads(*([one] for one in written)), strict=True):
        name, _, value = example.partition("=")
        meant = value[1:-1] if value.startswith("'") else value
        assert parsed == {name: meant}
        assert is_accepted(name, meant), example


@pytest.mark.slow
@pytest.mark.parametrize("mistake", ["Moderators=", "DigestSchedule=cron(0 8 ? * MON *)"])
def test_a_value_that_lacks_its_quotes_would_be_found(mistake: str) -> None:
    [parsed] = as_sam_reads([mistake])
    name, _, value = mistake.partition("=")
    assert parsed != {name: value}
