"""The built image answers: a signed event in, a verdict posted, receiver and worker apart.

Around it are AWS and Slack as they run on this machine; in the container run AWS's
emulator and the function, on a read-only file system and as the user that Lambda takes.
"""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from image.engine import Container, Engine, Layer
from image.errors import ImageError
from image.process import run
from local.aws import ROOT, Account, FunctionConfig, Secrets
from local.delivery import EventsApi
from local.function import INVOCATIONS
from local.gateway import payload
from local.methods import Grant, WebApi
from local.poller import sqs_event
from local.process import HOST, ServerProcess, free_port
from local.samples import CHANNEL, VIEWER, company
from local.server import Server
from local.slack import application
from local.template import REGION, Template

TEXTS = (
    "Thanks for the thorough review, that was really helpful!",
    "You are a worthless idiot and everybody here despises you.",
    "Could you kill the process and restart the build? It hangs again.",
    "Shut up, you stupid moron.",
    "The meeting moved to three o'clock, see you there.",
    "Lovely work on the release notes.",
)
"""What is judged: the first one cold, the others warm."""

EMULATOR = "/usr/local/bin/aws-lambda-rie"
ENTRY = "/lambda-entrypoint.sh"

_ABSENT = """
import importlib.util, os, shutil, sys
found = [name for name in ("torch", "transformers", "onnx") if importlib.util.find_spec(name)]
found += [name for name in ("cc", "gcc", "clang") if shutil.which(name)]
found += [path for path in ("/root/.cache", "/build") if os.path.exists(path)]
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
        Milliseconds of the first invocation, start of the process included, and the
        median of the others.
    peak
        The most memory that its processes held, in bytes.
    """

    function: str
    cold: float
    warm: float
    peak: int


def try_out(engine: Engine, tag: str) -> list[Trial]:
    """Let an image answer, and return what that took.

    Raises
    ------
    ImageError
        When a function does not do what it should.
    """
    workspace, secrets = company(), Secrets()
    slack = Server(application(WebApi(workspace, {secrets.bot_token: Grant()}), VIEWER))
    slack.start()
    events = EventsApi(workspace, secrets.signing_secret)
    with tempfile.TemporaryDirectory(prefix="trial-") as name:
        folder = Path(name)
        account = Account(
            folder,
            Template.read(ROOT / "template.yaml"),
            parameters={"SlackApiUrl": f"{slack.address}/api/"},
            bot_secrets=secrets,
            environment={},
        )
        try:
            requests = []
            for text in TEXTS:
                message = workspace.post(CHANNEL, VIEWER, text)
                reacted = workspace.react(CHANNEL, message.ts, VIEWER, "biohazard_sign")
                requests.append(json.dumps(events.envelope(reacted)).encode())
            with _Started(engine, tag, "Receiver", account, folder) as receiver:
                for body in requests:
                    lower = {key.lower(): value for key, value in events.headers(body).items()}
                    response = receiver.invoke(payload(headers=lower, body=body))
                    if response.get("statusCode") != 200:
                        raise ImageError(f"the receiver answers {response}: see {receiver.log}")
                trials = [receiver.trial()]
            source = account.source("WorkerSource")
            queue = account.client("sqs", account.function("Worker").credentials)
            with _Started(engine, tag, "Worker", account, folder) as worker:
                for count, _ in enumerate(requests, start=1):
                    batch = queue.receive_message(
                        QueueUrl=source.queue_url, MessageSystemAttributeNames=["All"]
                    ).get("Messages", [])
                    response = worker.invoke(sqs_event(batch, source.queue_arn))
                    if response.get("batchItemFailures") != []:
                        raise ImageError(f"the worker gives a reaction back: {worker.last_words()}")
                    posted = [
                        one for one in workspace.messages(CHANNEL) if one.user == workspace.bot.id
                    ]
                    if len(posted) != count:
                        raise ImageError(f"the worker posts no verdict: {worker.last_words()}")
                trials.append(worker.trial())
        finally:
            events.stop()
            account.stop()
            slack.stop()
    return trials


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


class _Started:
    """A function in a container, as a context manager."""

    def __init__(
        self, engine: Engine, tag: str, function: str, account: Account, folder: Path
    ) -> None:
        self._engine, self._tag, self._function = engine, tag, function
        self._config = account.function(function)
        self._environment = _environment(self._config, account.endpoint)
        self._folder = folder
        self.log = folder / f"{function.lower()}.log"
        self._milliseconds: list[float] = []
        self._client = httpx.Client(timeout=60)

    @contextmanager
    def _running(self) -> Iterator[tuple[Container, ServerProcess]]:
        port = free_port()
        command = [EMULATOR, "--runtime-interface-emulator-address", f"{HOST}:{port}"]
        command += ["--runtime-api-address", f"{HOST}:{free_port()}", ENTRY, self._config.handler]
        with self._engine.container(self._tag, list(self._environment)) as container:
            process = ServerProcess(
                [*container.command, *command],
                port=port,
                log=self.log,
                environment={"PATH": os.environ["PATH"]} | self._environment,
                folder=self._folder,
            )
            try:
                process.wait_until_listening()
                yield container, process
            finally:
                process.stop()

    def __enter__(self) -> _Started:
        self._context = self._running()
        self._container, self._process = self._context.__enter__()
        return self

    def __exit__(self, *details: Any) -> None:
        self._client.close()
        self._context.__exit__(*details)

    def invoke(self, event: dict[str, Any]) -> dict[str, Any]:
        """Invoke the function; an error of its own is an ImageError."""
        started = time.perf_counter()
        try:
            url = f"http://{HOST}:{self._process.port}{INVOCATIONS}"
            outcome = json.loads(self._client.post(url, json=event).content)
        except (httpx.HTTPError, ValueError) as error:
            raise ImageError(
                f"the {self._function} does not answer: {self.last_words()}"
            ) from error
        self._milliseconds.append((time.perf_counter() - started) * 1000)
        if not isinstance(outcome, dict) or "errorType" in outcome:
            raise ImageError(f"the {self._function} fails: {self.last_words()}")
        return outcome

    def trial(self) -> Trial:
        """Return what the invocations so far took."""
        peak = sum(peak_memory(pid) for pid in self._container.pids(self._process.pid))
        first, *others = self._milliseconds
        return Trial(self._function, first, statistics.median(others), peak)

    def last_words(self) -> str:
        """Return the line of the log that says most."""
        lines = self.log.read_text("utf-8", "replace").splitlines()
        said = [line for line in lines if line and "(rapid)" not in line]
        errors = [line for line in said if line.startswith("error:")]
        return (errors or said or ["its log is empty"])[-1][:500]


def _environment(config: FunctionConfig, endpoint: str) -> dict[str, str]:
    return (
        {
            "AWS_REGION": REGION,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_LAMBDA_FUNCTION_NAME": config.name,
            "AWS_LAMBDA_FUNCTION_TIMEOUT": str(config.timeout),
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(config.memory),
        }
        | config.credentials.environment()
        | config.environment
    )


def peak_memory(pid: int) -> int:
    """Return the most memory that a process has held so far, in bytes; 0 if it has ended."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text("utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


def over(layers: Sequence[Layer], base: Sequence[Layer]) -> int:
    """Return how many bytes an image's layers add to its base image's."""
    return sum(one.size for one in layers) - sum(one.size for one in base)
