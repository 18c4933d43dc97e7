"""The ways of events through the running bot."""

from __future__ import annotations

import json
import time
from functools import partial
from pathlib import Path

import pytest

from simulators.aws.runtime import Invocation
from simulators.journeys import Journey, Journeys
from simulators.samples import CHANNEL, RAE, SAM, VIEWER, create_workspace
from simulators.slack.delivery import RetryReason
from simulators.slack.faults import Fault
from simulators.slack.workspace import Message
from simulators.stack import Stack

pytestmark = pytest.mark.slow

EMOJI = "biohazard_sign"
INSULT = "You are a pathetic idiot and everybody here hates you."
TIMEOUT = 90.0


def end_of_request(stack: Stack, message: Message) -> list[Journey]:
    def has_ended() -> bool:
        journeys = stack.journeys.about(message.channel, message.ts)
        return bool(journeys) and all(one.done for one in journeys)

    assert stack.wait_for(has_ended, TIMEOUT), stack.log("worker")
    return stack.journeys.about(message.channel, message.ts)


def outcomes(journey: Journey) -> list[str]:
    return [step.outcome for step in journey.steps if step.name == "worker"]


def test_a_journey_has_every_step_in_order(stack: Stack) -> None:
    message = stack.workspace.post(CHANNEL, RAE, INSULT)
    change = stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    [journey] = end_of_request(stack, message)
    assert [step.name for step in journey.steps] == ["receiver", "worker", "post"]
    receiver, worker, post = journey.steps
    assert (receiver.outcome, worker.outcome) == ("queued", "answered")
    assert float(change.event_ts) == journey.at <= receiver.at <= worker.at <= post.at
    assert post.at <= worker.at + worker.milliseconds / 1000
    [answer] = stack.answers(message)
    assert post.at == float(answer.ts)


def test_a_request_that_leads_to_no_further_answer_ends(stack: Stack) -> None:
    message = stack.workspace.post(CHANNEL, RAE, INSULT)
    stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    assert stack.wait_for(partial(stack.is_answered, message), TIMEOUT)
    stack.workspace.unreact(CHANNEL, message.ts, VIEWER, EMOJI)
    stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    assert message.asked_at is not None
    assert stack.wait_for(lambda: message.asked_at is None, TIMEOUT)
    [_, again] = end_of_request(stack, message)
    assert outcomes(again)[-1] == "this version was already answered in the thread"
    assert len(stack.answers(message)) == 1


def test_a_request_that_waits_is_still_pending(stack: Stack) -> None:
    message = stack.workspace.post(CHANNEL, SAM, INSULT)
    stack.web_api.faults.add(
        "conversations.replies", Fault(error="ratelimited", status=429, retry_after=2)
    )
    stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    [journey] = end_of_request(stack, message)
    assert outcomes(journey)[0].startswith("gesture waits: ")
    assert outcomes(journey)[-1] == "answered"


def test_a_suppressed_retry_is_part_of_the_journey(stack: Stack) -> None:
    message = stack.workspace.post(CHANNEL, RAE, INSULT)
    change = stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    # The worker has ended, and not only posted: until then, its claim is in progress.
    assert stack.wait_for(
        lambda: (
            [outcomes(one) for one in stack.journeys.about(CHANNEL, message.ts)] == [["answered"]]
        ),
        TIMEOUT,
    )
    envelope = stack.events.delivered_envelope(change)
    stack.events.redeliver(envelope, 1, RetryReason.TIMEOUT).result()
    assert stack.wait_for(
        lambda: len(outcomes(stack.journeys.about(CHANNEL, message.ts)[0])) == 2, TIMEOUT
    )
    [journey] = stack.journeys.about(CHANNEL, message.ts)
    assert [step.retry for step in journey.steps if step.name == "receiver"] == [0, 1]
    assert outcomes(journey) == ["answered", "this event was already answered"]


def test_each_receive_has_the_outcome_of_its_own_log_lines(tmp_path: Path) -> None:
    body = {"event_id": "Ev1", "channel": CHANNEL, "ts": "1.0", "user": VIEWER, "event_ts": "2.0"}
    log = tmp_path / "worker.log"
    journeys = Journeys(create_workspace(), log, retries=3, max_receives=5)
    expected = {"first": "answered", "second": "this event was already answered"}
    with log.open("w") as file:
        for message_id, message in expected.items():
            line = {"message_id": message_id, "receives": 1, "event_id": "Ev1"}
            file.write(json.dumps(line | {"message": message}) + "\n")
    for at, message_id in enumerate(expected):
        record = {
            "messageId": message_id,
            "body": json.dumps(body),
            "attributes": {"ApproximateReceiveCount": "1"},
        }
        journeys.on_worker(Invocation({"Records": [record]}, {}, "", at, 1.0, cold=False))
    deadline = time.monotonic() + TIMEOUT
    found: list[str] = []
    while len(found) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
        found = [one for journey in journeys.about(CHANNEL, "1.0") for one in outcomes(journey)]
    journeys.stop()
    assert found == list(expected.values())


def test_the_first_invocation_of_an_environment_is_cold(stack: Stack) -> None:
    stack.web_api.faults.add("chat.postMessage", Fault(after=stack.worker.kill))
    message = stack.workspace.post(CHANNEL, RAE, INSULT)
    stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
    assert stack.wait_for(lambda: bool(stack.journeys.about(CHANNEL, message.ts)), TIMEOUT)
    assert stack.wait_for(partial(stack.is_answered, message), TIMEOUT)
    assert stack.wait_for(lambda: stack.let_time_pass() > 0, TIMEOUT)
    [journey] = end_of_request(stack, message)
    crashed, recovered = [step for step in journey.steps if step.name == "worker"]
    assert "Runtime" in crashed.outcome or "Sandbox" in crashed.outcome
    assert (recovered.retry, recovered.outcome) == (
        1,
        "this version was already answered in the thread",
    )
    assert crashed.cold or recovered.cold


def test_a_reaction_that_the_receiver_refuses_ends_its_request(stack: Stack) -> None:
    message = stack.workspace.post(CHANNEL, RAE, INSULT)
    url, stack.events.request_url = stack.events.request_url, f"{stack.events.request_url}/gone"
    try:
        stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
        [journey] = end_of_request(stack, message)
    finally:
        stack.events.request_url = url
    assert message.asked_at is None
    assert {step.outcome for step in journey.steps} == {str(RetryReason.ERROR)}
