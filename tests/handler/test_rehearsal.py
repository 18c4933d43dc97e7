"""The rehearsal, with real functions behind a stand-in for the two AWS APIs that moto lacks."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from tests.aws_account import SIGNING_SECRET, Account, cold_start
from tests.template import declared

RECEIVER = "arn:aws:lambda:us-east-1:123456789012:function:toxic-bot-dev-receiver:7"
WORKER = "arn:aws:lambda:us-east-1:123456789012:function:toxic-bot-dev-worker:9"
HOOK = {"DeploymentId": "d-1", "LifecycleEventHookExecutionId": "e-1"}


@dataclass
class Functions:
    """Lambda's Invoke for functions that run here; each may be replaced by a result."""

    handlers: dict[str, Callable[[dict[str, Any]], Any]]
    errors: dict[str, dict[str, Any] | Exception] = field(default_factory=dict)

    def invoke(self, *, FunctionName: str, Payload: str) -> dict[str, Any]:  # noqa: N803 - boto3's
        error = self.errors.get(FunctionName)
        if isinstance(error, Exception):
            raise error
        if error is not None:
            return error
        result = self.handlers[FunctionName](json.loads(Payload))
        return {"StatusCode": 200, "Payload": io.BytesIO(json.dumps(result).encode())}


@dataclass
class Deployments:
    """CodeDeploy's record of a hook's report."""

    reports: list[dict[str, str]] = field(default_factory=list)

    def put_lifecycle_event_hook_execution_status(self, **report: str) -> None:
        self.reports.append(report)


@pytest.fixture
def functions(receiver: ModuleType) -> Functions:
    return Functions(
        {
            RECEIVER: lambda event: receiver.handler(event, None),
            WORKER: lambda event: {"batchItemFailures": event["Records"]},
        }
    )


@pytest.fixture
def rehearsal(functions: Functions, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setenv("NEW_RECEIVER", RECEIVER)
    monkeypatch.setenv("NEW_WORKER", WORKER)
    module = cold_start("handler.rehearsal")
    monkeypatch.setattr(module, "functions", functions)
    monkeypatch.setattr(module, "deployments", Deployments())
    return module


def report(rehearsal: ModuleType) -> dict[str, str]:
    rehearsal.handler(HOOK, None)
    [one] = rehearsal.deployments.reports
    result: dict[str, str] = one
    return result


def test_versions_that_answer_may_receive_traffic(
    rehearsal: ModuleType, account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report(rehearsal) == {
        "deploymentId": "d-1",
        "lifecycleEventHookExecutionId": "e-1",
        "status": "Succeeded",
    }
    assert account.queued_bodies() == []
    assert SIGNING_SECRET not in capsys.readouterr().out


def failed(message: str) -> dict[str, Any]:
    payload = json.dumps({"errorType": "Runtime.ExitError", "errorMessage": message}).encode()
    return {"StatusCode": 200, "FunctionError": "Unhandled", "Payload": io.BytesIO(payload)}


@pytest.mark.parametrize("function", [RECEIVER, WORKER])
@pytest.mark.parametrize(
    "error",
    [
        lambda: failed("exit status 1"),
        lambda: {"StatusCode": 200, "Payload": io.BytesIO(b'{"statusCode": 500}')},
        lambda: {"StatusCode": 200, "Payload": io.BytesIO(b"null")},
        lambda: EndpointConnectionError(endpoint_url="https://lambda"),
    ],
    ids=["crashes", "refuses", "answers-nothing", "unreachable"],
)
def test_a_version_that_fails_stops_the_deployment(
    rehearsal: ModuleType, functions: Functions, function: str, error: Callable[[], Any]
) -> None:
    functions.errors[function] = error()
    assert report(rehearsal)["status"] == "Failed"


def test_an_unexpected_error_is_reported_too(rehearsal: ModuleType, functions: Functions) -> None:
    functions.errors[WORKER] = RuntimeError("a bug")
    with pytest.raises(RuntimeError):
        rehearsal.handler(HOOK, None)
    [report] = rehearsal.deployments.reports
    assert report["status"] == "Failed"


def test_a_secret_that_cannot_be_read_stops_the_deployment(
    rehearsal: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = rehearsal.settings.__class__(rehearsal.settings.store, "no-such-secret")
    monkeypatch.setattr(rehearsal, "settings", settings)
    assert report(rehearsal)["status"] == "Failed"
    assert "no-such-secret cannot be read" in capsys.readouterr().out


THROTTLED = ClientError({"Error": {"Code": "TooManyRequestsException"}}, "Invoke")
MISSING = ClientError({"Error": {"Code": "ResourceNotFoundException"}}, "Invoke")


@pytest.mark.parametrize("function", [RECEIVER, WORKER])
@pytest.mark.parametrize(
    ("errors", "status"),
    [([THROTTLED, THROTTLED], "Succeeded"), ([THROTTLED] * 9, "Failed"), ([MISSING], "Failed")],
    ids=["for-a-moment", "for-good", "missing"],
)
def test_a_moment_without_capacity_fails_no_deployment(
    rehearsal: ModuleType,
    functions: Functions,
    monkeypatch: pytest.MonkeyPatch,
    function: str,
    errors: list[ClientError],
    status: str,
) -> None:
    monkeypatch.setattr(rehearsal, "PAUSES", (0.0, 0.0, 0.0))
    answer, pending = functions.handlers[function], list(errors)

    def invoke(event: dict[str, Any]) -> Any:
        if pending:
            raise pending.pop()
        return answer(event)

    functions.handlers[function] = invoke
    assert report(rehearsal)["status"] == status


def test_the_rehearsals_pauses_leave_it_time_to_report(rehearsal: ModuleType) -> None:
    timeout = declared.resource("Rehearsal")["Timeout"]
    assert 2 * (sum(rehearsal.PAUSES) + rehearsal.INVOCATION.read_timeout) < timeout
