"""A budget through the whole stack: receiver, queue, worker, table and Slack."""

from __future__ import annotations

import json

import pytest

from simulators.samples import CHANNEL, RAE, SAM, VIEWER, create_workspace
from simulators.slack.rate_limits import NO_LIMITS
from simulators.stack import Options, Stack
from toxic_bot.slack.requests.interactions import COMMAND, SHORTCUT

pytestmark = pytest.mark.slow

EMOJI = "biohazard_sign"
TIMEOUT = 60.0


@pytest.mark.long
def test_whoever_asks_too_often_is_told_once_and_nothing_is_dead() -> None:
    options = Options(concurrency=2, parameters={"UserBudget": "3"}, limits=NO_LIMITS)
    with Stack(create_workspace(), VIEWER, options).start() as stack:
        messages = [stack.workspace.post(CHANNEL, RAE, "You are an idiot.") for _ in range(8)]
        for message in messages:
            stack.workspace.react(CHANNEL, message.ts, VIEWER, EMOJI)
        assert stack.settle(TIMEOUT)
        assert sum(stack.is_answered(message) for message in messages) == 3
        stack.interactivity.choose_shortcut(CHANNEL, messages[0].ts, VIEWER, SHORTCUT)
        stack.interactivity.type_command(CHANNEL, VIEWER, COMMAND, "You are an idiot.")
        unanswered = next(one for one in messages if not stack.is_answered(one))
        stack.workspace.react(CHANNEL, unanswered.ts, SAM, EMOJI)
        assert stack.wait_for(lambda: stack.is_answered(unanswered), TIMEOUT)
        assert stack.wait_for(lambda: len(dropped_requests(stack)) == 7, TIMEOUT)
        assert stack.settle(TIMEOUT)
        own = [one for one in stack.workspace.messages(CHANNEL) if one.only_for == VIEWER]
        assert ["hourly limit" in one.text for one in own] == [True]
        assert stack.dead_letters() == 0
        metric = '"RequestDropped"'
        assert sum(metric in json.dumps(one) for one in stack.records("worker")) == 7


def dropped_requests(stack: Stack) -> set[object]:
    """Return the IDs of the requests that were dropped."""
    return {
        one["event_id"]
        for one in stack.records("worker")
        if str(one.get("message")).startswith("request dropped")
    }
