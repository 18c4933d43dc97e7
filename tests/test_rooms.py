"""The rules between the rooms hold, and are noticed when they do not."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LINT_IMPORTS = Path(sys.executable).parent / "lint-imports"
CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
ROOMS = CONFIG["root_packages"]
SHARED_NAMES = {"__init__", "__main__", "settings"}

# For each contract, in the order of pyproject.toml, an import that breaks it.
OFFENSES = [
    ("judge/windows.py", "import slack_sdk"),
    ("handler/settings.py", "import standalone.database"),
    ("handler/slack/message.py", "import handler.answer.claims"),
    ("handler/slack/events.py", "import judge.classifier"),
    ("standalone/database.py", "import boto3"),
    ("model_build/rows/chunks.py", "import handler.slack.mrkdwn"),
    ("model_build/rows/mixture.py", "import model_build.training.batches"),
    ("local/process.py", "import standalone.database"),
    ("local/slack/faults.py", "import local.aws.account"),
    ("handler/worker.py", "import local.process"),
    ("local/samples.py", "import toxic_bot.console"),
    ("toxic_bot/console.py", "import torch"),
]
NAMES = [contract["name"] for contract in CONFIG["contracts"]]


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [LINT_IMPORTS, "--no-cache"], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rooms")
    shutil.copy(ROOT / "pyproject.toml", folder)
    for room in ROOMS:
        shutil.copytree(ROOT / room, folder / room, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def test_every_room_keeps_the_contracts(copy: Path) -> None:
    done = lint(copy)
    assert done.returncode == 0, done.stdout
    assert f"{len(NAMES)} kept, 0 broken" in done.stdout


@pytest.mark.parametrize(("place", "offense"), OFFENSES)
def test_an_import_that_breaks_a_contract_is_found(copy: Path, place: str, offense: str) -> None:
    name = NAMES[OFFENSES.index((place, offense))]
    path = copy / place
    before = path.read_text("utf-8")
    path.write_text(f"{before}\n{offense}\n", "utf-8")
    try:
        done = lint(copy)
    finally:
        path.write_text(before, "utf-8")
    assert done.returncode == 1
    verdicts = " ".join(done.stdout.split())
    assert f"{name} BROKEN" in verdicts


def test_every_contract_has_an_import_that_breaks_it() -> None:
    assert len(OFFENSES) == len(NAMES)


def test_every_package_at_the_top_is_under_the_contracts() -> None:
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert packages == set(ROOMS)


def test_no_two_modules_share_a_name() -> None:
    names = Counter(
        path.stem
        for room in ROOMS
        for path in (ROOT / room).rglob("*.py")
        # A command is called what it runs.
        if path.parent.name != "commands"
    )
    assert {name for name, count in names.items() if count > 1} <= SHARED_NAMES
