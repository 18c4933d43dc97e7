"""A deployment, a bad one and its rollback, as far as they can be played without AWS.

moto publishes the versions, and keeps aliases and alarms. AWS's runtime runs the rehearsal and the
versions that it tries. `Rollout` does between them what CodeDeploy does, which moto cannot.

Source: https://docs.aws.amazon.com/codedeploy/latest/userguide/deployment-steps-lambda.html
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from handler.rehearsed_gesture import CHANNEL as REHEARSED
from simulators import ROOT
from simulators.asgi import Server
from simulators.aws.alarms import embedded, rings
from simulators.aws.gateway import http_api_event
from simulators.aws.log import log_records
from simulators.aws.poller import sqs_event
from simulators.aws.runtime import ExecutionEnvironment, InvocationError
from simulators.samples import CHANNEL, RAE, VIEWER, create_workspace
from simulators.slack.rate_limits import NO_LIMITS
from simulators.stack import Options, Stack
from tests.template import declared

pytestmark = [pytest.mark.slow, pytest.mark.long]

FUNCTIONS = ("Receiver", "Worker")
ALIAS = "live"
INSULT = "You are a pathetic idiot and everybody here hates you."
REPORT = "CodeDeploy_20141006.PutLifecycleEventHookExecutionStatus"


class Rollout:
    """The versions of both functions, and the steps by which traffic moves to new ones."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.reports: list[dict[str, str]] = []
        # moto's permission checks reject the signatures of calls of Lambda.
        httpx.post(
            f"{stack.aws.endpoint}/moto-api/reset-auth", content=b"100000", trust_env=False
        ).raise_for_status()
        self._lambda = stack.aws.client("lambda")
        self._environments: dict[str, ExecutionEnvironment] = {}
        self._server = Server(
            Starlette(
                routes=[
                    Route("/", self._report, methods=["POST"]),
                    Route(
                        "/2015-03-31/functions/{arn}/invocations", self._invoke, methods=["POST"]
                    ),
                ]
            )
        )
        self._server.start()
        for function in FUNCTIONS:
            self._lambda.create_alias(
                FunctionName=self._name(function),
                Name=ALIAS,
                FunctionVersion=self._publish(function, {}),
            )

    def stop(self) -> None:
        for environment in self._environments.values():
            environment.stop()
        self._server.stop()

    def _name(self, function: str) -> str:
        return self.stack.aws.function(function).name

    def _configuration(self, function: str, version: str) -> dict[str, Any]:
        configuration: dict[str, Any] = self._lambda.get_function_configuration(
            FunctionName=self._name(function), Qualifier=version
        )
        return configuration

    def _publish(self, function: str, settings: dict[str, str]) -> str:
        """Publish a version with other settings, and return its number."""
        variables = self.stack.aws.function(function).environment | settings
        name = self._name(function)
        self._lambda.update_function_configuration(
            FunctionName=name, Environment={"Variables": variables}
        )
        return str(self._lambda.publish_version(FunctionName=name)["Version"])

    def version(self, function: str) -> ExecutionEnvironment:
        """Return the version that the alias sends traffic to."""
        number = self.alias(function)["FunctionVersion"]
        return self._environment(self._configuration(function, number)["FunctionArn"])

    def alias(self, function: str) -> dict[str, Any]:
        alias: dict[str, Any] = self._lambda.get_alias(
            FunctionName=self._name(function), Name=ALIAS
        )
        return alias

    def _environment(self, arn: str) -> ExecutionEnvironment:
        if arn not in self._environments:
            name, number = arn.split(":")[-2:]
            [function] = [one for one in FUNCTIONS if self._name(one) == name]
            variables = self._configuration(function, number)["Environment"]["Variables"]
            variables |= {"AWS_LAMBDA_FUNCTION_VERSION": number}
            config = replace(self.stack.aws.function(function), environment=variables)
            self._environments[arn] = ExecutionEnvironment(
                config, self.stack.aws.endpoint, self._log(function, number)
            )
        return self._environments[arn]

    def _log(self, function: str, number: str) -> Path:
        return self.stack.folder / f"{self._name(function)}-{number}.log"

    async def _invoke(self, request: Request) -> Response:
        environment = self._environment(request.path_params["arn"])
        try:
            return JSONResponse(await run_in_threadpool(environment.invoke, await request.json()))
        except InvocationError as error:
            details = {"errorType": error.error_type, "errorMessage": str(error)}
            return JSONResponse(details, headers={"x-amz-function-error": "Unhandled"})

    async def _report(self, request: Request) -> Response:
        assert request.headers["x-amz-target"] == REPORT
        self.reports.append(await request.json())
        return JSONResponse({})

    def deploy(self, settings: dict[str, str]) -> bool:
        """Play a canary deployment; return False if it is taken back.

        Parameters
        ----------
        settings
            Environment variables that change.
        """
        new = {function: self._publish(function, settings) for function in FUNCTIONS}
        if self._rehearse(new) != "Succeeded":
            return False
        before = {function: self.alias(function)["FunctionVersion"] for function in FUNCTIONS}
        self._shift(before, {function: {new[function]: 0.1} for function in FUNCTIONS})
        for function, number in new.items():
            self._answer(function, number)
        is_bad = any(self._rings(function, number) for function, number in new.items())
        self._shift(before if is_bad else new, {})
        return not is_bad

    def _answer(self, function: str, number: str) -> None:
        """Let a version work at a reaction, as a tenth of the traffic would."""
        version = self._environment(self._configuration(function, number)["FunctionArn"])
        message = self.stack.workspace.post(CHANNEL, RAE, INSULT)
        reaction = self.stack.workspace.react(CHANNEL, message.ts, VIEWER, "biohazard_sign")
        if function == "Receiver":
            self._send(version, reaction)
            return
        # The receiver that has the traffic queues what Slack delivers.
        assert self.stack.wait_for(lambda: not self.stack.events.busy, 30)
        source = self.stack.aws.event_source_mapping("WorkerSource")
        while batch := self._received(source.queue_url):
            version.invoke(sqs_event(batch, source.queue_arn))

    def _rings(self, function: str, number: str) -> bool:
        """Report whether a function's release alarm goes off for what a version counted."""

        def resolved(value: Any) -> str:
            if "Version" in str(value):
                return number
            return value if isinstance(value, str) else "ToxicBot/dev"

        records = log_records(self._log(function, number).read_text("utf-8", "replace"))
        return rings(
            declared.resource(f"{function}ReleaseAlarm"), list(embedded(records)), resolved
        )

    def _shift(self, versions: dict[str, str], canary: dict[str, dict[str, float]]) -> None:
        for function, number in versions.items():
            self._lambda.update_alias(
                FunctionName=self._name(function),
                Name=ALIAS,
                FunctionVersion=number,
                RoutingConfig={"AdditionalVersionWeights": canary.get(function, {})},
            )

    def _rehearse(self, new: dict[str, str]) -> str:
        """Let the rehearsal try both versions, and return what it reports to CodeDeploy."""
        arns = {
            f"NEW_{function.upper()}": self._configuration(function, number)["FunctionArn"]
            for function, number in new.items()
        }
        # The local stack has no rehearsal; the receiver may read the signing secret as well.
        config = self.stack.aws.function("Receiver")
        here = dict.fromkeys(
            ("AWS_ENDPOINT_URL_LAMBDA", "AWS_ENDPOINT_URL_CODEDEPLOY"), self._server.address
        )
        config = replace(
            config,
            handler="handler.rehearsal.handler",
            timeout=declared.resource("Rehearsal")["Timeout"],
            environment=config.environment | arns | here,
        )
        log = self.stack.folder / "rehearsal.log"
        rehearsal = ExecutionEnvironment(config, self.stack.aws.endpoint, log)
        hook = {"DeploymentId": "d-1", "LifecycleEventHookExecutionId": f"e-{len(self.reports)}"}
        try:
            rehearsal.invoke(hook)
        finally:
            rehearsal.stop()
        report = self.reports[-1]
        assert report["lifecycleEventHookExecutionId"] == hook["LifecycleEventHookExecutionId"]
        return report["status"]

    def verdict(self) -> str:
        """Let the versions that have the traffic answer a reaction, and return the answer."""
        stack = self.stack
        message = stack.workspace.post(CHANNEL, RAE, INSULT)
        reaction = stack.workspace.react(CHANNEL, message.ts, VIEWER, "biohazard_sign")
        assert self._send(self.version("Receiver"), reaction)["body"] == "queued"
        source = stack.aws.event_source_mapping("WorkerSource")
        # Slack has delivered the reaction, too.
        while not stack.is_answered(message):
            if batch := self._received(source.queue_url):
                result = self.version("Worker").invoke(sqs_event(batch, source.queue_arn))
                assert result == {"batchItemFailures": []}
        [answer] = stack.answers(message)
        return answer.text

    def _send(self, receiver: ExecutionEnvironment, reaction: Any) -> dict[str, Any]:
        body = json.dumps(self.stack.events.new_envelope(reaction)).encode()
        headers = self.stack.events.headers(body).items()
        request = http_api_event(headers={n.lower(): value for n, value in headers}, body=body)
        response: dict[str, Any] = receiver.invoke(request)
        return response

    def _received(self, queue_url: str) -> list[Any]:
        return self.stack.queue.receive_message(
            QueueUrl=queue_url, MessageSystemAttributeNames=["All"]
        ).get("Messages", [])


@dataclass(frozen=True)
class Traffic:
    """Where an alias sends its traffic."""

    version: str
    canary: dict[str, float]


def traffic(rollout: Rollout, function: str) -> Traffic:
    alias = rollout.alias(function)
    weights = (alias.get("RoutingConfig") or {}).get("AdditionalVersionWeights") or {}
    return Traffic(str(alias["FunctionVersion"]), weights)


@pytest.fixture
def rollout() -> Iterator[Rollout]:
    with Stack(create_workspace(), VIEWER, Options(limits=NO_LIMITS)).start() as stack:
        stack.poller.stop()
        rollout = Rollout(stack)
        yield rollout
        rollout.stop()


BUG = """
from toxic_bot.slack.web_api.posting import Posting

post = Posting.post_in_thread

def post_in_thread(self, channel, *arguments, **options):
    if channel in {channels}:
        raise ZeroDivisionError
    post(self, channel, *arguments, **options)

Posting.post_in_thread = post_in_thread
"""


def with_bug(folder: Path, *channels: str) -> dict[str, str]:
    """Return what gives a version code of its own: it cannot answer in some channels."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(BUG.format(channels=channels), "utf-8")
    return {"PYTHONPATH": f"{folder}:{ROOT}"}


def test_a_deployment_moves_the_alias_and_bad_ones_leave_or_return_it(
    rollout: Rollout, tmp_path: Path
) -> None:
    first = {function: traffic(rollout, function) for function in FUNCTIONS}

    assert "flagged from 50%" in rollout.verdict()
    assert rollout.deploy({"OPERATING_POINT": "cautious"})
    second = {function: traffic(rollout, function) for function in FUNCTIONS}
    for function in FUNCTIONS:
        assert second[function].version > first[function].version
    assert "flagged from 50%" not in rollout.verdict()

    # A worker that does not start: the rehearsal finds that out, and no traffic reaches it.
    assert not rollout.deploy({"MODEL_FOLDER": "no-such-model"})
    assert rollout.reports[-1]["status"] == "Failed"
    assert second == {function: traffic(rollout, function) for function in FUNCTIONS}
    assert "reads as toxic" in rollout.verdict()

    # Nor does a receiver without its setting.
    assert not rollout.deploy({"QUEUE_URL": ""})
    assert second == {function: traffic(rollout, function) for function in FUNCTIONS}

    # A worker that starts and cannot answer: the rehearsal sends it a gesture.
    assert not rollout.deploy(with_bug(tmp_path / "everywhere", CHANNEL, REHEARSED))
    assert rollout.reports[-1]["status"] == "Failed"
    assert second == {function: traffic(rollout, function) for function in FUNCTIONS}

    # One that cannot answer people only, and sets off its alarm under a tenth of the traffic.
    assert not rollout.deploy(with_bug(tmp_path / "somewhere", CHANNEL))
    assert rollout.reports[-1]["status"] == "Succeeded"
    assert second == {function: traffic(rollout, function) for function in FUNCTIONS}
    assert "reads as toxic" in rollout.verdict()

    # A receiver that verifies and cannot queue.
    url = rollout.stack.aws.queue_url("Queue")
    assert not rollout.deploy({"QUEUE_URL": f"{url}-that-is-gone"})
    assert rollout.reports[-1]["status"] == "Succeeded"
    assert second == {function: traffic(rollout, function) for function in FUNCTIONS}

    # The fix is a deployment like any other.
    assert rollout.deploy({})
    third = {function: traffic(rollout, function) for function in FUNCTIONS}
    for function in FUNCTIONS:
        assert third[function].version > second[function].version
    assert "reads as toxic" in rollout.verdict()
