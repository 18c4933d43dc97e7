"""Every alarm of the template rings for what goes wrong in the local stack, and only then.

What our code counts comes from the functions' logs, in CloudWatch's embedded format. Lambda's
errors and throttles, API Gateway's figures and the age of a queue's messages are those of the local
runtime, gateway and queues.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from simulators import ROOT
from simulators.asgi import Server
from simulators.aws.alarms import Datapoint, datapoint, embedded, rings
from simulators.aws.failures import AwsFault, PlannedFault
from simulators.aws.gateway import PATH, Access, gateway
from simulators.aws.log import log_records
from simulators.aws.runtime import ExecutionEnvironment, Invocation, InvocationError
from simulators.samples import CHANNEL, RAE, VIEWER, add_moderators, create_workspace
from simulators.slack.delivery import RetryReason
from simulators.slack.faults import Fault
from simulators.slack.rate_limits import NO_LIMITS
from simulators.slack.workspace import Message, ReactionChange
from simulators.stack import Options, Stack
from tests.template import declared
from toxic_bot.slack.gestures.event_gestures import Reaction
from toxic_bot.slack.gestures.private_requests import Shortcut
from toxic_bot.slack.requests.interactions import COMMAND
from toxic_bot.slack.web_api.remedies import TOKEN_ERRORS

pytestmark = [pytest.mark.slow, pytest.mark.long]

ALARMS = sorted(declared.resources("AWS::CloudWatch::Alarm"))
BUG = """
import toxic_bot.slack.answers.judging as judging
judging.Judge.message = lambda *_: 1 / 0
"""


def resolved(value: Any) -> str:
    """Return a namespace or a dimension's value; a resource is called by its logical ID."""
    if not isinstance(value, dict):
        return str(value)
    if "Version.Version" in str(value):
        return "$LATEST"
    [(function, argument)] = value.items()
    if function == "Fn::Sub":
        return re.sub(r"\$\{(\w+)\}", r"\1", argument.replace("${Stage}", "dev"))
    return argument if function == "Ref" else (".".join([*argument, ""])).split(".")[0]


class CloudWatch:
    """Collects the metrics of a running stack."""

    def __init__(self, stack: Stack, folder: Path) -> None:
        self.stack = stack
        self._folder = folder
        self._read: dict[Path, int] = {}
        self._aws: list[Datapoint] = []
        self._environments: list[ExecutionEnvironment] = []
        self._gateways: list[Server] = []
        self._throttles = dict.fromkeys(("Receiver", "Worker"), 0)
        stack.receiver.watch(partial(self._count_invocation, "Receiver"))
        stack.worker.watch(partial(self._count_invocation, "Worker"))
        stack.events.request_url = self.gateway()

    def gateway(self, requests_per_second: float = float("inf")) -> str:
        """Start another stage of the API, and return the request URL in it."""
        api = gateway(
            self.stack.receiver, log=self._count_request, requests_per_second=requests_per_second
        )
        server = Server(api)
        server.start()
        self._gateways.append(server)
        return f"{server.address}{PATH}"

    def stop(self) -> None:
        for environment in self._environments:
            environment.stop()
        for server in self._gateways:
            server.stop()

    def invoke(self, function: str, event: dict[str, Any], **variables: str) -> None:
        """Invoke another version of a function, with other variables; it may fail."""
        module = function.lower()
        config = self.stack.aws.function("Worker" if function == "Worker" else "Receiver")
        environment = config.environment | {"POWERTOOLS_SERVICE_NAME": module} | variables
        config = replace(config, handler=f"handler.{module}.handler", environment=environment)
        log = self._folder / f"{module}-{len(self._environments)}.log"
        version = ExecutionEnvironment(config, self.stack.aws.endpoint, log)
        self._environments.append(version)
        error = ""
        try:
            version.invoke(event)
        except InvocationError as failure:
            error = str(failure)
        self._count_invocation(function, Invocation(event, None, error, 0, 0, cold=True))

    def _count_invocation(self, function: str, invocation: Invocation) -> None:
        errors = float(bool(invocation.error))
        add = partial(datapoint, "AWS/Lambda", "Errors", errors, FunctionName=function)
        self._aws.append(add())
        self._aws.append(add(Resource=f"{function}:live", ExecutedVersion="$LATEST"))

    def _count_request(self, access: Access) -> None:
        [metric_filter] = declared.resources("AWS::Logs::MetricFilter").values()
        [status] = re.findall(r'^\{ \$\.status = "(\d+)" \}$', metric_filter["FilterPattern"])
        [counted] = metric_filter["MetricTransformations"]
        if access.status == int(status):
            namespace = resolved(counted["MetricNamespace"])
            value = float(counted["MetricValue"])
            self._aws.append(datapoint(namespace, counted["MetricName"], value))
        failed = float(access.status >= 500)
        for name, value in (("Count", 1), ("5xx", failed), ("Latency", access.milliseconds)):
            self._aws.append(datapoint("AWS/ApiGateway", name, value, ApiId="HttpApi"))

    def count_throttles(self) -> None:
        """Count the invocations that Lambda has not begun."""
        for name in self._throttles:
            function = self.stack.receiver if name == "Receiver" else self.stack.worker
            new = function.throttles - self._throttles[name]
            self._throttles[name] = function.throttles
            self._aws.append(datapoint("AWS/Lambda", "Throttles", float(new), FunctionName=name))

    def measure_queues(self, older_by: float = 0.0) -> None:
        """Measure how old the messages are, after a while."""
        ages = self.stack.aws.queue_ages(older_by)
        for queue in ("Queue", "TextQueue"):
            age = ages[self.stack.aws.queue_url(queue).rpartition("/")[2]]
            name = "ApproximateAgeOfOldestMessage"
            self._aws.append(datapoint("AWS/SQS", name, age, QueueName=queue))

    def collect(self) -> list[Datapoint]:
        """Return what has come out since the last call."""
        self.count_throttles()
        self.measure_queues()
        found, self._aws = self._aws, []
        for log in [*self.stack.folder.glob("*.log"), *self._folder.glob("*.log")]:
            text = log.read_text("utf-8", "replace")
            found += embedded(log_records(text[self._read.get(log, 0) :]))
            self._read[log] = len(text)
        visible = float(self.stack.dead_letters())
        name = "ApproximateNumberOfMessagesVisible"
        return [*found, datapoint("AWS/SQS", name, visible, QueueName="DeadLetterQueue")]

    def react(self) -> tuple[Message, ReactionChange]:
        """Let somebody ask for a verdict."""
        message = self.stack.workspace.post(CHANNEL, RAE, "Thanks, that was quick!")
        return message, self.stack.workspace.react(CHANNEL, message.ts, VIEWER, "biohazard_sign")

    def settle(self) -> None:
        """Let everything come back until it is done, without its delays."""
        deadline = time.monotonic() + 120
        while not self.stack.settle(1):
            assert time.monotonic() < deadline, self.stack.log("worker")
            self.stack.let_time_pass()

    def queue(self, body: str) -> None:
        """Put a message on the queue as the receiver does."""
        sqs = self.stack.aws.client("sqs")
        sqs.send_message(QueueUrl=self.stack.aws.queue_url("Queue"), MessageBody=body)

    def queue_reaction(self, age: float) -> None:
        """Put a reaction on the queue that somebody made a while ago."""
        message = self.stack.workspace.post(CHANNEL, RAE, "Thanks, that was quick!")
        made = f"{time.time() - age:.6f}"
        names = (f"Ev{message.ts}".replace(".", ""), made, "T0123456789", VIEWER)
        self.queue(Reaction(*names, CHANNEL, message.ts, RAE, "biohazard_sign").to_json())


def play_answer(bot: CloudWatch) -> None:
    message, _ = bot.react()
    bot.settle()
    assert bot.stack.is_answered(message)
    bot.invoke("Probe", {}, REQUEST_URL=bot.stack.events.request_url)


def play_dead_token(bot: CloudWatch) -> None:
    for error in sorted(TOKEN_ERRORS):
        bot.stack.web_api.faults.add("conversations.replies", Fault(error=error), times=2)
    bot.react()
    bot.settle()


def play_missing_scope(bot: CloudWatch, error: str) -> None:
    bot.stack.web_api.faults.add("conversations.replies", Fault(error=error))
    bot.react()
    bot.settle()


def play_failing_slack(bot: CloudWatch) -> None:
    fault = Fault(error="internal_error", status=500)
    bot.stack.web_api.faults.add("conversations.replies", fault, times=4)
    bot.react()
    bot.settle()


def play_long_wait(bot: CloudWatch) -> None:
    fault = Fault(error="ratelimited", status=429, retry_after=1)
    bot.stack.web_api.faults.add("conversations.replies", fault)
    bot.queue_reaction(age=700)
    bot.settle()


def play_bug(bot: CloudWatch, folder: Path) -> None:
    (folder / "sitecustomize.py").write_text(BUG, "utf-8")
    message = bot.stack.workspace.post(CHANNEL, RAE, "Thanks, that was quick!")
    now = f"{time.time():.6f}"
    body = Reaction("Ev1", now, "T1", VIEWER, CHANNEL, message.ts, RAE, "biohazard_sign").to_json()
    arn = bot.stack.aws.event_source_mapping("WorkerSource").queue_arn
    received = {"ApproximateReceiveCount": "1"}
    record = {"messageId": "1", "receiptHandle": "1", "body": body, "attributes": received}
    event = {"Records": [record | {"eventSourceARN": arn}]}
    bot.invoke("Worker", event, PYTHONPATH=f"{folder}:{ROOT}")


def play_poison(bot: CloudWatch) -> None:
    bot.queue("no gesture")
    assert bot.stack.wait_for(lambda: bot.stack.dead_letters() == 1, 60)


def play_expired_gesture(bot: CloudWatch) -> None:
    made = f"{time.time() - 3600:.6f}"
    url = "https://hooks.slack.com/actions/1"
    bot.queue(Shortcut("1.2", made, "T1", VIEWER, CHANNEL, "1.1", None, None, "hi", url).to_json())
    bot.settle()


def play_crash(bot: CloudWatch, function: str, **variables: str) -> None:
    bot.invoke(function, {}, **variables)


def play_failing_queue(bot: CloudWatch, fault: AwsFault, requests: int) -> None:
    key = bot.stack.aws.function("Receiver").credentials.access_key
    bot.stack.aws.plan_faults(PlannedFault("SendMessage", n, fault, key) for n in range(40))
    with ThreadPoolExecutor(requests) as executor:
        list(executor.map(lambda _: bot.react(), range(requests)))
    assert bot.stack.wait_for(lambda: not bot.stack.events.busy, 120)
    bot.stack.aws.plan_faults([])
    bot.settle()


def play_retries(bot: CloudWatch) -> None:
    _, reaction = bot.react()
    envelope = bot.stack.events.delivered_envelope(reaction)
    for retry in (1, 2, 3):
        bot.stack.events.redeliver(envelope, retry, RetryReason.TIMEOUT).result()
    bot.settle()


def play_requests(bot: CloudWatch, body: dict[str, Any], url: str, *, signed: bool) -> None:
    content = json.dumps(body).encode()
    headers = bot.stack.events.headers(content)
    for _ in range(4):
        sent = headers if signed else headers | {"X-Slack-Signature": f"v0={'0' * 64}"}
        httpx.post(url, content=content, headers=sent, trust_env=False, timeout=30)


def play_failing_digest(bot: CloudWatch) -> None:
    bot.stack.web_api.faults.add("chat.postMessage", Fault(error="not_in_channel"))
    bot.stack.digest.watch(partial(bot._count_invocation, "Digest"))
    with pytest.raises(InvocationError):
        bot.stack.post_digest()


def play_late_answers(bot: CloudWatch) -> None:
    for _ in range(5):
        bot.queue_reaction(age=20)
    bot.settle()


def play_no_receiver(bot: CloudWatch) -> None:
    with bot.stack.receiver.switched_off():
        before = bot.stack.receiver.throttles
        message, _ = bot.react()
        assert bot.stack.wait_for(lambda: bot.stack.receiver.throttles > before, 60)
    bot.settle()
    # Slack has sent it again.
    assert bot.stack.is_answered(message)


def type_text(bot: CloudWatch) -> None:
    bot.stack.interactivity.type_command(CHANNEL, VIEWER, COMMAND, "Thanks!")


def play_no_worker(bot: CloudWatch, ask: Callable[[CloudWatch], object], seconds: float) -> None:
    worker = bot.stack.worker
    with worker.switched_off():
        before = worker.throttles
        ask(bot)
        assert bot.stack.wait_for(lambda: worker.throttles > before, 60)
        bot.measure_queues(older_by=seconds)
    bot.settle()


@pytest.fixture(scope="module")
def bot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CloudWatch]:
    workspace = create_workspace()
    options = Options(limits=NO_LIMITS, parameters=add_moderators(workspace))
    with Stack(workspace, VIEWER, options).start() as stack:
        watch = CloudWatch(stack, tmp_path_factory.mktemp("logs"))
        yield watch
        watch.stop()


@pytest.fixture(scope="module")
def quiet(bot: CloudWatch) -> list[Datapoint]:
    """What comes out of a bot that answers."""
    bot.collect()
    play_answer(bot)
    return bot.collect()


@pytest.fixture(scope="module")
def played(
    bot: CloudWatch,
    quiet: list[Datapoint],  # noqa: ARG001 - it is played first
    tmp_path_factory: pytest.TempPathFactory,
) -> list[list[Datapoint]]:
    """What comes out of each thing that goes wrong."""
    url, other = bot.stack.events.request_url, "https://nobody.invalid/slack/events"
    plays: list[Callable[[CloudWatch], None]] = [
        play_dead_token,
        partial(play_missing_scope, error="missing_scope"),
        partial(play_missing_scope, error="no_permission"),
        play_failing_slack,
        play_long_wait,
        partial(play_bug, folder=tmp_path_factory.mktemp("bug")),
        play_poison,
        play_expired_gesture,
        partial(play_crash, function="Worker", MODEL_FOLDER="no-such-model"),
        partial(play_crash, function="Receiver", QUEUE_URL=""),
        partial(play_crash, function="Probe", REQUEST_URL=other),
        partial(play_failing_queue, fault=AwsFault.UNAVAILABLE, requests=1),
        partial(play_failing_queue, fault=AwsFault.SLOW, requests=4),
        play_retries,
        partial(play_requests, body={"type": "app_rate_limited"}, url=url, signed=True),
        partial(play_requests, body={"type": "event_callback"}, url=url, signed=False),
        partial(play_requests, body={}, url=bot.gateway(requests_per_second=1), signed=True),
        play_failing_digest,
        play_late_answers,
        play_no_receiver,
        partial(play_no_worker, ask=CloudWatch.react, seconds=601),
        partial(play_no_worker, ask=type_text, seconds=181),
    ]
    came_out = []
    for play in plays:
        play(bot)
        came_out.append(bot.collect())
    return came_out


@pytest.mark.parametrize("name", ALARMS)
def test_no_alarm_rings_while_all_is_well(name: str, quiet: list[Datapoint]) -> None:
    assert not rings(declared.resource(name), quiet, resolved)


@pytest.mark.parametrize("name", ALARMS)
def test_an_alarm_rings_for_something_that_really_happens(
    name: str, played: list[list[Datapoint]]
) -> None:
    assert any(rings(declared.resource(name), one, resolved) for one in played)


@pytest.mark.parametrize("name", ALARMS)
def test_every_metric_of_an_alarm_is_counted_by_something(
    name: str, played: list[list[Datapoint]]
) -> None:
    alarm = declared.resource(name)
    queries = [
        one["MetricStat"]["Metric"] for one in alarm.get("Metrics", ()) if "MetricStat" in one
    ]
    counted = {
        (one.namespace, one.name, one.dimensions) for ones in played for one in ones if one.value
    }
    for metric in queries or [alarm]:
        dimensions = {one["Name"]: resolved(one["Value"]) for one in metric.get("Dimensions", ())}
        wanted = (resolved(metric["Namespace"]), metric["MetricName"])
        assert (*wanted, frozenset(dimensions.items())) in counted, wanted
