from __future__ import annotations

import gc
import hashlib
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from moto.sqs.models import sqs_backends

from benchmarks.cost import Workload
from handler.sqs_record import REHEARSAL
from simulators.slack.faults import Fault
from simulators.slack.methods import Grant, WebApi
from simulators.slack.rate_limits import NO_LIMITS
from simulators.slack.server import application
from simulators.slack.workspace import Channel, Message, Person, Workspace
from tests.aws_account import BOT_TOKEN, Account, Admin, SlackServer, cold_start
from toxic_bot.slack import composition
from toxic_bot.slack.answers.answer_posts import AnswerPosts
from toxic_bot.slack.answers.verdict_counts import PREFIX
from toxic_bot.slack.composition import compose
from toxic_bot.slack.gesture_router import GestureRouter
from toxic_bot.slack.gestures.event_gestures import Reaction
from toxic_bot.slack.gestures.report_gestures import Report, ReportedMessage
from toxic_bot.slack.i18n.translation import Language
from toxic_bot.slack.retry import TryAgainError

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
def worker(
    account: Account,  # noqa: ARG001 - it must exist first
    slack_server: SlackServer,
    api: WebApi,
    monkeypatch: pytest.MonkeyPatch,
) -> ModuleType:
    slack_server.serve(application(api, "U0WROTE"))
    monkeypatch.setenv("SLACK_API_URL", f"{slack_server.address}/api/")
    return cold_start("handler.worker")


def test_preload_loads_every_model_at_the_cold_start(
    worker: ModuleType,
    folder_with_damaged_languages: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MODEL_FOLDER", str(folder_with_damaged_languages))
    assert cold_start("handler.worker") is not worker
    monkeypatch.setenv("PRELOAD", "on")
    with pytest.raises(SystemExit, match="multilingual"):
        cold_start("handler.worker")


def reaction_body(message: Message) -> str:
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
    """Put bodies on the queue and return the event that Lambda would build from them."""
    sent = {
        account.sqs.send_message(QueueUrl=account.queue_url, MessageBody=body)["MessageId"]
        for body in bodies
    }
    received = account.sqs.receive_message(
        QueueUrl=account.queue_url, MaxNumberOfMessages=10, AttributeNames=["All"]
    )["Messages"]
    # On a slow machine, copies that were to wait are there again, too.
    messages = [message for message in received if message["MessageId"] in sent]
    assert len(messages) == len(bodies)
    return {
        "Records": [
            {
                "messageId": message["MessageId"],
                "receiptHandle": message["ReceiptHandle"],
                "body": message["Body"],
                "attributes": message["Attributes"],
                "messageAttributes": {},
                "md5OfBody": hashlib.md5(message["Body"].encode()).hexdigest(),
                "eventSource": "aws:sqs",
                "eventSourceARN": "arn:aws:sqs:eu-central-1:123456789012:reactions",
                "awsRegion": "eu-central-1",
            }
            for message in messages
        ]
    }


def test_the_bot_is_composed_once_whatever_is_answered(
    account: Account, api: WebApi, worker: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    routers = []

    def composed(*parts: Any) -> GestureRouter:
        routers.append(compose(*parts))
        return routers[-1]

    monkeypatch.setattr(composition, "compose", composed)
    worker = cold_start("handler.worker")
    messages = [api.workspace.post("C0001", "U0WROTE", "You are an idiot.") for _ in range(2)]
    for message in messages:
        worker.handler(batch(account, reaction_body(message)), CONTEXT)
    posts = [call for call in api.calls if call.method == "chat.postMessage"]
    assert len(posts) == len(messages)
    assert routers == [worker.router]


def failed_records(response: dict[str, Any], event: dict[str, Any]) -> list[int]:
    ids = {failure["itemIdentifier"] for failure in response["batchItemFailures"]}
    return [n for n, record in enumerate(event["Records"]) if record["messageId"] in ids]


def log_records(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


REHEARSED = {REHEARSAL: True, "Records": []}


@pytest.mark.parametrize("mode", ["thread", "ephemeral", "nudge"])
def test_a_rehearsed_gesture_is_judged_and_neither_posted_nor_counted(
    account: Account,  # noqa: ARG001 - it must exist first
    api: WebApi,
    slack_server: SlackServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    admin: Admin,
    mode: str,
) -> None:
    monkeypatch.setenv("ANSWER", mode)
    monkeypatch.setenv("SLACK_API_URL", f"{slack_server.address}/api/")
    slack_server.serve(application(api, "U0WROTE"))
    worker = cold_start("handler.worker")
    assert worker.handler(REHEARSED, CONTEXT) == {"batchItemFailures": []}
    assert api.calls == []
    records = log_records(capsys)
    assert [one["verdict"] for one in records if one.get("message") == "answered"] == ["toxic"]
    assert not [one for one in records if "_aws" in one]
    items = admin.dynamodb.scan(TableName="claims")["Items"]
    assert items
    assert not [one for one in items if one["id"]["S"].startswith(PREFIX)]


def test_every_rehearsal_judges_however_small_the_budgets_are(
    account: Account,  # noqa: ARG001 - it must exist first
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("USER_BUDGET", "1")
    monkeypatch.setenv("CHANNEL_BUDGET", "1")
    worker = cold_start("handler.worker")
    for _ in range(3):
        assert worker.handler(REHEARSED, CONTEXT) == {"batchItemFailures": []}
    assert [one.get("message") for one in log_records(capsys)].count("answered") == 3


def break_model(worker: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker.classifier, "classify", lambda _: 1 / 0)


def break_token(worker: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    read = worker.bot_token.func
    monkeypatch.setattr(worker, "bot_token", partial(read, "no-such-secret"))


def break_table(worker: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = replace(worker.settings, claim_table="no-such-table")
    monkeypatch.setattr(worker, "settings", settings)


def break_answer(
    worker: ModuleType,  # noqa: ARG001 - as the others
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(AnswerPosts, "create", lambda *_: 1 / 0)


@pytest.mark.parametrize("break_something", [break_model, break_token, break_table, break_answer])
def test_a_rehearsed_gesture_fails_where_every_gesture_would(
    worker: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    break_something: Callable[[ModuleType, pytest.MonkeyPatch], None],
) -> None:
    break_something(worker, monkeypatch)
    with pytest.raises((TryAgainError, ZeroDivisionError)):
        worker.handler(REHEARSED, CONTEXT)


def test_every_reaction_in_a_batch_is_answered(
    worker: ModuleType, account: Account, api: WebApi
) -> None:
    messages = [api.workspace.post("C0001", "U0WROTE", text) for text in ("thanks!", "bye")]
    event = batch(account, *map(reaction_body, messages))
    assert worker.handler(event, CONTEXT) == {"batchItemFailures": []}
    for message in messages:
        assert len(api.workspace.thread("C0001", message.ts)) == 2


def test_a_verdict_costs_what_the_page_on_costs_counts(
    worker: ModuleType, account: Account, api: WebApi
) -> None:
    calls: list[str] = []
    worker.table.meta.events.register(
        "before-call.dynamodb", lambda model, **_: calls.append(model.name)
    )
    for text in ("thanks!", "you are a pathetic idiot"):
        message = api.workspace.post("C0001", "U0WROTE", text)
        worker.handler(batch(account, reaction_body(message)), CONTEXT)
    writes = [name for name in calls if name != "BatchGetItem"]
    assert set(writes) <= {"PutItem", "UpdateItem"}
    assert len(writes) == 2 * Workload().table_writes
    # The settings of a channel are kept for a while.
    assert calls.count("BatchGetItem") == 1


@pytest.mark.parametrize("poison", ["not json", "[]", '{"event_id": "Ev1"}', "\U0001f480"])
@pytest.mark.slow
def test_a_poisoned_record_fails_alone_and_returns_to_the_queue_at_once(
    worker: ModuleType,
    account: Account,
    api: WebApi,
    poison: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    message = api.workspace.post("C0001", "U0WROTE", "thanks!")
    event = batch(account, poison, reaction_body(message))
    assert failed_records(worker.handler(event, CONTEXT), event) == [
        n for n, record in enumerate(event["Records"]) if record["body"] == poison
    ]
    assert len(api.workspace.thread("C0001", message.ts)) == 2
    assert any("RecordPoisoned" in record for record in log_records(capsys))
    [returned] = account.sqs.receive_message(QueueUrl=account.queue_url, MaxNumberOfMessages=10)[
        "Messages"
    ]
    assert returned["Body"] == poison


def waiting_bodies(account: Account) -> list[dict[str, Any]]:
    """Let the delay of what waits on the queue pass, and return the bodies."""
    for queue in sqs_backends["123456789012"]["eu-central-1"].queues.values():
        for message in queue._messages:
            message.delayed_until = 0
    return account.queued_bodies()


def test_a_reaction_that_slack_fails_waits_as_a_delayed_copy_and_uses_up_no_receive(
    worker: ModuleType, account: Account, api: WebApi, capsys: pytest.CaptureFixture[str]
) -> None:
    api.faults.add("conversations.replies", Fault(error="internal_error", status=500))
    message = api.workspace.post("C0001", "U0WROTE", "thanks!")
    event = batch(account, reaction_body(message))
    assert worker.handler(event, CONTEXT) == {"batchItemFailures": []}
    [metric] = [record for record in log_records(capsys) if "EventReturned" in record]
    assert metric["reason"] == "internal_error"
    [body] = waiting_bodies(account)
    assert (body["ts"], body["waits"]) == (message.ts, 1)
    worker.handler(batch(account, json.dumps(body)), CONTEXT)
    assert len(api.workspace.thread("C0001", message.ts)) == 2


def test_a_wait_for_slack_is_logged_with_its_seconds_and_counted_by_method(
    worker: ModuleType, account: Account, api: WebApi, capsys: pytest.CaptureFixture[str]
) -> None:
    limited = Fault(error="ratelimited", status=429, retry_after=40)
    api.faults.add("conversations.replies", limited)
    message = api.workspace.post("C0001", "U0WROTE", "thanks!")
    worker.handler(batch(account, reaction_body(message)), CONTEXT)
    records = log_records(capsys)
    [metric] = [record for record in records if "EventReturned" in record]
    assert metric["reason"] == "ratelimited_conversations_replies"
    [limit] = [one for one in records if one.get("message") == "Slack limits a method"]
    assert (limit["method"], limit["seconds"]) == ("conversations_replies", 40)
    [wait] = [one for one in records if "gesture waits" in str(one.get("message"))]
    assert "wait 40 seconds before the next conversations_replies" in wait["message"]
    assert wait["delay"] >= 39


def test_a_rate_limited_reaction_stays_invisible_for_slacks_delay(
    worker: ModuleType, account: Account, api: WebApi
) -> None:
    fault = Fault(error="ratelimited", status=429, retry_after=600)
    api.faults.add("conversations.replies", fault)
    event = batch(account, reaction_body(api.workspace.post("C0001", "U0WROTE", "thanks!")))
    assert worker.handler(event, CONTEXT) == {"batchItemFailures": []}
    delayed = account.sqs.get_queue_attributes(
        QueueUrl=account.queue_url, AttributeNames=["ApproximateNumberOfMessagesDelayed"]
    )["Attributes"]["ApproximateNumberOfMessagesDelayed"]
    assert delayed == "1"


def test_no_reaction_is_begun_with_too_little_time_left(
    worker: ModuleType, account: Account, api: WebApi
) -> None:
    event = batch(account, reaction_body(api.workspace.post("C0001", "U0WROTE", "thanks!")))
    hurried = SimpleNamespace(**vars(CONTEXT) | {"get_remaining_time_in_millis": lambda: 5_000})
    assert worker.handler(event, hurried) == {"batchItemFailures": []}
    assert api.calls == []
    assert len(waiting_bodies(account)) == 1


def test_a_reaction_that_has_waited_for_hours_goes_to_the_dead_letters_with_its_reason(
    worker: ModuleType, account: Account, api: WebApi, capsys: pytest.CaptureFixture[str]
) -> None:
    api.faults.add("conversations.replies", Fault(error="internal_error", status=500))
    message = api.workspace.post("C0001", "U0WROTE", "thanks!")
    body = json.loads(reaction_body(message)) | {"waits": 9, "waited": 3 * 3600.0}
    event = batch(account, json.dumps(body))
    assert failed_records(worker.handler(event, CONTEXT), event) == [0]
    [line] = [one for one in log_records(capsys) if one.get("level") == "ERROR"]
    assert "gave up waiting: Slack answered internal_error" in line["message"]
    assert line["event_id"] == body["event_id"]


def test_a_report_that_has_waited_for_hours_is_not_lost(
    worker: ModuleType, account: Account, api: WebApi
) -> None:
    api.faults.add("conversations.history", Fault(error="internal_error", status=500))
    now = f"{time.time():.6f}"
    message = ReportedMessage("C0001", now, "U0WROTE", "toxic", 0.9, "insult")
    report = Report(
        event_id="1.2.abc",
        event_ts=now,
        team="T0001",
        user="U0ASKS",
        channel="C0001",
        message=message,
        reason="insult",
        word="again",
        anonymous=True,
        language=Language.ENGLISH,
    )
    body = json.loads(report.to_json()) | {"waits": 9, "waited": 3 * 3600.0}
    event = batch(account, json.dumps(body))
    assert failed_records(worker.handler(event, CONTEXT), event) == [0]


def test_an_unexpected_error_is_logged_with_its_event_and_place_but_not_its_message(
    worker: ModuleType,
    account: Account,
    api: WebApi,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(text: str) -> None:
        raise RuntimeError(f"cannot judge {text}")

    monkeypatch.setattr(worker.classifier, "classify", fail)
    message = api.workspace.post("C0001", "U0WROTE", "a private word")
    event = batch(account, reaction_body(message))
    assert failed_records(worker.handler(event, CONTEXT), event) == [0]
    printed = capsys.readouterr().out
    assert "a private word" not in printed
    lines = [json.loads(line) for line in printed.splitlines()]
    [line] = [one for one in lines if one.get("message") == "gesture failed"]
    assert line["event_id"] == f"Ev{message.ts.replace('.', '')}"
    assert line["error"] == "RuntimeError"
    assert re.search(r"test_worker\.py:\d+$", line["where"])


def test_a_reaction_that_is_received_again_says_so(
    worker: ModuleType, account: Account, api: WebApi, capsys: pytest.CaptureFixture[str]
) -> None:
    event = batch(account, reaction_body(api.workspace.post("C0001", "U0WROTE", "thanks!")))
    event["Records"][0]["attributes"]["ApproximateReceiveCount"] = "3"
    worker.handler(event, CONTEXT)
    [line] = [r for r in log_records(capsys) if r.get("message") == "gesture received again"]
    assert line["receives"] == 3
    assert line["event_id"]


def test_cold_and_warm_invocations_are_counted_separately(
    worker: ModuleType, account: Account, api: WebApi, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(3):
        message = api.workspace.post("C0001", "U0WROTE", "thanks!")
        worker.handler(batch(account, reaction_body(message)), CONTEXT)
    records = log_records(capsys)
    assert sum("ColdInvocation" in record for record in records) == 1
    assert sum("WarmInvocation" in record for record in records) == 2


def test_an_answer_is_logged_with_event_channel_times_verdict_and_score(
    worker: ModuleType, account: Account, api: WebApi, capsys: pytest.CaptureFixture[str]
) -> None:
    message = api.workspace.post("C0001", "U0WROTE", "thanks!")
    worker.handler(batch(account, reaction_body(message)), CONTEXT)
    [line] = [record for record in log_records(capsys) if record.get("message") == "answered"]
    assert line["channel"] == "C0001"
    assert line["ts"] == message.ts
    assert line["verdict"] == "fine"
    assert {"event_id", "event_ts", "latency_ms", "score"} <= set(line)


def test_a_missing_model_stops_startup_with_a_one_line_error(tmp_path: Path) -> None:
    process = subprocess.run(
        [sys.executable, "-c", "import handler.worker"],
        env={
            "QUEUE_URL": "http://127.0.0.1/q",
            "TEXT_QUEUE_URL": "http://127.0.0.1/t",
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
    assert process.returncode == 1
    assert process.stderr.startswith("error: ")
    assert "nowhere/config.json" in process.stderr
    assert "python -m model_build build" in process.stderr
    assert process.stderr.count("\n") == 1


@pytest.mark.parametrize("tracing", ["off", "on"])
def test_the_worker_runs_with_and_without_tracing(
    account: Account, api: WebApi, monkeypatch: pytest.MonkeyPatch, tracing: str
) -> None:
    monkeypatch.setenv("TRACING", tracing)
    monkeypatch.setenv("POWERTOOLS_TRACE_DISABLED", "true")
    monkeypatch.setenv("SLACK_API_URL", "http://127.0.0.1:9/api/")
    worker = cold_start("handler.worker")
    message = api.workspace.post("C0001", "U0WROTE", "thanks!")
    event = batch(account, reaction_body(message))
    assert worker.handler(event, CONTEXT) == {"batchItemFailures": []}
    assert len(waiting_bodies(account)) == 1


def test_garbage_is_collected_once_the_worker_has_started(
    worker: ModuleType,  # noqa: ARG001 - it has started
) -> None:
    assert gc.isenabled()
    assert gc.get_freeze_count() > 0
