"""A trial run of the standalone image: killed in a burst, it answers each reaction once."""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from image import ImageError
from image.container import peak_memory
from image.engine import Container, Engine
from image.shell import run
from image.trial import TEXTS
from simulators.asgi import Server
from simulators.process import HOST, ServerProcess, free_port
from simulators.samples import CHANNEL, RAE, VIEWER, create_workspace
from simulators.slack.delivery import EventsApi
from simulators.slack.methods import Grant, WebApi
from simulators.slack.rate_limits import NO_LIMITS
from simulators.slack.server import application
from simulators.slack.socket_mode import SocketMode
from simulators.slack.workspace import Message

BOT = ("python3", "-P", "-m", "toxic_bot")
"""The image's entry point."""
DATA = "/data"
"""The image's volume."""
READY_FILE = "ready"
REACTIONS = 40
KILLED_AFTER = 10
"""Answers after which the container is killed."""
TIMEOUT = 120.0
"""Seconds for a start, or until everything is answered: a killed worker's claims have to lapse."""
RETRY_AFTER = 10.0
"""Seconds after which Slack sends again what the killed container did not acknowledge."""
BOT_TOKEN = "xoxb-trial"
APP_TOKEN = "xapp-trial"
SIGNING_SECRET = "0123456789abcdef0123456789abcdef"


@dataclass(frozen=True, slots=True)
class StandaloneTrial:
    """What the standalone bot did in its containers.

    Parameters
    ----------
    transport
        ``socket`` or ``listen``.
    answered
        Reactions that were answered when the first container was killed.
    ready_ms
        Mean milliseconds from a container's start until it takes events.
    peak_bytes
        Peak memory of the second container's processes.
    """

    transport: str
    answered: int
    ready_ms: float
    peak_bytes: int


class LocalSlack:
    """A context manager for a local Slack that delivers its events to one standalone bot.

    Parameters
    ----------
    transport
        ``socket`` or ``listen``.
    """

    def __init__(self, transport: str) -> None:
        self.workspace = create_workspace()
        web_api = WebApi(self.workspace, {BOT_TOKEN: Grant()}, NO_LIMITS)
        self.arguments: tuple[str, ...] = (transport,)
        self.environment = {
            "SLACK_BOT_TOKEN": BOT_TOKEN,
            "USER_BUDGET": "0",
            "CHANNEL_BUDGET": "0",
            "READY_FILE": f"{DATA}/{READY_FILE}",
        }
        self._events: EventsApi | None = None
        if transport == "socket":
            web_api.app_tokens.add(APP_TOKEN)
            socket_mode = SocketMode(self.workspace, timeout=RETRY_AFTER)
            web_api.open_connection = socket_mode.open
            self._server = Server(application(web_api, VIEWER, socket_mode))
            socket_mode.address = self._server.address
            self.environment["SLACK_APP_TOKEN"] = APP_TOKEN
        else:
            port = free_port()
            self._events = EventsApi(
                self.workspace, SIGNING_SECRET, (RETRY_AFTER,) * 3, timeout=RETRY_AFTER
            )
            self._events.request_url = f"http://{HOST}:{port}/slack/events"
            self._server = Server(application(web_api, VIEWER))
            self.arguments += ("--port", str(port))
            self.environment["SLACK_SIGNING_SECRET"] = SIGNING_SECRET
        web_api.address = self._server.address
        self.environment["SLACK_API_URL"] = f"{self._server.address}/api/"

    def __enter__(self) -> LocalSlack:
        self._server.start()
        return self

    def __exit__(self, *details: object) -> None:
        if self._events is not None:
            self._events.stop()
        self._server.stop()

    def react(self, number: int) -> Message:
        """Post a message, and ask for a verdict on it."""
        message = self.workspace.post(CHANNEL, RAE, f"{TEXTS[number % len(TEXTS)]} ({number})")
        self.workspace.react(CHANNEL, message.ts, VIEWER, "biohazard_sign")
        return message

    def answers(self) -> Counter[str]:
        """Return how many answers each message's thread has."""
        return Counter(
            message.thread_ts
            for message in self.workspace.messages(CHANNEL)
            if message.user == self.workspace.bot.id and message.thread_ts
        )


def try_standalone(engine: Engine, tag: str, transport: str) -> StandaloneTrial:
    """Run the bot in an image, kill it in the middle of a burst, and start it again.

    Raises
    ------
    ImageError
        If a reaction is lost or answered twice, or the bot does not start, or does not end when
        it is told to.
    """
    _check_refusal(engine, tag, transport)
    with LocalSlack(transport) as slack, tempfile.TemporaryDirectory(prefix="standalone-") as name:
        folder = Path(name)
        data = folder / "data"
        data.mkdir()
        # For whichever user the container has.
        data.chmod(0o777)
        with _running(engine, tag, slack, folder) as (container, process, first_ms):
            messages = [slack.react(number) for number in range(REACTIONS)]
            _wait(lambda: len(slack.answers()) >= KILLED_AFTER, process, "answer")
            container.kill(process.pid)
            process.wait(TIMEOUT)
            answered = len(slack.answers())
        if answered == REACTIONS:
            raise ImageError("the bot was killed only after its last answer: raise REACTIONS")
        with _running(engine, tag, slack, folder) as (container, process, second_ms):
            _wait(lambda: len(slack.answers()) == REACTIONS, process, "answer everything")
            peak_bytes = sum(peak_memory(pid) for pid in container.pids(process.pid))
            process.stop(TIMEOUT)
        answers = slack.answers()
        if wrong := [message.ts for message in messages if answers[message.ts] != 1]:
            raise ImageError(f"the bot answered {len(wrong)} of {REACTIONS} reactions twice")
    return StandaloneTrial(transport, answered, (first_ms + second_ms) / 2, peak_bytes)


@contextmanager
def _running(
    engine: Engine, tag: str, slack: LocalSlack, folder: Path
) -> Iterator[tuple[Container, ServerProcess, float]]:
    """Yield a container with a bot that takes events, its process, and how long that took."""
    data = folder / "data"
    ready = data / READY_FILE
    with engine.container(tag, list(slack.environment), {data: DATA}) as container:
        # A container that was killed leaves it.
        ready.unlink(missing_ok=True)
        started = time.perf_counter()
        process = ServerProcess(
            [*container.command, *BOT, *slack.arguments],
            port=0,
            log=folder / "bot.log",
            environment={"PATH": os.environ["PATH"]} | slack.environment,
            folder=folder,
        )
        try:
            _wait(ready.exists, process, "start")
            yield container, process, (time.perf_counter() - started) * 1000
        finally:
            process.stop()


def _wait(condition: Callable[[], bool], process: ServerProcess, what: str) -> None:
    deadline = time.monotonic() + TIMEOUT
    while not condition():
        if not process.running or time.monotonic() > deadline:
            *_, last = [
                "it printed nothing",
                *process.log.read_text("utf-8", "replace").splitlines(),
            ]
            raise ImageError(f"the standalone bot did not {what}: {last}")
        time.sleep(0.02)


def _check_refusal(engine: Engine, tag: str, transport: str) -> None:
    """Make sure that a bot without its secret says which one it lacks."""
    missing = {"socket": "SLACK_APP_TOKEN", "listen": "SLACK_SIGNING_SECRET"}[transport]
    with engine.container(tag, []) as container:
        try:
            run([*container.command, *BOT, transport], timeout=TIMEOUT)
        except ImageError as error:
            if f"set the environment variable {missing}" in str(error):
                return
            raise
    raise ImageError(f"the standalone bot starts without {missing}, and should not")
