"""The whole bot on one machine: Slack, AWS, both functions, and the paths of events."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from handler.channel_settings_table import SettingsTable
from simulators import ROOT, LocalError
from simulators.asgi import Server
from simulators.aws.account import Account, Secrets
from simulators.aws.gateway import PATH, gateway
from simulators.aws.log import log_records
from simulators.aws.poller import Poller
from simulators.aws.runtime import Function, emulator_path
from simulators.aws.template import Template
from simulators.journeys import Journeys
from simulators.readings import reading
from simulators.slack.delivery import LOCAL_DELAYS, EventsApi
from simulators.slack.interactivity import Interactivity
from simulators.slack.methods import Grant, WebApi
from simulators.slack.rate_limits import SLACK_LIMITS, Limit
from simulators.slack.server import application
from simulators.slack.workspace import Message, Workspace
from toxic_bot.judge.classifier import Classifier, load
from toxic_bot.judge.config import EMBEDDED_MODEL, OperatingPoint
from toxic_bot.slack.channel_settings import ChannelSettings

if TYPE_CHECKING:
    from mypy_boto3_sqs.literals import QueueAttributeNameType

URL_VERIFICATION_ATTEMPTS = 5
"""Requests that verify the request URL: the first cold start can exceed Slack's timeout."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a stack.

    Parameters
    ----------
    model
        The model folder.
    port
        Port of the page; 0 for any free port.
    concurrency
        Number of the worker's execution environments.
    parameters
        Values for the template's parameters, such as ``Answer``.
    limits
        Slack's rate limits.
    delays
        Seconds before each of Slack's retries.
    template
        The SAM template that the stack is created from.
    """

    model: Path = EMBEDDED_MODEL
    port: int = 0
    concurrency: int = 1
    parameters: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, Limit] = field(default_factory=lambda: SLACK_LIMITS)
    delays: Sequence[float] = LOCAL_DELAYS
    template: Path = ROOT / "template.yaml"


class Stack:
    """The running bot and everything around it: ``with Stack(...).start() as stack``.

    Parameters
    ----------
    workspace
        The Slack workspace, with its people, channels and messages.
    viewer
        ID of the person who uses the page.
    options
        The stack's options.
    progress
        Called with a description of each step when it starts.
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
        self._functions: list[Function] = []

    def start(self) -> Self:
        """Start everything; leaving the context stops it.

        Raises
        ------
        LocalError
            When something is missing or does not start; what has started is stopped.
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
        # Both checks fail here in one line, rather than later in the log of a function.
        load(options.model)
        emulator_path()
        self.folder = Path(self._exit.enter_context(tempfile.TemporaryDirectory(prefix="bot-")))
        self._progress("Starting Slack: the workspace and its Web API")
        self.web_api = WebApi(self.workspace, {self.secrets.bot_token: Grant()}, options.limits)
        self.interactivity = Interactivity(self.workspace, self.web_api.modals)
        page = application(
            self.web_api,
            self._viewer,
            reading=self._reading,
            interactivity=self.interactivity,
            post_digest=self.post_digest,
            asking=self._asking,
        )
        self.slack = Server(page, options.port)
        self._exit.callback(self.slack.stop)
        self.slack.start()
        self.interactivity.address = self.web_api.address = self.slack.address
        self._progress("Starting AWS: the resources in template.yaml")
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
        self._progress("Starting Lambda: the receiver and the worker in AWS's runtime")
        self.receiver = self._function("Receiver", 1)
        self.worker = self._function("Worker", options.concurrency)
        with ThreadPoolExecutor() as executor:
            for start in [executor.submit(f.start) for f in (self.receiver, self.worker)]:
                start.result()
        self.gateway = Server(gateway(self.receiver))
        self._exit.callback(self.gateway.stop)
        self.gateway.start()
        self.queue = self.aws.client("sqs", self.worker.config.credentials)
        self.poller = self._start_poller("WorkerSource", options.concurrency)
        self.text_poller = self._start_poller("WorkerTexts", 1)
        self.events = EventsApi(self.workspace, self.secrets.signing_secret, options.delays)
        self._exit.callback(self.events.stop)
        self._follow_events()
        self.interactivity.send = self.events.send_form
        self.events.request_url = f"{self.gateway.address}{PATH}"
        self._progress("Verifying the request URL with Slack's challenge")
        if not any(self.events.verify_url() for _ in range(URL_VERIFICATION_ATTEMPTS)):
            raise LocalError(
                f"the receiver does not answer Slack's challenge: {self._last_error('receiver')}"
            )

    @cached_property
    def digest(self) -> Function:
        """The function that EventBridge would invoke; it starts when it is first needed."""
        return self._function("Digest", 1)

    def post_digest(self) -> None:
        """Invoke the digest as if it were tomorrow, so that it counts today.

        Raises
        ------
        InvocationError
            When it fails.
        """
        tomorrow = datetime.now(UTC) + timedelta(days=1)
        self.digest.invoke({"time": tomorrow.isoformat()})

    def _follow_events(self) -> None:
        queue = self.aws.client("sqs").get_queue_attributes(
            QueueUrl=self.aws.queue_url("Queue"), AttributeNames=["RedrivePolicy"]
        )["Attributes"]
        self.journeys = Journeys(
            self.workspace,
            self.worker.log,
            retries=len(self.options.delays),
            max_receives=int(json.loads(queue["RedrivePolicy"])["maxReceiveCount"]),
        )
        self._exit.callback(self.journeys.stop)
        self.receiver.watch(self.journeys.on_receiver)
        self.worker.watch(self.journeys.on_worker)
        self.events.watch(self.journeys.on_attempt)

    @cached_property
    def _classifier(self) -> Classifier:
        """The worker's model once more: it only explains what the worker decides."""
        point = self.worker.config.environment.get("OPERATING_POINT", OperatingPoint.BALANCED)
        return load(self.options.model, threads=1, operating_point=OperatingPoint(point))

    def _own_settings(self, channel: str) -> ChannelSettings:
        table = SettingsTable(self.aws.client("dynamodb"), self.aws.physical_id("ClaimTable"))
        return table.read([channel]).get(channel, ChannelSettings())

    def _asking(self, channel: str) -> frozenset[str]:
        return self._own_settings(channel).reactions or self.workspace.reactions

    def _reading(self, message: Message) -> dict[str, Any]:
        own = self._own_settings(message.channel)
        threshold = own.score_threshold(self._classifier.config.thresholds)
        classifier = self._classifier if threshold is None else self._classifier.at(threshold)
        journeys = None
        if message.typed is None:
            journeys = self.journeys.about(message.channel, message.ts)
        text = message.text if message.typed is None else message.typed
        return reading(classifier, text, journeys, is_own_limit=threshold is not None)

    def _function(self, logical_id: str, concurrency: int) -> Function:
        function = Function(
            self.aws.function(logical_id),
            endpoint=self.aws.endpoint,
            log=self.folder / f"{logical_id.lower()}.log",
            concurrency=concurrency,
        )
        self._exit.callback(function.stop)
        self._functions.append(function)
        return function

    def _start_poller(self, logical_id: str, concurrency: int) -> Poller:
        mapping = self.aws.event_source_mapping(logical_id)
        poller = Poller(mapping, self.worker, self.queue, concurrency)
        self._exit.callback(poller.stop)
        poller.start()
        return poller

    def _last_error(self, function: str) -> str:
        text = (self.folder / f"{function}.log").read_text("utf-8", "replace")
        # The emulator marks its own lines with "(rapid)".
        lines = [line for line in text.splitlines() if "(rapid)" not in line]
        errors = [line for line in lines if line.startswith("error:")]
        return (errors or lines or ["its log is empty"])[-1]

    def log(self, function: str) -> str:
        """Return the log of a function, ``receiver`` or ``worker``."""
        return (self.folder / f"{function}.log").read_text("utf-8", "replace")

    def records(self, function: str) -> Iterator[dict[str, Any]]:
        """Yield the JSON objects of a function's log: log records and metrics."""
        return log_records(self.log(function))

    def dead_letters(self) -> int:
        """Return the number of messages in the dead-letter queue."""
        return self._count("DeadLetterQueue", "ApproximateNumberOfMessages")

    def pending_messages(self) -> int:
        """Return the number of messages in both queues: visible, in flight or delayed."""
        return sum(
            self._count(
                queue,
                "ApproximateNumberOfMessages",
                "ApproximateNumberOfMessagesNotVisible",
                "ApproximateNumberOfMessagesDelayed",
            )
            for queue in ("Queue", "TextQueue")
        )

    def _count(self, queue: str, *names: QueueAttributeNameType) -> int:
        attributes = self.aws.client("sqs").get_queue_attributes(
            QueueUrl=self.aws.queue_url(queue), AttributeNames=names
        )["Attributes"]
        return sum(int(attributes[name]) for name in names)

    def answers(self, message: Message) -> list[Message]:
        """Return what the bot has posted about a message, in its thread or to one person."""
        thread = message.thread_ts or message.ts
        return [
            one
            for one in self.workspace.messages(message.channel)
            if one.user == self.workspace.bot.id
            and (_is_about(one, message) or (one.metadata is None and one.thread_ts == thread))
        ]

    def is_answered(self, message: Message) -> bool:
        """Report whether the bot has posted anything about a message."""
        return bool(self.answers(message))

    def wait_for(self, condition: Callable[[], bool], timeout: float) -> bool:
        """Wait until a condition holds; return False after ``timeout`` seconds."""
        deadline = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    def let_time_pass(self) -> int:
        """Expire delays, visibility timeouts and the claims in progress at once.

        In the time that passes, whatever was going on has ended: a claim only lapses if it
        outlives the invocation that made it, and what that invocation asked of Slack.

        Returns
        -------
        int
            Number of messages made visible.
        """
        table = self.aws.client("dynamodb")
        name = self.aws.physical_id("ClaimTable")
        in_progress = table.scan(
            TableName=name,
            FilterExpression="#status = :in_progress",
            ExpressionAttributeNames={"#status": "status"},
            ExpressionAttributeValues={":in_progress": {"S": "INPROGRESS"}},
        )
        for function in self._functions:
            function.invocations.wait(function.config.timeout)
        self.web_api.requests.wait(self.worker.config.timeout)
        for item in in_progress["Items"]:
            # A claim that has been closed, or made anew, in the meantime is left alone.
            with suppress(table.exceptions.ConditionalCheckFailedException):
                table.update_item(
                    TableName=name,
                    Key={"id": item["id"]},
                    UpdateExpression="SET in_progress_expiration = :past",
                    ConditionExpression="#status = :in_progress AND #owner = :owner",
                    ExpressionAttributeNames={"#status": "status", "#owner": "owner"},
                    ExpressionAttributeValues={
                        ":past": {"N": "1"},
                        ":in_progress": {"S": "INPROGRESS"},
                        ":owner": item["owner"],
                    },
                )
        pollers = (self.poller, self.text_poller)
        return self.aws.expire_delays() + sum(one.expire_visibility_timeouts() for one in pollers)

    def settle(self, timeout: float = 30.0) -> bool:
        """Wait until everything has arrived, the queue is empty and the worker idle.

        Returns
        -------
        bool
            False after ``timeout`` seconds.
        """
        return self.wait_for(
            lambda: (
                # In the order of the way: what leaves one place is in the next.
                not self.events.busy
                and not self.poller.busy
                and not self.text_poller.busy
                and self.pending_messages() == 0
            ),
            timeout,
        )


def _is_about(answer: Message, message: Message) -> bool:
    payload = (answer.metadata or {}).get("event_payload") or {}
    return (payload.get("channel"), payload.get("ts")) == (message.channel, message.ts)
