"""Alarms on the bot's own metrics: what makes them ring is played, and the template evaluated."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from handler.secrets import SecretReader
from handler.telemetry import FUNCTION_VERSION, NAMESPACE, powertools
from simulators.aws.alarms import embedded, rings
from simulators.slack.faults import Fault
from simulators.slack.methods import WebApi
from tests.aws_account import Account
from tests.handler.test_receiver import request
from tests.handler.test_worker import CONTEXT, api, batch, log_records, reaction_body, worker
from tests.slack.web_api.test_events import CALLBACK
from tests.template import declared
from toxic_bot.slack.gestures.gesture import RESPONSE_LIFETIME
from toxic_bot.slack.gestures.private_requests import Shortcut
from toxic_bot.slack.telemetry import drop_metrics
from toxic_bot.slack.web_api.remedies import TOKEN_ERRORS

__all__ = ["api", "worker"]

Ringing = Callable[[], set[str]]


def resolved(value: Any) -> str:
    """Return a namespace or a dimension's value as the functions of these tests write it."""
    if value == {"Fn::Sub": "ToxicBot/${Stage}"}:
        return NAMESPACE
    if "Version.Version" in str(value):
        return FUNCTION_VERSION
    return value if isinstance(value, str) else json.dumps(value)


@pytest.fixture
def ringing(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ringing:
    """Returns the alarms that ring for what the worker has counted since the last call."""
    monkeypatch.setattr(powertools, "service", "worker")
    # Tests that invoke no function leave in the process what they have counted.
    drop_metrics()

    def names() -> set[str]:
        came_out = list(embedded(log_records(capsys)))
        return {
            alarm["AlarmName"]["Fn::Sub"].removeprefix("${AWS::StackName}-")
            for alarm in declared.resources("AWS::CloudWatch::Alarm").values()
            if rings(alarm, came_out, resolved)
        }

    return names


def answer(worker: ModuleType, account: Account, api: WebApi) -> None:
    message = api.workspace.post("C0001", "U0WROTE", "thanks!")
    worker.handler(batch(account, reaction_body(message)), CONTEXT)


def test_no_alarm_rings_for_an_answer(
    worker: ModuleType, account: Account, api: WebApi, ringing: Ringing
) -> None:
    answer(worker, account, api)
    assert ringing() == set()


@pytest.mark.parametrize("error", sorted(TOKEN_ERRORS))
def test_a_dead_token_rings_at_the_first_gesture(
    worker: ModuleType, account: Account, api: WebApi, ringing: Ringing, error: str
) -> None:
    # Slack rejects the cached token, and the fresh one too.
    api.faults.add("conversations.replies", Fault(error=error), times=2)
    answer(worker, account, api)
    assert "slack-access" in ringing()


def test_a_token_that_was_rotated_rings_nothing(
    worker: ModuleType, account: Account, api: WebApi, ringing: Ringing
) -> None:
    api.faults.add("conversations.replies", Fault(error="token_revoked"))
    answer(worker, account, api)
    assert ringing() == set()


@pytest.mark.parametrize("error", ["missing_scope", "no_permission"])
def test_a_missing_scope_rings(
    worker: ModuleType, account: Account, api: WebApi, ringing: Ringing, error: str
) -> None:
    api.faults.add("conversations.replies", Fault(error=error))
    answer(worker, account, api)
    assert ringing() == {"slack-access"}


def later(body: str, **changed: Any) -> str:
    """Return a gesture's message as it is after it has waited."""
    return json.dumps(json.loads(body) | changed)


def break_network(worker: ModuleType, api: WebApi) -> None:  # noqa: ARG001 - as the others
    api.faults.add("conversations.replies", Fault(error="internal_error", status=500), times=9)


def break_secret(worker: ModuleType, api: WebApi) -> None:
    api.faults.clear()
    worker.slack._calls._token = partial(
        SecretReader(worker.settings.secret_store, worker.BOTO).read, "no-such-secret"
    )


def break_claims(worker: ModuleType, api: WebApi) -> None:
    api.faults.clear()
    worker.store._name = "no-such-table"


@pytest.mark.parametrize("break_something", [break_network, break_secret, break_claims])
def test_one_gesture_that_cannot_be_answered_rings_within_five_minutes(
    worker: ModuleType,
    account: Account,
    api: WebApi,
    ringing: Ringing,
    break_something: Callable[[ModuleType, WebApi], None],
) -> None:
    break_something(worker, api)
    body = reaction_body(api.workspace.post("C0001", "U0WROTE", "thanks!"))
    worker.handler(batch(account, body), CONTEXT)
    assert ringing() == set()
    for waits in range(1, 4):
        # The delays before these are 5, 10 and 20 seconds at most.
        worker.handler(batch(account, later(body, waits=waits, waited=5.0)), CONTEXT)
    assert ringing() == {"gestures-returned"}


def test_a_rate_limit_rings_nothing_until_somebody_has_waited_for_ten_minutes(
    worker: ModuleType, account: Account, api: WebApi, ringing: Ringing
) -> None:
    limited = Fault(error="ratelimited", status=429, retry_after=1)
    bodies = [reaction_body(api.workspace.post("C0001", "U0WROTE", "hi")) for _ in range(4)]
    for body in bodies:
        api.faults.add("conversations.replies", limited)
        worker.handler(batch(account, body), CONTEXT)
    assert ringing() == set()
    # A copy of a copy, which SQS has had for a second.
    long_ago = time.time() - 900
    body = later(bodies[0], event_ts=f"{long_ago:.6f}", waits=9, waited=899.0)
    api.faults.add("conversations.replies", limited)
    worker.slack._calls._braked_until.clear()
    worker.handler(batch(account, body), CONTEXT)
    assert ringing() == {"oldest-message"}


def test_a_worker_that_fails_at_a_gesture_rings(
    worker: ModuleType,
    account: Account,
    api: WebApi,
    ringing: Ringing,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worker.classifier, "classify", lambda _: 1 / 0)
    answer(worker, account, api)
    assert ringing() == {"worker-errors", "worker-release"}


def test_a_poisoned_record_rings(worker: ModuleType, account: Account, ringing: Ringing) -> None:
    worker.handler(batch(account, "no gesture"), CONTEXT)
    assert ringing() == {"worker-errors", "worker-release"}


def test_a_receiver_that_cannot_queue_takes_back_only_its_own_version(
    receiver: ModuleType, ringing: Ringing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(powertools, "service", "receiver")
    monkeypatch.setattr(
        receiver, "settings", replace(receiver.settings, queue_url="http://nowhere")
    )
    assert receiver.handler(request(json.dumps(CALLBACK)), None)["statusCode"] == 500
    assert ringing() == {"receiver-release"}
    monkeypatch.setattr("handler.telemetry.FUNCTION_VERSION", "an earlier one")
    assert receiver.handler(request(json.dumps(CALLBACK)), None)["statusCode"] == 500
    assert ringing() == set()


@pytest.mark.parametrize("name", ["ReceiverReleaseAlarm", "WorkerReleaseAlarm"])
def test_nobody_is_told_of_a_rollback_that_there_is_not(name: str) -> None:
    # Outside of a deployment, the version that it watches is the one that has been there for weeks.
    alarm = declared.resource(name)
    assert not {"AlarmActions", "OKActions", "InsufficientDataActions"} & set(alarm)


def test_a_poisoned_text_is_deleted_because_no_other_queue_would_take_it(
    worker: ModuleType, account: Account, ringing: Ringing
) -> None:
    event = batch(account, "no gesture")
    event["Records"][0]["eventSourceARN"] = "arn:aws:sqs:eu-central-1:123456789012:texts"
    assert worker.handler(event, CONTEXT) == {"batchItemFailures": []}
    assert "worker-errors" in ringing()


@pytest.mark.parametrize("seconds_left", [20, 1], ids=["expired", "given-up"])
def test_a_gesture_that_nobody_answers_in_time_rings(
    worker: ModuleType, account: Account, ringing: Ringing, seconds_left: int
) -> None:
    clicked = time.time() - RESPONSE_LIFETIME - 60
    shortcut = Shortcut(
        event_id="1.2.3",
        event_ts=f"{clicked:.6f}",
        team="T0001",
        user="U0WROTE",
        channel="C0001",
        ts="1766000000.000100",
        thread=None,
        author=None,
        text="thanks for the review",
        response_url="https://hooks.slack.com/actions/1",
    )
    left = {"get_remaining_time_in_millis": lambda: seconds_left * 1000}
    context = SimpleNamespace(**vars(CONTEXT) | left)
    response = worker.handler(batch(account, shortcut.to_json()), context)
    assert response == {"batchItemFailures": []}
    assert "worker-errors" in ringing()
