"""The built image answers: a signed event in, a verdict posted, receiver and worker apart.

Around it are AWS and Slack as they run on this machine; in the container run AWS's
emulator and the function, on a read-only file system and as the user that Lambda takes.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from image import ImageError
from image.container import ContainerFunction
from image.engine import Engine, Layer
from image.shell import run
from local import ROOT
from local.asgi import Server
from local.aws.account import Account, Secrets
from local.aws.gateway import payload
from local.aws.poller import sqs_event
from local.aws.template import Template
from local.samples import CHANNEL, VIEWER, create_workspace
from local.slack.delivery import EventsApi
from local.slack.methods import Grant, WebApi
from local.slack.rate_limits import NO_LIMITS
from local.slack.server import application

TEXTS = (
    "Thanks for the thorough review, that was really helpful!",
    "You are a worthless idiot and everybody here despises you.",
    "Could you kill the process and restart the build? It hangs again.",
    "Shut up, you stupid moron.",
)
STARTS = 3
"""Cold starts of each function; the last one answers everything that is left."""
ROUNDS = 4

_ABSENT = """
import glob, importlib.util, shutil, sys
found = [name for name in ("torch", "transformers", "onnx") if importlib.util.find_spec(name)]
found += [name for name in ("cc", "gcc", "clang") if shutil.which(name)]
found += glob.glob("/build") + glob.glob("/*/.cache")
sys.exit(" ".join(found) or 0)
"""


@dataclass(frozen=True, slots=True)
class Trial:
    """What a function did in the container.

    Parameters
    ----------
    function
        ``Receiver`` or ``Worker``.
    cold, warm
        Median milliseconds of first invocations, start of the process included, and of
        the others.
    peak
        The most memory that its processes held, the emulator's too, in bytes.
    """

    function: str
    cold: float
    warm: float
    peak: int


class Surroundings:
    """AWS and Slack on this machine, and reactions to be answered; a context manager."""

    def __init__(self) -> None:
        self._exit = ExitStack()

    def __enter__(self) -> Surroundings:
        self.workspace, secrets = create_workspace(), Secrets()
        web_api = WebApi(self.workspace, {secrets.bot_token: Grant()}, NO_LIMITS)
        slack = Server(application(web_api, VIEWER))
        slack.start()
        self._exit.callback(slack.stop)
        self.events = EventsApi(self.workspace, secrets.signing_secret)
        self._exit.callback(self.events.stop)
        self.folder = Path(self._exit.enter_context(tempfile.TemporaryDirectory(prefix="trial-")))
        self.account = Account(
            self.folder,
            Template.read(ROOT / "template.yaml"),
            parameters={"SlackApiUrl": f"{slack.address}/api/"},
            bot_secrets=secrets,
            environment={},
        )
        self._exit.callback(self.account.stop)
        self.queue = self.account.client("sqs", self.account.function("Worker").credentials)
        return self

    def __exit__(self, *details: object) -> None:
        self._exit.close()

    def answers(self) -> int:
        """Return how many messages the bot has posted."""
        return sum(one.user == self.workspace.bot.id for one in self.workspace.messages(CHANNEL))

    def receive(self, receiver: ContainerFunction, text: str) -> None:
        """Say something, react to it, and let the receiver put the reaction on the queue.

        Raises
        ------
        ImageError
            When it does not.
        """
        message = self.workspace.post(CHANNEL, VIEWER, text)
        reacted = self.workspace.react(CHANNEL, message.ts, VIEWER, "biohazard_sign")
        body = json.dumps(self.events.envelope(reacted)).encode()
        headers = {name.lower(): value for name, value in self.events.headers(body).items()}
        response = receiver.invoke(payload(headers=headers, body=body))
        if (response.get("statusCode"), response.get("body")) != (200, "queued"):
            raise ImageError(f"the receiver keeps no reaction: {receiver.last_words()}")

    def answer(self, worker: ContainerFunction) -> None:
        """Let the worker answer the next reaction on the queue.

        Raises
        ------
        ImageError
            When no verdict is posted.
        """
        before = self.answers()
        source = self.account.source("WorkerSource")
        batch = self.queue.receive_message(
            QueueUrl=source.queue_url, MessageSystemAttributeNames=["All"]
        ).get("Messages", [])
        response = worker.invoke(sqs_event(batch, source.queue_arn))
        if response.get("batchItemFailures") != [] or self.answers() != before + 1:
            raise ImageError(f"the worker posts no verdict: {worker.last_words()}")


def try_out(engine: Engine, tag: str) -> list[Trial]:
    """Let an image answer, and return what that took.

    Raises
    ------
    ImageError
        When a function does not do what it should.
    """
    texts = TEXTS * ROUNDS
    with Surroundings() as around:

        def started(function: str) -> ContainerFunction:
            return ContainerFunction(engine, tag, function, around.account, around.folder)

        return [
            _trial("Receiver", started, [partial(around.receive, text=text) for text in texts]),
            _trial("Worker", started, [around.answer for _ in texts]),
        ]


def _trial(
    name: str,
    started: Callable[[str], ContainerFunction],
    invocations: Sequence[Callable[[ContainerFunction], None]],
) -> Trial:
    cold, warm, peak = [], [], 0
    for number in range(STARTS):
        last = number == STARTS - 1
        with started(name) as function:
            for invoke in invocations[number:] if last else invocations[number : number + 1]:
                invoke(function)
            first, *others = function.milliseconds
            cold.append(first)
            warm += others
            peak = max(peak, function.peak())
    return Trial(name, median(cold), median(warm), peak)


def check_contents(engine: Engine, tag: str) -> None:
    """Check that an image holds nothing that only its build needed.

    Raises
    ------
    ImageError
        When it does; names what.
    """
    with engine.container(tag, []) as container:
        try:
            run([*container.command, "python3", "-c", _ABSENT], limit=60)
        except ImageError as error:
            raise ImageError(f"the image holds what it should not: {error}") from error


def over(layers: Sequence[Layer], base: Sequence[Layer]) -> int:
    """Return how many bytes an image's layers add to its base image's."""
    return sum(one.size for one in layers) - sum(one.size for one in base)
