"""Edits and deletions end to end, in AWS's Lambda runtime and under the functions' own roles."""

from __future__ import annotations

import json

import pytest

from simulators.samples import CHANNEL, RAE, VIEWER
from simulators.slack.workspace import Channel, Message
from simulators.stack import Stack
from tests.end_to_end.test_gestures import EMOJI, INSULT, TIMEOUT, shown

pytestmark = pytest.mark.slow

THANKS = "Thanks, that was a great help!"


def answered(stack: Stack, text: str, channel: str = CHANNEL) -> Message:
    message = stack.workspace.post(channel, RAE, text)
    stack.workspace.react(channel, message.ts, VIEWER, EMOJI)
    assert stack.wait_for(lambda: stack.is_answered(message), TIMEOUT), stack.log("worker")
    assert stack.settle()
    return message


def items(stack: Stack) -> int:
    table = stack.aws.physical_id("ClaimTable")
    return len(stack.aws.client("dynamodb").scan(TableName=table)["Items"])


@pytest.mark.parametrize("private", [False, pytest.param(True, marks=pytest.mark.long)])
def test_an_edit_replaces_the_answer_and_a_deletion_takes_it_back(
    stack: Stack, private: bool
) -> None:
    name = f"C0FOLLOW{int(private)}"
    members = {VIEWER, RAE, stack.workspace.bot.id}
    stack.workspace.add_channel(Channel(name, name.lower(), private=private, members=members))
    message = answered(stack, INSULT, name)
    stack.workspace.edit(name, message.ts, THANKS)

    def is_replaced() -> bool:
        # The cooldown after the first assessment.
        stack.let_time_pass()
        return "does not read as toxic" in stack.answers(message)[0].text

    assert stack.wait_for(is_replaced, TIMEOUT), stack.log("worker")
    assert "As edited at" in shown(stack.answers(message)[0])
    assert len(stack.answers(message)) == 1
    stack.workspace.delete(name, message.ts)

    def is_taken_back() -> bool:
        return not stack.workspace.messages(name)

    assert stack.wait_for(is_taken_back, TIMEOUT), stack.log("worker")
    assert stack.dead_letters() == 0


def test_what_happens_to_messages_that_nobody_asked_about_reaches_no_queue(stack: Stack) -> None:
    assert stack.settle()
    stored, calls, logged = items(stack), len(stack.web_api.calls), len(stack.log("worker"))
    attempts = len(stack.events.attempts)
    for number in range(3):
        message = stack.workspace.post(CHANNEL, RAE, f"{INSULT} {number}")
        stack.workspace.edit(CHANNEL, message.ts, THANKS)
        stack.workspace.delete(CHANNEL, message.ts)
    assert stack.settle()
    new = stack.events.attempts[attempts:]
    assert [(one.status, one.body) for one in new] == [(200, "dropped")] * 9
    assert (items(stack), len(stack.web_api.calls)) == (stored, calls)
    assert len(stack.log("worker")) == logged


def test_no_text_of_an_edited_message_is_in_a_log_or_a_store(stack: Stack) -> None:
    message = answered(stack, INSULT)
    stack.workspace.edit(CHANNEL, message.ts, "You are a kanarienzeppelin, an utter idiot")

    def is_replaced() -> bool:
        stack.let_time_pass()
        return "As edited at" in shown(stack.answers(message)[0])

    assert stack.wait_for(is_replaced, TIMEOUT), stack.log("worker")
    table = stack.aws.physical_id("ClaimTable")
    stored = json.dumps(stack.aws.client("dynamodb").scan(TableName=table)["Items"])
    for written in (stack.log("receiver"), stack.log("worker"), stored):
        assert "kanarienzeppelin" not in written
