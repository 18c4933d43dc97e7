"""Where the bot runs under load: on the local AWS, or as a process of its own."""

from __future__ import annotations

import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from benchmarks.accounting import Key
from local import ROOT, LocalError
from local.asgi import Server
from local.process import ServerProcess, inherited_environment
from local.samples import AMPLE_BUDGETS, VIEWER
from local.slack.delivery import Attempt
from local.slack.interactivity import Interactivity
from local.slack.methods import Grant, WebApi
from local.slack.rate_limits import Limit
from local.slack.server import application
from local.slack.socket_mode import SocketMode
from local.slack.workspace import Workspace
from local.stack import Options, Stack

CONNECT_TIMEOUT = 60.0
"""Seconds for which the standalone bot may start."""


class HomeName(StrEnum):
    """Where the bot runs."""

    AWS = "aws"
    STANDALONE = "standalone"


class Home(Protocol):
    """A running bot."""

    name: HomeName
    role: str
    """The process that judges and answers; see `benchmarks.processes`."""
    environments: int

    def is_idle(self) -> bool:
        """Report whether nothing is queued or being answered."""

    def dead(self) -> int:
        """Return the number of dead letters."""

    def was_taken(self, message: Key) -> bool:
        """Report whether Slack was told that the reaction to a message is safe."""

    def invocations(self) -> list[float]:
        """Return the milliseconds of the worker's invocations since the last call."""


class AwsHome:
    """The receiver, the queue and the worker in AWS's runtime, and moto."""

    name = HomeName.AWS
    role = "worker"

    def __init__(self, stack: Stack, environments: int) -> None:
        self.environments = environments
        self._stack = stack
        self._invocations: list[float] = []
        self._taken: set[Key] = set()
        stack.events.watch(self._on_attempt)
        stack.worker.watch(lambda one: self._invocations.append(one.milliseconds))

    def is_idle(self) -> bool:
        """Report whether nothing is queued or being answered."""
        return not self._stack.poller.busy and not self._stack.pending_messages()

    def dead(self) -> int:
        """Return the number of dead letters."""
        return self._stack.dead_letters()

    def was_taken(self, message: Key) -> bool:
        """Report whether Slack was told that the reaction to a message is safe."""
        return message in self._taken

    def _on_attempt(self, envelope: Mapping[str, Any], attempt: Attempt) -> None:
        if attempt.status == 200:
            item = envelope["event"]["item"]
            self._taken.add((item["channel"], item["ts"]))

    def invocations(self) -> list[float]:
        """Return the milliseconds of the worker's invocations since the last call."""
        taken, self._invocations = self._invocations, []
        return taken


class StandaloneHome:
    """``toxic-bot socket``: one process with a SQLite file, over Socket Mode."""

    name = HomeName.STANDALONE
    role = "bot"
    environments = 1

    def __init__(self, database: Path) -> None:
        self._database = database

    def is_idle(self) -> bool:
        """Report whether nothing is queued or being answered."""
        with closing(sqlite3.connect(self._database)) as connection:
            [[count]] = connection.execute("SELECT COUNT(*) FROM gesture").fetchall()
        return bool(count == 0)

    def dead(self) -> int:
        """Return 0: this bot keeps no dead letters."""
        return 0

    def was_taken(self, message: Key) -> bool:  # noqa: ARG002 - the same for all
        """Return True: what this bot does not acknowledge counts as lost too."""
        return True

    def invocations(self) -> list[float]:
        """Return nothing: this bot has no invocations."""
        return []


@contextmanager
def start_home(
    name: HomeName,
    workspace: Workspace,
    model: Path,
    *,
    environments: int,
    limits: Mapping[str, Limit],
) -> Iterator[Home]:
    """Start the bot and everything around it.

    Parameters
    ----------
    name
        Where it runs.
    workspace
        The Slack workspace.
    model
        The model folder.
    environments
        Execution environments of the worker on AWS.
    limits
        Slack's rate limits.

    Raises
    ------
    LocalError
        When something does not start.
    """
    if name is HomeName.AWS:
        # One person reacts to everything.
        budgets = AMPLE_BUDGETS | {"UserBudget": "0"}
        parameters = {"WorkerConcurrency": str(max(2, environments))} | budgets
        options = Options(
            model=model, concurrency=environments, limits=limits, parameters=parameters
        )
        with Stack(workspace, VIEWER, options).start() as stack:
            yield AwsHome(stack, environments)
        return
    with ExitStack() as exits:
        folder = Path(exits.enter_context(tempfile.TemporaryDirectory(prefix="bot-")))
        yield _start_standalone(exits, folder, workspace, model, limits)


def _start_standalone(
    exits: ExitStack,
    folder: Path,
    workspace: Workspace,
    model: Path,
    limits: Mapping[str, Limit],
) -> StandaloneHome:
    web_api = WebApi(workspace, {"xoxb-local": Grant()}, limits)
    web_api.app_tokens.add("xapp-1-local")
    socket_mode = SocketMode(workspace)
    web_api.open_connection = socket_mode.open
    interactivity = Interactivity(workspace, web_api.modals)
    interactivity.send = socket_mode.send_interaction
    server = Server(application(web_api, VIEWER, socket_mode, interactivity=interactivity))
    exits.callback(server.stop)
    server.start()
    socket_mode.address = interactivity.address = server.address
    database, log = folder / "bot.sqlite", folder / "bot.log"
    command = [sys.executable, "-m", "toxic_bot", "socket", "--database", str(database)]
    process = ServerProcess(
        [*command, "--model", str(model.resolve())],
        port=server.port,
        log=log,
        environment=inherited_environment()
        | {
            "PYTHONPATH": str(ROOT),
            "SLACK_API_URL": f"{server.address}/api/",
            "SLACK_APP_TOKEN": "xapp-1-local",
            "SLACK_BOT_TOKEN": "xoxb-local",
            "USER_BUDGET": "0",
            "CHANNEL_BUDGET": "0",
        },
        folder=folder,
    )
    exits.callback(process.stop)
    deadline = time.monotonic() + CONNECT_TIMEOUT
    while not socket_mode.connected:
        if not process.running or time.monotonic() > deadline:
            lines = log.read_text("utf-8", "replace").strip().splitlines()
            raise LocalError(f"the bot does not connect: {(lines or ['its log is empty'])[-1]}")
        time.sleep(0.05)
    return StandaloneHome(database)
