from __future__ import annotations

import base64
import gc
import hashlib
import hmac
import json
import subprocess
import sys
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.aws_account import SIGNING_SECRET, Account, Admin, cold_start
from tests.slack.web_api.test_events import CALLBACK, callback
from tests.slack.web_api.test_interactions import CLICK, COMMAND, SHORTCUT
from toxic_bot.slack.request_handler import REFRESH_INTERVAL


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
        lambda: request(json.dumps(CALLBACK), x_slack_signature="v0=é"),
        lambda: {**request(json.dumps(CALLBACK)), "body": json.dumps(callback(user="U0OTHER"))},
        lambda: {**request(json.dumps(CALLBACK)), "body": None},
        lambda: {**request(json.dumps(CALLBACK)), "body": "not base64!", "isBase64Encoded": True},
    ],
    ids=[
        "wrong-secret",
        "stale",
        "from-the-future",
        "not-ascii",
        "for-another-body",
        "no-body",
        "broken-base64",
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


@pytest.mark.parametrize(
    "event",
    [
        lambda: request(json.dumps(CALLBACK), x_slack_signature=None),
        lambda: {**request(json.dumps(CALLBACK)), "headers": {}},
        lambda: {**request(json.dumps(CALLBACK)), "headers": None},
        dict,
    ],
    ids=["no-signature", "no-headers", "null-headers", "empty-event"],
)
def test_a_request_that_nobody_signed_is_refused_and_counted_apart(
    receiver: ModuleType,
    account: Account,
    event: Callable[[], dict[str, Any]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert call(receiver, event())[0] == 401
    assert account.queued_bodies() == []
    assert metric(capsys, "RequestRefused")["reason"] == "unsigned"


def test_a_rotated_signing_secret_is_fetched_at_the_first_wrong_signature(
    receiver: ModuleType, admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = json.dumps(callback(reaction="tada"))
    assert call(receiver, request(body))[0] == 200
    admin.secrets.put_secret_value(SecretId="signing-secret", SecretString="second" * 5)
    assert call(receiver, request(body, secret="second" * 5))[0] == 200
    # A flood of wrong signatures must not become a flood of calls to Secrets Manager.
    admin.secrets.put_secret_value(SecretId="signing-secret", SecretString="third" * 5)
    assert call(receiver, request(body, secret="third" * 5))[0] == 401
    request_handler = receiver.request_handler
    monkeypatch.setattr(
        request_handler, "_refreshed", request_handler._refreshed - REFRESH_INTERVAL
    )
    assert call(receiver, request(body, secret="third" * 5))[0] == 200


@pytest.mark.parametrize(
    ("event", "status", "final"),
    [
        (lambda: request("not JSON"), 400, True),
        (lambda: request("x" * 1_000_001), 413, True),
        (lambda: request("{}", secret="another secret"), 401, False),
        (lambda: request(json.dumps(CALLBACK)), 200, False),
    ],
)
def test_slack_is_asked_not_to_send_again_what_would_be_refused_again(
    receiver: ModuleType, event: Callable[[], dict[str, Any]], status: int, final: bool
) -> None:
    response = receiver.handler(event(), None)
    assert response["statusCode"] == status
    assert (response["headers"].get("x-slack-no-retry") == "1") is final


def test_a_retry_is_counted(receiver: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    body = json.dumps(callback(reaction="tada"))
    assert call(receiver, request(body))[0] == 200
    assert "RetryReceived" not in capsys.readouterr().out
    assert call(receiver, request(body, X_Slack_Retry_Num="1"))[0] == 200
    assert metric(capsys, "RetryReceived")["service"]


def test_slacks_notice_that_it_withholds_events_is_counted(
    receiver: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    notice = {
        "token": "unused",
        "type": "app_rate_limited",
        "team_id": "T0LOCAL01",
        "minute_rate_limited": 1_766_000_100,
        "api_app_id": "A0LOCAL01",
    }
    assert call(receiver, request(json.dumps(notice)))[0] == 200
    assert metric(capsys, "EventDropped")["reason"] == "app_rate_limited"


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
            "TEXT_QUEUE_URL": "http://127.0.0.1/t",
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


def form(fields: dict[str, Any]) -> dict[str, Any]:
    return request(urlencode(fields), content_type="application/x-www-form-urlencoded")


def test_a_command_is_acknowledged_in_silence_and_its_text_stays_out_of_the_main_queue(
    receiver: ModuleType, account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    command = COMMAND | {"text": "zeppelinkanarie"}
    assert call(receiver, form(command)) == (200, "")
    assert account.queued_bodies() == []
    [body] = account.queued_bodies(account.text_queue_url)
    assert (body["gesture"], body["text"]) == ("command", "zeppelinkanarie")
    written = capsys.readouterr().out
    assert "zeppelinkanarie" not in written
    assert "hooks.slack.com" not in written


def test_a_shortcut_is_acknowledged_and_its_text_stays_out_of_the_main_queue(
    receiver: ModuleType, account: Account
) -> None:
    assert call(receiver, form({"payload": json.dumps(SHORTCUT)})) == (200, "")
    assert account.queued_bodies() == []
    [body] = account.queued_bodies(account.text_queue_url)
    assert (body["gesture"], body["text"]) == ("shortcut", SHORTCUT["message"]["text"])


def test_a_click_is_acknowledged_and_queued_without_a_text(
    receiver: ModuleType, account: Account
) -> None:
    assert call(receiver, form({"payload": json.dumps(CLICK)})) == (200, "")
    assert account.queued_bodies(account.text_queue_url) == []
    [body] = account.queued_bodies()
    assert "text" not in body


def test_a_command_without_a_text_is_answered_at_once(
    receiver: ModuleType, account: Account
) -> None:
    status, body = call(receiver, form(COMMAND | {"text": ""}))
    assert status == 200
    assert "/toxic" in body
    assert account.queued_bodies(account.text_queue_url) == []


def test_a_form_needs_the_same_signature_as_an_event(
    receiver: ModuleType, account: Account
) -> None:
    forged = request(
        urlencode(COMMAND), secret="another", content_type="application/x-www-form-urlencoded"
    )
    assert call(receiver, forged)[0] == 401
    stale = request(urlencode(COMMAND), age=330, content_type="application/x-www-form-urlencoded")
    assert call(receiver, stale)[0] == 401
    assert account.queued_bodies(account.text_queue_url) == []


def test_a_malformed_form_is_refused_for_good(receiver: ModuleType) -> None:
    response = receiver.handler(form({"payload": "{"}), None)
    assert response["statusCode"] == 400
    assert response["headers"]["x-slack-no-retry"] == "1"


def test_garbage_is_collected_once_the_receiver_has_started(
    receiver: ModuleType,  # noqa: ARG001 - it has started
) -> None:
    assert gc.isenabled()
    assert gc.get_freeze_count() > 0
