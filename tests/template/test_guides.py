"""Every command line in the guides can be run: program, operation and options exist."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from typing import Any

import botocore.session
import pytest
from botocore import xform_name
from botocore.model import ListShape, OperationModel, Shape
from botocore.validate import ParamValidator

from tests.guides import CommandLine, command_lines
from tests.template import declared
from tests.template.code import ROOT
from toxic_bot.cli.command_line import parser

AWS_NAMES = {"deploy": "codedeploy"}
"""The AWS CLI's names of services that differ from the SDK's."""
AWS_OPTIONS = {"--query", "--output"}
"""Options that every operation takes."""
SAM = ROOT / ".venv" / "sam" / "bin" / "python"
SAM_HELP = """
import json, sys
from click.testing import CliRunner
from samcli.cli.main import cli

run = CliRunner().invoke
print(json.dumps({line: run(cli, [*line.split(), "--help"]).output for line in sys.argv[1:]}))
"""
"""Prints what ``--help`` says of commands of the SAM CLI, which takes seconds to start."""


def operation(service: str, name: str) -> OperationModel:
    """Return an operation of AWS's by the names that the AWS CLI gives it and its service."""
    session = botocore.session.get_session()
    model = session.get_service_model(AWS_NAMES.get(service, service))
    names = {xform_name(one, "-"): one for one in model.operation_names}
    return model.operation_model(names[name])


def arguments(words: tuple[str, ...]) -> Iterator[tuple[str, list[str]]]:
    """Yield options with their values."""
    option, values = "", list[str]()
    for word in words:
        if word.startswith("--"):
            yield option, values
            option, values = word, []
        else:
            values.append(word)
    yield option, values


def converted(shape: Shape, option: str, values: list[str]) -> Any:
    """Return a parameter's value as the AWS CLI sends it."""
    kind = shape.type_name
    if kind == "boolean":
        assert values == [], f"{option} takes no value"
        return not option.startswith("--no-")
    assert values, f"{option} lacks its value"
    if kind in ("structure", "map") or (kind == "list" and values[0].startswith("[")):
        return json.loads(values[0])
    if isinstance(shape, ListShape):
        return [converted(shape.member, option, [value]) for value in values]
    if enum := getattr(shape, "enum", None):
        assert values[0] in enum
    return int(values[0]) if kind in ("integer", "long") else values[0]


def check_aws(words: tuple[str, ...]) -> None:
    """Check a command line of the AWS CLI against the model of the service's API."""
    model = operation(*words[1:3])
    assert model.input_shape is not None
    members = {f"--{xform_name(name, '-')}": name for name in model.input_shape.members}
    parameters = {}
    for option, values in arguments(words[3:]):
        if not option:
            assert values == [], f"{values} belong to no option"
            continue
        if option in AWS_OPTIONS:
            assert len(values) == 1
            continue
        name = members[option.replace("--no-", "--") if option not in members else option]
        shape = model.input_shape.members[name]
        if shape.type_name not in ("boolean", "list") and model.has_streaming_output:
            # The file that gets the output follows the last option.
            values = values[:1]
        assert shape.type_name == "list" or len(values) <= 1, f"{values[1:]} belong to no option"
        parameters[name] = converted(shape, option, values)
    report = ParamValidator().validate(parameters, model.input_shape)
    assert not report.has_errors(), report.generate_report()


@pytest.mark.parametrize("command", command_lines("aws"), ids=str)
def test_the_aws_cli_takes_every_command_of_the_guides(command: CommandLine) -> None:
    check_aws(command.words)


def test_the_guide_lets_the_images_of_the_one_repository_expire() -> None:
    lines = {line.words[2]: line.words for line in command_lines("aws") if "ecr" in line.words}
    names = {words[words.index("--repository-name") + 1] for words in lines.values()}
    assert {"create-repository", "put-lifecycle-policy", "delete-repository"} <= set(lines)
    assert names == {"toxic-bot"}
    [rule] = json.loads(lines["put-lifecycle-policy"][-1])["rules"]
    assert rule["selection"]["countType"] == "imageCountMoreThan"
    # Each function may have an image of its own, under its own tag.
    functions = declared.resources("AWS::Serverless::Function")
    assert rule["selection"]["countNumber"] >= 10 * len(functions)
    assert rule["action"] == {"type": "expire"}


def test_the_guide_says_how_to_build_an_image_that_lambda_takes() -> None:
    assert "`docker build --provenance=false`" in (ROOT / "docs" / "deploy.md").read_text("utf-8")


@pytest.mark.parametrize(
    "line",
    [
        "aws ssm put-parameters --name a --value b",
        "aws ssm put-parameter --name a --value b --type Secure",
        "aws ssm put-parameter --name a",
        "aws ssm put-parameter --name a b --value c",
        "aws ssm put-parameter --name a --value b --overwrite yes",
        "aws lambda update-event-source-mapping --enable --uuid 0",
        "aws nothing get-caller-identity",
    ],
)
def test_a_wrong_command_of_the_aws_cli_would_be_found(line: str) -> None:
    with pytest.raises((AssertionError, KeyError, botocore.exceptions.UnknownServiceError)):
        check_aws(tuple(line.split()))


def sam_command(line: CommandLine) -> str:
    """Return a command of the SAM CLI without its operands, such as ``local invoke``."""
    return " ".join(word for word in line.words[1:3] if re.fullmatch(r"[a-z][a-z-]+", word))


@pytest.fixture(scope="module")
def sam_help() -> dict[str, str]:
    if not SAM.exists():
        pytest.skip("the SAM CLI is not installed: run 'make .venv/sam' to install it")
    used = {sam_command(line) for line in command_lines("sam")}
    environment = os.environ | {"SAM_CLI_TELEMETRY": "0"}
    command = [str(SAM), "-c", SAM_HELP, *sorted(used)]
    printed = subprocess.run(
        command, capture_output=True, text=True, check=True, env=environment
    ).stdout
    by_command: dict[str, str] = json.loads(printed)
    return by_command


@pytest.mark.slow
@pytest.mark.parametrize("command", command_lines("sam"), ids=str)
def test_the_sam_cli_takes_every_command_of_the_guides(
    command: CommandLine, sam_help: dict[str, str]
) -> None:
    text = sam_help[sam_command(command)]
    assert "No such command" not in text
    options = {word for word in command.words if word.startswith("--")}
    assert options <= set(re.findall(r"--[a-z0-9-]+", text))


@pytest.mark.parametrize("command", command_lines("make"), ids=str)
def test_every_make_target_of_the_guides_exists(command: CommandLine) -> None:
    target = command.words[1]
    assert re.search(
        rf"^(\S+ )*{re.escape(target)}( \S+)*:",
        (ROOT / "Makefile").read_text("utf-8"),
        re.MULTILINE,
    )


@pytest.mark.parametrize(
    "command",
    [one for one in command_lines("toxic-bot") if one.is_whole and "--help" not in one.words],
    ids=str,
)
def test_toxic_bot_takes_every_command_of_the_guides(command: CommandLine) -> None:
    assert parser().parse_args(command.words[1:])
