"""Alarms on the bot's own metrics: what makes them ring is played, and the template evaluated."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from handler.telemetry import NAMESPACE, powertools
from simulators.aws.alarms import embedded, rings
from simulators.slack.faults import Fault
from simulators.slack.methods import WebApi
from tests.aws_account import Account
from tests.handler.test_worker import CONTEXT, api, batch, log_records, reaction_body, worker
from tests.template import declared
from toxic_bot.slack.web_api.remedies import TOKEN_ERRORS

__all__ = ["api", "worker"]

Ringing = Callable[[], set[str]]


def resolved(value: Any) -> str:
    """Return a namespace or a dimension's value as the functions of these tests write it."""
    if value == {"Fn::Sub": "ToxicBot/${Stage}"}:
        return NAMESPACE
    return value if isinstance(value, str) else json.dumps(value)


@pytest.fixture
def ringing(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ringing:
    """Returns the alarms that ring for everything that the worker has counted since the last call."""
    monkeypatch.setattr(powertools, "service", "worker")

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
