from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from handler.slack.events import Reaction
from local.asgi import Server
from local.slack.faults import Fault
from local.slack.methods import Grant, WebApi
from local.slack.rate_limits import NO_LIMITS
from local.slack.server import application
from local.slack.workspace import Channel, Message, Person, Workspace
from tests.handler.conftest import BOT_TOKEN, Account, start

CONTEXT = SimpleNamespace(
    function_name="worker",
    memory_limit_in_mb=1769,
    invoked_function_arn="arn:aws:lambda:eu-central-1:123456789012:function:worker",
    aws_request_id="52fdfc07-2182-154f-163f-5f0f9a621d72",
    get_remaining_time_in_millis=lambda: 20_000,
)


@pytest.fixture
def api() -> WebApi:
    workspace = Workspace()
    workspace.add_person(Person("U0WROTE", "rae"))
    workspace.add_channel(Channel("C0001", "general", members={"U0WROTE", workspace.bot.id}))
    return WebApi(workspace, {BOT_TOKEN: Grant()}, NO_LIMITS)


@pytest.fixture
def worker(account: Account, api: WebApi, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:  # noqa: ARG001 - it comes first
    server = Server(application(api, "U0WROTE"))
    server.start()
    monkeypatch.setenv("SLACK_API_URL", f"{server.address}/api/")
    yield start("handler.worker")
    server.stop()


def body(message: Message) -> str:
    return Reaction(
        event_id=f"Ev{message.ts.replace('.', '')}",
        event_ts=f"{time.time():.6f}",
        team="T0001",
        channel=message.channel,
        ts=message.ts,
        user="U0WROTE",
        author=message.user,
        reaction="biohazard_sign",
    ).to_json()


def batch(account: Account, *bodies: str) -> dict[str, Any]:
    """Put bodies on the real queue and return what Lambda would make of them."""
    for one in bodies:
        account.sqs.send_message(QueueUrl=account.queue_url, MessageBody=one)
    messages = account.sqs.receive_message(
        QueueUrl=account.queue_url, MaxNumberOfMessages=10, AttributeNames=["All"]
    )["Messages"]
    assert len(messages) == len(bodies)
    return {
        "Records": [
            {
                "messageId": one["MessageId"],
                "receiptHandle": one["ReceiptHandle"],
                "body": one["Body"],
                "attributes": one["Attributes"],
                "messageAttributes": {},
                "md5OfBody": hashlib.md5(one["Body"].encode()).hexdigest(),
                "eventSource": "aws:sqs",
                "eventSourceARN": "arn:aws:sqs:eu-central-1:123456789012:reactions",
                "awsRegion": "eu-central-1",
            }
            for one in messages
        ]
    }


def failed(response: dict[str, Any], event: dict[str, Any]) -> list[int]:
    ids = {one["itemIdentifier"] for one in response["batchItemFailures"]}
    return [n for n, record in enumerate(event["Records"]) if record["messageId"] in ids]


def written(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_batch_is_answered(worker: ModuleType, account: Account, api: WebApi) -> None:
    messages = [api.workspace.post("C0001", "U0WROTE", text) for text in ("thanks!", "bye")]
    event = batch(account, *map(body, messages))
    assert worker.handler(event, CONTEXT) == {"batchItemFailures": []}
    for message in messages:
        assert len(api.workspace.thread("C0001", message.ts)) == 2


@pytest.mark.parametrize("poison", ["not json", "[]", '{"event_id": "Ev1"}', "\U0001f480"])
def test_a_poisoned_record_fails_alone_and_comes_back_at_once(
    worker: ModuleType,
    account: Account,
    api: WebApi,
    poison: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    message = api.workspace.post("C0001", "U0WROTE", "thanks!")
    event = batch(account, poison, body(message))
    assert failed(worker.handler(event, CONTEXT), event) == [
        n for n, record in enumerate(event["Records"]) if record["body"] == poison
    ]
    assert len(api.workspace.thread("C0001", message.ts)) == 2
    assert any("RecordPoisoned" in record for record in written(capsys))
    [back] = account.sqs.receive_message(QueueUrl=account.queue_url, MaxNumberOfMessages=10)[
        "Messages"
    ]
    assert back["Body"] == poison


def test_a_batch_that_fails_whole_is_no_crash(
    worker: ModuleType, account: Account, api: WebApi, capsys: pytest.CaptureFixture[str]
) -> None:
    api.faults.add("conversations.replies", Fault(error="internal_error", status=500))
    message = api.workspace.post("C0001", "U0WROTE", "thanks!")
    event = batch(account, body(message))
    assert failed(worker.handler(event, CONTEXT), event) == [0]
    [returned] = [one for one in written(capsys) if "EventReturned" in one]
    assert returned["reason"] == "internal_error"


def test_a_rate_limited_event_comes_back_after_slacks_delay(
    worker: ModuleType, account: Account, api: WebApi
) -> None:
    fault = Fault(error="ratelimited", status=429, retry_after=600)
    api.faults.add("conversations.replies", fault)
    event = batch(account, body(api.workspace.post("C0001", "U0WROTE", "thanks!")))
    assert failed(worker.handler(event, CONTEXT), event) == [0]
    assert account.bodies() == []


def test_a_metric_tells_cold_from_warm(
    worker: ModuleType, account: Account, api: WebApi, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(3):
        message = api.workspace.post("C0001", "U0WROTE", "thanks!")
        worker.handler(batch(account, body(message)), CONTEXT)
    records = written(capsys)
    assert sum("ColdInvocation" in record for record in records) == 1
    assert sum("WarmInvocation" in record for record in records) == 2


def test_a_log_line_tells_event_channel_times_verdict_and_score(
    worker: ModuleType, account: Account, api: WebApi, capsys: pytest.CaptureFixture[str]
) -> None:
    message = api.workspace.post("C0001", "U0WROTE", "thanks!")
    worker.handler(batch(account, body(message)), CONTEXT)
    [line] = [one for one in written(capsys) if one.get("message") == "answered"]
    assert line["channel"] == "C0001"
    assert line["ts"] == message.ts
    assert line["verdict"] == "fine"
    assert {"event_id", "event_ts", "latency_ms", "score"} <= set(line)


def test_a_missing_model_stops_the_start_with_one_line(tmp_path: Path) -> None:
    started = subprocess.run(
        [sys.executable, "-c", "import handler.worker"],
        env={
            "QUEUE_URL": "http://127.0.0.1/q",
            "CLAIM_TABLE": "claims",
            "SIGNING_SECRET_NAME": "a",
            "BOT_TOKEN_NAME": "b",
            "AWS_DEFAULT_REGION": "eu-central-1",
            "MODEL_FOLDER": str(tmp_path / "nowhere"),
        },
        check=False,
        capture_output=True,
        text=True,
    )
    assert started.returncode == 1
    assert started.stderr.startswith("error: ")
    assert "nowhere/config.json" in started.stderr
    assert "python -m model_build build" in started.stderr
    assert started.stderr.count("\n") == 1


@pytest.mark.parametrize("tracing", ["off", "on"])
def test_tracing_is_a_setting(
    account: Account, api: WebApi, monkeypatch: pytest.MonkeyPatch, tracing: str
) -> None:
    monkeypatch.setenv("TRACING", tracing)
    monkeypatch.setenv("POWERTOOLS_TRACE_DISABLED", "true")
    monkeypatch.setenv("SLACK_API_URL", "http://127.0.0.1:9/api/")
    worker = start("handler.worker")
    message = api.workspace.post("C0001", "U0WROTE", "thanks!")
    event = batch(account, body(message))
    assert failed(worker.handler(event, CONTEXT), event) == [0]
