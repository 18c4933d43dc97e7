"""The whole bot, running: Slack, AWS and both functions in the real Lambda runtime."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from local import ROOT
from local.samples import CHANNEL, VIEWER, create_workspace
from local.slack.rate_limits import NO_LIMITS
from local.slack.workspace import Person
from local.stack import Options, Stack
from tests.socket_mode import SocketModeSlack


@pytest.fixture(scope="session", autouse=True)
def _children_can_be_interrupted() -> Iterator[None]:
    """Let tests interrupt what they start, even where a script runs them in the background.

    There SIGINT is ignored, and a process that is started with an ignored signal ignores it.
    """
    previous = signal.getsignal(signal.SIGINT)
    if previous is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, previous)


@pytest.fixture
def slack() -> Iterator[SocketModeSlack]:
    """A Slack with Socket Mode."""
    slack = SocketModeSlack()
    yield slack
    slack.server.stop()


@pytest.fixture(scope="session")
def model_folder() -> Path:
    """The model that the tests judge with: the embedded one, unless MODEL_FOLDER says so."""
    return Path(os.environ.get("MODEL_FOLDER") or ROOT / "model")


@pytest.fixture(scope="session")
def running_stack(model_folder: Path) -> Iterator[Stack]:
    workspace = create_workspace()
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
