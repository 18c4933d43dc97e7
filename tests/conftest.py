"""The running bot, a Slack with Socket Mode, and the model under test."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from simulators.samples import AMPLE_BUDGETS, CHANNEL, VIEWER, add_safety, create_workspace
from simulators.slack.rate_limits import NO_LIMITS
from simulators.slack.workspace import Person
from simulators.stack import Options, Stack
from tests.http_slack import HttpSlack
from tests.socket_mode import SocketModeSlack
from toxic_bot.judge.classifier import FP16_GRAPH
from toxic_bot.judge.config import EMBEDDED_MODEL

if "PYTEST_XDIST_WORKER" in os.environ:
    # Two processes with two threads each would wait for each other most of the time.
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# Timings belong in benchmarks; a busy machine is not a bug. Nor does chance decide whether a change
# passes: 'python -m benchmarks fuzz' looks for what nobody has thought of.
hypothesis.settings.register_profile("repeatable", deadline=None, derandomize=True)
hypothesis.settings.load_profile("repeatable")


LONGEST_FILES = (
    "test_wheel.py",
    "cli/test_up.py",
    "cli/test_commands.py",
    "end_to_end/test_stack.py",
    "judge/test_classifier.py",
    "model/test_judgment.py",
    "simulators/slack/test_page_states.py",
    "cli/test_ending.py",
    "slack/cases/test_cases.py",
    "slack/answers/test_claim_protocol.py",
    "slack/answers/test_answerer.py",
    "model_build/test_pipeline.py",
    "service/test_serve.py",
    "image/test_images.py",
    "cli/test_doctor.py",
    "standalone/test_bot.py",
    "model_build/training/test_loop.py",
    "cli/test_dlq.py",
    "image/test_runtime_files.py",
    "service/test_workers.py",
    "cli/test_scan.py",
    "model_build/training/test_distillation.py",
    "model_build/graph/test_pruned_graphs.py",
    "test_rooms.py",
)
"""A process runs whole files: with a long one at the end, the others would have nothing to do."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the quick tests before the slow ones; in several processes, the longest files first."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is not None)
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = Path(__file__).parent
        ranks = {folder / name: rank for rank, name in enumerate(LONGEST_FILES)}
        items.sort(key=lambda item: ranks.get(item.path, len(ranks)))


@pytest.fixture(scope="session", autouse=True)
def _ending_signals() -> Iterator[None]:
    """Make sure that SIGINT and SIGHUP reach the processes that tests start.

    A script's background processes ignore SIGINT, `nohup` ignores SIGHUP, and every process
    that they start inherits that. A handler is not inherited.
    """
    handlers = {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: lambda *_: None}
    previous = {
        number: signal.signal(number, handler)
        for number, handler in handlers.items()
        if signal.getsignal(number) is signal.SIG_IGN
    }
    yield
    for number, handler in previous.items():
        signal.signal(number, handler)


@pytest.fixture
def slack() -> Iterator[SocketModeSlack]:
    """A local Slack with Socket Mode."""
    slack = SocketModeSlack()
    yield slack
    slack.server.stop()


@pytest.fixture
def http_slack() -> Iterator[HttpSlack]:
    """A local Slack that sends its events by HTTP."""
    slack = HttpSlack()
    yield slack
    slack.stop()


@pytest.fixture(scope="session")
def model_folder() -> Path:
    """The model under test: the embedded one, unless MODEL_FOLDER names another."""
    return Path(os.environ.get("MODEL_FOLDER") or EMBEDDED_MODEL)


@pytest.fixture
def folder_with_damaged_languages(model_folder: Path, tmp_path: Path) -> Path:
    """A model folder that judges English; its multilingual model cannot be loaded."""
    folder = tmp_path / "damaged"
    shutil.copytree(model_folder, folder, ignore=shutil.ignore_patterns("multilingual"))
    shutil.copytree(
        model_folder / "multilingual", folder / "multilingual", ignore=lambda *_: ["model.onnx"]
    )
    (folder / "multilingual" / "model.onnx").write_bytes(b"damaged")
    return folder


@pytest.fixture
def folder_for_gpus(model_folder: Path, tmp_path: Path) -> Path:
    """A model folder with a graph for GPUs; it is the int8 graph, which is not looked at."""
    folder = Path(shutil.copytree(model_folder, tmp_path / "model"))
    shutil.copy(folder / "model.onnx", folder / FP16_GRAPH)
    config = json.loads((folder / "config.json").read_bytes())
    digest = hashlib.sha256((folder / FP16_GRAPH).read_bytes()).hexdigest()
    config["files"][FP16_GRAPH] = {"sha256": digest}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


@pytest.fixture(scope="session")
def running_stack(model_folder: Path) -> Iterator[Stack]:
    """The whole bot: Slack, AWS and both functions in the real Lambda runtime."""
    workspace = create_workspace()
    for number in range(50):
        person = workspace.add_person(Person(f"U0CROWD{number:03d}", f"Person {number}"))
        workspace.channels[CHANNEL].members.add(person.id)
    options = Options(
        model=model_folder,
        concurrency=2,
        parameters=AMPLE_BUDGETS | add_safety(workspace),
        limits=NO_LIMITS,
        delays=(0.0, 0.1, 0.2),
    )
    with Stack(workspace, VIEWER, options).start() as stack:
        yield stack


@pytest.fixture
def stack(running_stack: Stack) -> Iterator[Stack]:
    """The running bot, without leftovers from the previous test."""
    yield running_stack
    running_stack.web_api.faults.clear()
    running_stack.let_time_pass()
    running_stack.settle()
