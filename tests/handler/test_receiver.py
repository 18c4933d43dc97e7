from __future__ import annotations

import base64
import hashlib
import hmac
import json
import subprocess
import sys
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from tests.handler.conftest import SIGNING_SECRET, Account, cold_start
from tests.handler.slack.test_events import CALLBACK, callback


def request(
    body: str | bytes,
    *,
    secret: str = SIGNING_SECRET,
    age: float = 0,
    encoded: bool = False,
    **headers: str | None,
) -> dict[str, Any]:
    """Return API Gateway's event for a request with a signed body."""
    raw = body.encode() if isinstance(body, str) else body
    timestamp = str(int(time.time() - age))
    signature = hmac.new(
        secret.encode(), b"v0:" + timestamp.encode() + b":" + raw, hashlib.sha256
    ).hexdigest()
    signed: dict[str, str | None] = {
        "X-Slack-Request-Timestamp": timestamp,
        "x-slack-signature": f"v0={signature}",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    return {
        "version": "2.0",
        "headers": {name: value for name, value in signed.items() if value is not None},
        "body": base64.b64encode(raw).decode() if encoded else raw.decode(errors="replace"),
        "isBase64Encoded": encoded,
    }


def call(receiver: ModuleType, event: dict[str, Any]) -> tuple[int, str]:
    response = receiver.handler(event, None)
    return response["statusCode"], response["body"]


@pytest.mark.parametrize("encoded", [False, True])
def test_a_signed_reaction_is_enqueued_once_and_answered_200(
    receiver: ModuleType, account: Account, encoded: bool
) -> None:
    status, _ = call(receiver, request(json.dumps(CALLBACK), encoded=encoded))
    assert status == 200
    [body] = account.queued_bodies()
    assert body["event_id"] == "Ev0001"


def test_slacks_challenge_is_echoed(receiver: ModuleType) -> None:
    body = json.dumps({"type": "url_verification", "challenge": "3eZbrw1aB"})
    assert call(receiver, request(body)) == (200, "3eZbrw1aB")


@pytest.mark.parametrize(
    "event",
    [
        lambda: request(json.dumps(CALLBACK), secret="another secret"),
        lambda: request(json.dumps(CALLBACK), age=330),
        lambda: request(json.dumps(CALLBACK), age=-330),
        lambda: request(json.dumps(CALLBACK), x_slack_signature=None),
        lambda: request(json.dumps(CALLBACK), x_slack_signature="v0=é"),
        lambda: {**request(json.dumps(CALLBACK)), "headers": {}},
        lambda: {**request(json.dumps(CALLBACK)), "headers": None},
        lambda: {**request(json.dumps(CALLBACK)), "body": json.dumps(callback(user="U0OTHER"))},
        lambda: {**request(json.dumps(CALLBACK)), "body": None},
        lambda: {**request(json.dumps(CALLBACK)), "body": "not base64!", "isBase64Encoded": True},
        dict,
    ],
    ids=[
        "wrong-secret",
        "stale",
        "from-the-future",
        "missing",
        "not-ascii",
        "no-headers",
        "null-headers",
        "for-another-body",
        "no-body",
        "broken-base64",
        "empty-event",
    ],
)
def test_a_request_without_a_fresh_signature_from_slack_is_refused(
    receiver: ModuleType,
    account: Account,
    event: Callable[[], dict[str, Any]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, body = call(receiver, event())
    assert status == 401
    assert "\n" not in body
    assert account.queued_bodies() == []
    assert metric(capsys, "RequestRefused")["reason"] == "signature"


def test_a_timestamp_that_is_not_a_number_is_refused(receiver: ModuleType) -> None:
    event = request("{}")
    event["headers"]["X-Slack-Request-Timestamp"] = "now"
    assert call(receiver, event)[0] == 401


@pytest.mark.parametrize("body", ["", "payload=x", "[]", '{"type": 1}', "\x00"])
def test_a_signed_body_with_an_unexpected_shape_is_malformed(
    receiver: ModuleType, account: Account, body: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, line = call(receiver, request(body))
    assert status == 400
    assert "\n" not in line
    assert account.queued_bodies() == []
    assert metric(capsys, "RequestRefused")["reason"] == "malformed"


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (callback(reaction="tada"), "other_reaction"),
        (callback(type="reaction_removed"), "other_event_type"),
        (callback(type="some_future_event"), "other_event_type"),
        (callback(user="U0BOT"), "by_the_bot"),
    ],
)
def test_an_event_that_needs_no_answer_is_dropped_and_counted(
    receiver: ModuleType,
    account: Account,
    raw: dict[str, Any],
    reason: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert call(receiver, request(json.dumps(raw)))[0] == 200
    assert account.queued_bodies() == []
    assert metric(capsys, "EventDropped")["reason"] == reason


@pytest.mark.parametrize("encoded", [False, True])
def test_a_body_over_a_megabyte_is_too_large(
    receiver: ModuleType, account: Account, encoded: bool
) -> None:
    body = json.dumps({**CALLBACK, "padding": "x" * 1_000_000})
    assert call(receiver, request(body, encoded=encoded))[0] == 413
    assert account.queued_bodies() == []


def test_an_event_that_cannot_be_enqueued_is_never_answered_200(
    receiver: ModuleType, account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    account.sqs.delete_queue(QueueUrl=account.queue_url)
    try:
        assert call(receiver, request(json.dumps(CALLBACK)))[0] == 500
        assert metric(capsys, "EnqueueFailed")
    finally:
        account.sqs.create_queue(QueueName="reactions")


def test_without_the_signing_secret_slack_is_asked_to_retry(
    account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGNING_SECRET_NAME", "no-such-secret")
    assert call(cold_start("handler.receiver"), request(json.dumps(CALLBACK)))[0] == 500
    assert account.queued_bodies() == []


def test_neither_secrets_nor_request_bodies_reach_the_log(
    receiver: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    for body in (json.dumps(CALLBACK | {"note": "a private word"}), "a private word"):
        call(receiver, request(body))
        call(receiver, request(body, secret="wrong"))
    captured = capsys.readouterr()
    for private in (SIGNING_SECRET, "a private word", "v0="):
        assert private not in captured.out + captured.err


def test_the_receiver_does_not_import_the_model() -> None:
    imported = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, handler.receiver; print(*sys.modules)",
        ],
        env={
            "QUEUE_URL": "http://127.0.0.1/q",
            "CLAIM_TABLE": "claims",
            "SIGNING_SECRET_NAME": "a",
            "BOT_TOKEN_NAME": "b",
            "AWS_DEFAULT_REGION": "eu-central-1",
        },
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    heavy = {"onnxruntime", "tokenizers", "numpy", "slack_sdk", "torch", "transformers"}
    assert not heavy & set(imported)


def test_a_missing_setting_stops_startup_with_a_one_line_error() -> None:
    process = subprocess.run(
        [sys.executable, "-c", "import handler.receiver"],
        env={},
        check=False,
        capture_output=True,
        text=True,
    )
    assert process.returncode == 1
    assert process.stderr.startswith("error: set the environment variable")
    assert process.stderr.count("\n") == 1


def metric(capsys: pytest.CaptureFixture[str], name: str) -> dict[str, Any]:
    """Return the EMF record of a metric."""
    for line in capsys.readouterr().out.splitlines():
        record: dict[str, Any] = json.loads(line)
        if name in record:
            return record
    raise AssertionError(f"the metric {name} was not written")
