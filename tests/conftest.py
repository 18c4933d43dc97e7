"""The whole bot, running: Slack, AWS and both functions in the real Lambda runtime."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from local.aws import ROOT
from local.limits import NO_LIMITS
from local.samples import CHANNEL, VIEWER, company
from local.stack import Options, Stack
from local.workspace import Person


@pytest.fixture(scope="session")
def model_folder() -> Path:
    """The model that the tests judge with: the embedded one, unless MODEL_FOLDER says so."""
    return Path(os.environ.get("MODEL_FOLDER") or ROOT / "model")


@pytest.fixture(scope="session")
def running_stack(model_folder: Path) -> Iterator[Stack]:
    workspace = company()
    for number in range(50):
        person = workspace.add_person(Person(f"U0CROWD{number:03d}", f"Person {number}"))
        workspace.channels[CHANNEL].members.add(person.id)
    options = Options(model=model_folder, concurrency=2, limits=NO_LIMITS, delays=(0.0, 0.1, 0.2))
    with Stack(workspace, VIEWER, options).start() as stack:
        yield stack


@pytest.fixture
def stack(running_stack: Stack) -> Iterator[Stack]:
    """The running bot, with nothing left over from the test before."""
    yield running_stack
    running_stack.web_api.faults.clear()
    running_stack.let_time_pass()
    running_stack.settle()
