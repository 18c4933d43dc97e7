"""A trial run of the built image: signed events in, verdicts posted.

Receiver and worker run in their own containers, under AWS's runtime interface
emulator, on a read-only file system and as Lambda's user. They use the local AWS and
the local Slack.
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
from simulators import ROOT
from simulators.asgi import Server
from simulators.aws.account import Account, Secrets
from simulators.aws.gateway import http_api_event
from simulators.aws.poller import sqs_event
from simulators.aws.template import Template
from simulators.samples import AMPLE_BUDGETS, CHANNEL, VIEWER, create_workspace
from simulators.slack.delivery import EventsApi
from simulators.slack.methods import Grant, WebApi
from simulators.slack.rate_limits import NO_LIMITS
from simulators.slack.server import application

TEXTS = (
    "Thanks for the thorough review, that was really helpful!",
    "You are a worthless idiot and everybody here despises you.",
    "Could you kill the process and restart the build? It hangs again.",
    "Shut up, you stupid moron.",
)
COLD_STARTS = 3
"""Cold starts of each function; the last process also handles the remaining invocations."""
ROUNDS = 4
"""How often each text is sent."""

_FIND_BUILD_LEFTOVERS = """
import glob, importlib.util, shutil, sys
leftovers = [name for name in ("torch", "transformers", "onnx") if importlib.util.find_spec(name)]
leftovers += [name for name in ("cc", "gcc", "clang") if shutil.which(name)]
leftovers += glob.glob("/build") + glob.glob("/*/.cache")
sys.exit(" ".join(leftovers) or 0)
"""


@dataclass(frozen=True, slots=True)
class Trial:
    """A function's timings and memory use in the container.

    Parameters
    ----------
    function
        ``Receiver`` or ``Worker``.
    cold_ms, warm_ms
        Median milliseconds of first invocations, including the start of the process, and
        of later invocations.
    peak_bytes
        Peak memory of its processes, including the emulator.
    """

    function: str
    cold_ms: float
    warm_ms: float
    peak_bytes: int


class LocalCloud:
    """A context manager for a local AWS and a local Slack, with reactions to handle."""

    def __init__(self) -> None:
        self._exit = ExitStack()

    def __enter__(self) -> LocalCloud:
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
            parameters={"SlackApiUrl": f"{slack.address}/api/"} | AMPLE_BUDGETS,
            bot_secrets=secrets,
            environment={},
        )
        self._exit.callback(self.account.stop)
        self.queue = self.account.client("sqs", self.account.function("Worker").credentials)
        return self

    def __exit__(self, *details: object) -> None:
        self._exit.close()

    def count_answers(self) -> int:
        """Return how many messages the bot has posted."""
        messages = self.workspace.messages(CHANNEL)
        return sum(message.user == self.workspace.bot.id for message in messages)

    def send_reaction(self, receiver: ContainerFunction, text: str) -> None:
        """Post a message, react to it, and send the event to the receiver.

        Raises
        ------
        ImageError
            If the receiver does not queue the reaction.
        """
        message = self.workspace.post(CHANNEL, VIEWER, text)
        reacted = self.workspace.react(CHANNEL, message.ts, VIEWER, "biohazard_sign")
        body = json.dumps(self.events.new_envelope(reacted)).encode()
        headers = {name.lower(): value for name, value in self.events.headers(body).items()}
        response = receiver.invoke(http_api_event(headers=headers, body=body))
        if (response.get("statusCode"), response.get("body")) != (200, "queued"):
            raise ImageError(f"the receiver did not queue the reaction: {receiver.last_error()}")

    def answer_reaction(self, worker: ContainerFunction) -> None:
        """Send the next reaction on the queue to the worker.

        Raises
        ------
        ImageError
            If no verdict is posted.
        """
        before = self.count_answers()
        source = self.account.event_source_mapping("WorkerSource")
        batch = self.queue.receive_message(
            QueueUrl=source.queue_url, MessageSystemAttributeNames=["All"]
        ).get("Messages", [])
        response = worker.invoke(sqs_event(batch, source.queue_arn))
        if response.get("batchItemFailures") != [] or self.count_answers() != before + 1:
            raise ImageError(f"the worker posted no verdict: {worker.last_error()}")


def run_trials(engine: Engine, tag: str) -> list[Trial]:
    """Run receiver and worker in an image, and return their timings and memory use.

    Raises
    ------
    ImageError
        If a function does not work as it should.
    """
    texts = TEXTS * ROUNDS
    with LocalCloud() as cloud:

        def start(function: str) -> ContainerFunction:
            return ContainerFunction(engine, tag, function, cloud.account, cloud.folder)

        return [
            _run_trial(
                "Receiver", start, [partial(cloud.send_reaction, text=text) for text in texts]
            ),
            _run_trial("Worker", start, [cloud.answer_reaction for _ in texts]),
        ]


def _run_trial(
    name: str,
    start: Callable[[str], ContainerFunction],
    invocations: Sequence[Callable[[ContainerFunction], None]],
) -> Trial:
    cold, warm, peak_bytes = [], [], 0
    for number in range(COLD_STARTS):
        is_last = number == COLD_STARTS - 1
        with start(name) as function:
            for invoke in invocations[number:] if is_last else invocations[number : number + 1]:
                invoke(function)
            first, *others = function.durations
            cold.append(first)
            warm += others
            peak_bytes = max(peak_bytes, function.peak_bytes())
    return Trial(name, median(cold), median(warm), peak_bytes)


def check_contents(engine: Engine, tag: str) -> None:
    """Check that an image holds nothing that only its build needs.

    Raises
    ------
    ImageError
        If it does; the message lists what was found.
    """
    with engine.container(tag, []) as container:
        try:
            run([*container.command, "python3", "-c", _FIND_BUILD_LEFTOVERS], timeout=60)
        except ImageError as error:
            raise ImageError(f"the image holds leftovers of its build: {error}") from error


def added_bytes(layers: Sequence[Layer], parent: Sequence[Layer]) -> int:
    """Return how many bytes an image's layers add to those of its parent."""
    return sum(layer.size for layer in layers) - sum(layer.size for layer in parent)
