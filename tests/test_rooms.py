"""The rules for imports between rooms are kept, and a violation is detected."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LINT_IMPORTS = Path(sys.executable).parent / "lint-imports"
CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
ROOMS = CONFIG["root_packages"]

# For each contract, in the order of pyproject.toml, an import that breaks it.
VIOLATIONS = [
    ("toxic_bot/judge/windows.py", "import toxic_bot.slack.settings"),
    ("toxic_bot/slack/settings.py", "import toxic_bot.standalone.database"),
    ("toxic_bot/cli/feedback.py", "import boto3"),
    ("toxic_bot/service/keys.py", "import toxic_bot.slack.requests.http"),
    ("toxic_bot/terminal/console.py", "import simulators.process"),
    ("handler/worker.py", "import toxic_bot.standalone.database"),
    ("handler/digest.py", "import toxic_bot.judge.classifier"),
    ("toxic_bot/slack/web_api/message.py", "import toxic_bot.slack.answers.claims"),
    ("model_build/rows/mixture.py", "import model_build.training.batches"),
    ("toxic_bot/terminal/console.py", "import torch"),
]
CONTRACTS = [contract["name"] for contract in CONFIG["contracts"]]


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [LINT_IMPORTS, "--no-cache"], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def project_copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rooms")
    shutil.copy(ROOT / "pyproject.toml", folder)
    for room in ROOMS:
        shutil.copytree(ROOT / room, folder / room, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.mark.slow
def test_every_room_keeps_its_contracts(project_copy: Path) -> None:
    result = lint(project_copy)
    assert result.returncode == 0, result.stdout
    assert f"{len(CONTRACTS)} kept, 0 broken" in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("module", "violation"), VIOLATIONS)
def test_an_import_that_breaks_a_contract_is_detected(
    project_copy: Path, module: str, violation: str
) -> None:
    contract = CONTRACTS[VIOLATIONS.index((module, violation))]
    path = project_copy / module
    source = path.read_text("utf-8")
    path.write_text(f"{source}\n{violation}\n", "utf-8")
    try:
        result = lint(project_copy)
    finally:
        path.write_text(source, "utf-8")
    assert result.returncode == 1
    report = " ".join(result.stdout.split())
    assert f"{contract} BROKEN" in report


def test_every_contract_is_tested_with_a_violation() -> None:
    assert len(VIOLATIONS) == len(CONTRACTS)


def test_every_top_level_package_is_covered_by_the_contracts() -> None:
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert packages == set(ROOMS)
