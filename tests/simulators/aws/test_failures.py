"""Planned faults of AWS meet the call and the caller that they are planned for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from simulators.aws.failures import AwsFault, PlannedFault
from simulators.samples import CHANNEL, RAE, VIEWER
from simulators.slack.workspace import Message
from simulators.stack import Stack

pytestmark = pytest.mark.slow

EMOJI = "biohazard_sign"
TIMEOUT = 60.0


@pytest.fixture
def faulty(stack: Stack) -> Iterator[Stack]:
    # An earlier test's worker may still have calls to make, which would meet the fault.
    assert stack.settle(TIMEOUT)
    yield stack
    stack.aws.plan_faults([])


def plan(stack: Stack, function: str, operation: str, fault: AwsFault) -> PlannedFault:
    key = stack.aws.function(function).credentials.access_key
    planned = PlannedFault(operation, 0, fault, key)
    stack.aws.plan_faults([planned])
    return planned


def ask(stack: Stack) -> Message:
    message = stack.workspace.post(CHANNEL, RAE, "You are an idiot.")
    stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    return message


@pytest.mark.parametrize("fault", [AwsFault.KILLED_BEFORE, AwsFault.KILLED_AFTER])
def test_a_worker_that_is_killed_around_its_claim_answers_once(
    faulty: Stack, fault: AwsFault
) -> None:
    planned = plan(faulty, "Worker", "PutItem", fault)
    message = ask(faulty)
    assert faulty.wait_for(lambda: faulty.aws.played_faults() == [planned], TIMEOUT)
    assert faulty.wait_for(lambda: not faulty.poller.busy, TIMEOUT)
    assert not faulty.is_answered(message)
    faulty.let_time_pass()
    assert faulty.wait_for(lambda: faulty.is_answered(message), TIMEOUT)
    assert len(faulty.answers(message)) == 1


@pytest.mark.parametrize("fault", [AwsFault.KILLED_BEFORE, AwsFault.KILLED_AFTER])
def test_a_receiver_that_is_killed_around_its_send_loses_and_doubles_nothing(
    faulty: Stack, fault: AwsFault
) -> None:
    planned = plan(faulty, "Receiver", "SendMessage", fault)
    message = ask(faulty)
    assert faulty.wait_for(lambda: faulty.is_answered(message), TIMEOUT)
    assert faulty.aws.played_faults() == [planned]
    assert any(attempt.status == 500 for attempt in faulty.events.attempts)
    assert faulty.settle(TIMEOUT)
    assert len(faulty.answers(message)) == 1


def test_a_fault_that_meets_no_call_is_not_played(faulty: Stack) -> None:
    plan(faulty, "Worker", "DeleteItem", AwsFault.THROTTLED)
    message = ask(faulty)
    assert faulty.wait_for(lambda: faulty.is_answered(message), TIMEOUT)
    assert faulty.aws.played_faults() == []


def test_a_response_that_is_lost_makes_the_reaction_come_again(faulty: Stack) -> None:
    faulty.poller.lose_responses([0])
    message = ask(faulty)
    assert faulty.wait_for(lambda: faulty.is_answered(message), TIMEOUT)
    assert faulty.wait_for(lambda: not faulty.poller.busy, TIMEOUT)
    assert faulty.poller.lost_responses == 1
    assert faulty.pending_messages() == 1
    faulty.let_time_pass()
    assert faulty.settle(TIMEOUT)
    assert len(faulty.answers(message)) == 1
