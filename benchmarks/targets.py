"""Where the bot runs under load: on the local AWS, or as a separate process."""

from __future__ import annotations

import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from benchmarks.accounting import Key
from simulators import ROOT, LocalError
from simulators.asgi import Server
from simulators.aws.account import Secrets
from simulators.process import HOST, ServerProcess, free_port, inherited_environment
from simulators.samples import AMPLE_BUDGETS, VIEWER
from simulators.slack.delivery import Attempt, EventsApi
from simulators.slack.methods import Grant, WebApi
from simulators.slack.rate_limits import Limit
from simulators.slack.server import application
from simulators.slack.socket_mode import SocketMode
from simulators.slack.workspace import Workspace
from simulators.stack import Options, Stack

BOT_TOKEN = "xoxb-local"

CONNECT_TIMEOUT = 60.0
"""Seconds for which the standalone bot may start."""


class HomeName(StrEnum):
    """Where the bot runs."""

    AWS = "aws"
    SOCKET = "socket"
    LISTEN = "listen"


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
        item = envelope["event"].get("item")
        if attempt.status == 200 and item:
            self._taken.add((item["channel"], item["ts"]))

    def invocations(self) -> list[float]:
        """Return the milliseconds of the worker's invocations since the last call."""
        taken, self._invocations = self._invocations, []
        return taken


class StandaloneHome:
    """``toxic-bot socket`` or ``toxic-bot listen``: one process with a SQLite file.

    Parameters
    ----------
    name
        Which of them.
    database
        The file.
    """

    role = "bot"
    environments = 1

    def __init__(self, name: HomeName, database: Path) -> None:
        self.name = name
        self.database = database

    def is_idle(self) -> bool:
        """Report whether nothing is queued or being answered."""
        return self.waiting() == 0

    def waiting(self) -> int:
        """Return how many gestures are queued or being answered."""
        return self._count("SELECT COUNT(*) FROM gesture")

    def judged(self) -> int:
        """Return how many versions of messages in watched channels have been judged."""
        return self._count(
            "SELECT COUNT(*) FROM claim WHERE id LIKE 'watched#%' AND status = 'COMPLETED'"
        )

    def _count(self, query: str) -> int:
        with closing(sqlite3.connect(self.database)) as connection:
            [[count]] = connection.execute(query).fetchall()
        return int(count)

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
        start = _start_over_socket_mode if name is HomeName.SOCKET else _start_over_http
        database = folder / "bot.sqlite"
        start(exits, database, workspace, model, limits)
        yield StandaloneHome(name, database)


def _start_over_socket_mode(
    exits: ExitStack,
    database: Path,
    workspace: Workspace,
    model: Path,
    limits: Mapping[str, Limit],
) -> None:
    web_api = WebApi(workspace, {BOT_TOKEN: Grant()}, limits)
    web_api.app_tokens.add("xapp-1-local")
    socket_mode = SocketMode(workspace)
    web_api.open_connection = socket_mode.open
    server = Server(application(web_api, VIEWER, socket_mode))
    exits.callback(server.stop)
    server.start()
    socket_mode.address = server.address
    command = ["socket", "--database", str(database), "--model", str(model.resolve())]
    environment = _environment(server) | {"SLACK_APP_TOKEN": "xapp-1-local"}
    _start_bot(exits, command, environment, server.port, lambda: socket_mode.connected)


def _start_over_http(
    exits: ExitStack,
    database: Path,
    workspace: Workspace,
    model: Path,
    limits: Mapping[str, Limit],
) -> None:
    server = Server(application(WebApi(workspace, {BOT_TOKEN: Grant()}, limits), VIEWER))
    exits.callback(server.stop)
    server.start()
    secret = Secrets().signing_secret
    events = EventsApi(workspace, secret)
    exits.callback(events.stop)
    port = free_port()
    command = ["listen", "--port", str(port), "--database", str(database)]
    events.request_url = f"http://{HOST}:{port}/slack/events"
    _start_bot(
        exits,
        [*command, "--model", str(model.resolve())],
        _environment(server) | {"SLACK_SIGNING_SECRET": secret},
        port,
        events.verify_url,
    )


def _environment(slack: Server) -> dict[str, str]:
    return inherited_environment() | {
        "PYTHONPATH": str(ROOT),
        "SLACK_API_URL": f"{slack.address}/api/",
        "SLACK_BOT_TOKEN": BOT_TOKEN,
        "USER_BUDGET": "0",
        "CHANNEL_BUDGET": "0",
    }


def _start_bot(
    exits: ExitStack,
    arguments: list[str],
    environment: dict[str, str],
    port: int,
    is_ready: Callable[[], bool],
) -> None:
    folder = Path(exits.enter_context(tempfile.TemporaryDirectory(prefix="log-")))
    log = folder / "bot.log"
    command = [sys.executable, "-m", "toxic_bot", *arguments]
    process = ServerProcess(command, port=port, log=log, environment=environment, folder=folder)
    exits.callback(process.stop)
    deadline = time.monotonic() + CONNECT_TIMEOUT
    while not is_ready():
        if not process.running or time.monotonic() > deadline:
            lines = log.read_text("utf-8", "replace").strip().splitlines()
            raise LocalError(f"the bot does not start: {(lines or ['its log is empty'])[-1]}")
        time.sleep(0.05)
