"""Everything at once: AWS, both functions, Slack, and what moves events between them."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from judge.classifier import load
from local import ROOT, LocalError
from local.asgi import Server
from local.aws.account import Account, Secrets
from local.aws.gateway import PATH, gateway
from local.aws.poller import Poller
from local.aws.runtime import Function, emulator
from local.aws.template import Template
from local.slack.delivery import LOCAL_DELAYS, EventsApi
from local.slack.methods import Grant, WebApi
from local.slack.rate_limits import SLACK_LIMITS, Limit
from local.slack.server import application
from local.slack.workspace import Message, Workspace

VERIFICATIONS = 5
"""Times the request URL is asked: a first start on a busy machine can be slow."""


@dataclass(frozen=True, slots=True)
class Options:
    """What differs between a demo, a workspace and a test.

    Parameters
    ----------
    model
        The model folder.
    port
        Of the page; 0 takes a free one.
    concurrency
        Execution environments of the worker.
    parameters
        Values of the template's parameters, such as ``Answer``.
    limits
        Slack's rate limits.
    delays
        Seconds before each of Slack's retries.
    template
        The template that the stack is created from.
    """

    model: Path = ROOT / "model"
    port: int = 0
    concurrency: int = 1
    parameters: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, Limit] = field(default_factory=lambda: SLACK_LIMITS)
    delays: Sequence[float] = LOCAL_DELAYS
    template: Path = ROOT / "template.yaml"


class Stack:
    """A bot with everything it needs: ``with Stack(...).start() as stack``.

    Parameters
    ----------
    workspace
        Whose people, channels and messages are there from the start.
    viewer
        The person who looks at the page.
    options
        See there.
    progress
        Told of every step, in a few words.
    """

    def __init__(
        self,
        workspace: Workspace,
        viewer: str,
        options: Options,
        progress: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.workspace = workspace
        self.options = options
        self.secrets = Secrets()
        self._viewer = viewer
        self._progress = progress
        self._exit = ExitStack()

    def start(self) -> Self:
        """Start everything, to be ended by leaving the context.

        Raises
        ------
        LocalError
            When something is missing or does not start; what had started is ended.
        """
        try:
            self._start()
        except BaseException:
            self._exit.close()
            raise
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._exit.close()

    def _start(self) -> None:
        options = self.options
        # Better one line now than a worker that cannot start later.
        load(options.model)
        emulator()
        self.folder = Path(self._exit.enter_context(tempfile.TemporaryDirectory(prefix="bot-")))
        self._progress("Slack: the workspace and its Web API")
        self.web_api = WebApi(self.workspace, {self.secrets.bot_token: Grant()}, options.limits)
        self.slack = Server(application(self.web_api, self._viewer), options.port)
        self._exit.callback(self.slack.stop)
        self.slack.start()
        self._progress("AWS: the stack that template.yaml declares")
        self.aws = Account(
            self.folder,
            Template.read(options.template),
            parameters={
                "SlackApiUrl": f"{self.slack.address}/api/",
                "Reactions": ",".join(sorted(self.workspace.reactions)),
                **options.parameters,
            },
            bot_secrets=self.secrets,
            environment={"MODEL_FOLDER": str(options.model.resolve())},
        )
        self._exit.callback(self.aws.stop)
        self._progress("Lambda: receiver and worker in AWS's own runtime")
        self.receiver = self._function("Receiver", 1)
        self.worker = self._function("Worker", options.concurrency)
        with ThreadPoolExecutor() as executor:
            for started in [executor.submit(f.start) for f in (self.receiver, self.worker)]:
                started.result()
        self.gateway = Server(gateway(self.receiver))
        self._exit.callback(self.gateway.stop)
        self.gateway.start()
        self.queue = self.aws.client("sqs", self.worker.config.credentials)
        self.poller = Poller(
            self.aws.source("WorkerSource"), self.worker, self.queue, options.concurrency
        )
        self._exit.callback(self.poller.stop)
        self.poller.start()
        self.events = EventsApi(self.workspace, self.secrets.signing_secret, options.delays)
        self._exit.callback(self.events.stop)
        self.events.request_url = f"{self.gateway.address}{PATH}"
        self._progress("Slack: asking the request URL for its challenge")
        if not any(self.events.verify_url() for _ in range(VERIFICATIONS)):
            raise LocalError(
                f"the receiver does not answer Slack's challenge: {self._last_words('receiver')}"
            )

    def _function(self, logical_id: str, concurrency: int) -> Function:
        function = Function(
            self.aws.function(logical_id),
            endpoint=self.aws.endpoint,
            log=self.folder / f"{logical_id.lower()}.log",
            concurrency=concurrency,
        )
        self._exit.callback(function.stop)
        return function

    def _last_words(self, function: str) -> str:
        text = (self.folder / f"{function}.log").read_text("utf-8", "replace")
        said = [line for line in text.splitlines() if "(rapid)" not in line]
        errors = [line for line in said if line.startswith("error:")]
        return (errors or said or ["nothing in its log"])[-1]

    def log(self, function: str) -> str:
        """Return all that ``receiver`` or ``worker`` has printed so far."""
        return (self.folder / f"{function}.log").read_text("utf-8", "replace")

    def records(self, function: str) -> Iterator[dict[str, Any]]:
        """Return the JSON lines of ``log``: log records and metrics."""
        for line in self.log(function).splitlines():
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict):
                yield record

    def dead_letters(self) -> int:
        """Return how many messages lie in the dead-letter queue."""
        return self._count("DeadLetterQueue", "ApproximateNumberOfMessages")

    def waiting(self) -> int:
        """Return how many messages of the queue are not done with, visible or not."""
        return self._count("Queue", "ApproximateNumberOfMessages") + self._count(
            "Queue", "ApproximateNumberOfMessagesNotVisible"
        )

    def _count(self, queue: str, attribute: Any) -> int:
        attributes = self.aws.client("sqs").get_queue_attributes(
            QueueUrl=self.aws.queue_url(queue), AttributeNames=[attribute]
        )["Attributes"]
        return int(attributes[attribute])

    def answers(self, message: Message) -> list[Message]:
        """Return what the bot has posted about a message, in its thread or to one person."""
        thread = message.thread_ts or message.ts
        return [
            one
            for one in self.workspace.messages(message.channel)
            if one.user == self.workspace.bot.id
            and (_names(one, message) or (one.metadata is None and one.thread_ts == thread))
        ]

    def is_answered(self, message: Message) -> bool:
        """Tell whether the bot has posted anything about a message."""
        return bool(self.answers(message))

    def wait_for(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Wait until a condition holds, and return whether it does."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True

    def let_time_pass(self) -> int:
        """Let visibility time-outs, and the claims of workers that died, run out at once.

        Returns
        -------
        int
            Messages that are visible again.
        """
        table = self.aws.client("dynamodb")
        name = self.aws.physical_id("ClaimTable")
        for item in table.scan(TableName=name)["Items"]:
            # A claim that is closed or deleted meanwhile is left alone.
            with suppress(table.exceptions.ConditionalCheckFailedException):
                table.update_item(
                    TableName=name,
                    Key={"id": item["id"]},
                    UpdateExpression="SET in_progress_expiration = :past",
                    ConditionExpression="#status = :in_progress",
                    ExpressionAttributeNames={"#status": "status"},
                    ExpressionAttributeValues={
                        ":past": {"N": "1"},
                        ":in_progress": {"S": "INPROGRESS"},
                    },
                )
        return self.poller.return_now()

    def settle(self, seconds: float = 30.0) -> bool:
        """Wait until every event is delivered and worked on, and return whether it is."""
        return self.wait_for(lambda: not self.poller.busy and self.waiting() == 0, seconds)


def _names(answer: Message, message: Message) -> bool:
    payload = (answer.metadata or {}).get("event_payload") or {}
    return (payload.get("channel"), payload.get("ts")) == (message.channel, message.ts)
