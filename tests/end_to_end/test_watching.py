"""A watched channel end to end, in AWS's Lambda runtime and under the functions' own roles."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

import pytest

from simulators.samples import RAE, SAFETY, SAM, VIEWER
from simulators.slack.delivery import Attempt, RetryReason
from simulators.slack.faults import Fault
from simulators.slack.workspace import Channel, Message
from simulators.stack import Stack
from tests.end_to_end.entering import chosen, entered
from tests.end_to_end.test_gestures import EMOJI, INSULT, shown
from tests.end_to_end.test_settings import open_form, save, wait

pytestmark = pytest.mark.slow

NUMBERS = count(1)
THANKS = "Thanks, that was a great help!"
MESSAGES = 1000


@pytest.fixture
def channel(stack: Stack) -> str:
    name = f"C0WAT{next(NUMBERS):04}"
    members = {VIEWER, RAE, SAM, stack.workspace.bot.id}
    stack.workspace.add_channel(Channel(name, name.lower(), members=members, creator=SAM))
    return name


def forget_index(stack: Stack) -> None:
    """Let the receiver read anew which channels are watched, as it does after half a minute."""
    for environment in stack.receiver._environments:
        environment.kill()
    wait(stack, stack.events.verify_url)


def said(stack: Stack, channel: str) -> list[Message]:
    messages = stack.workspace.messages(channel)
    return [one for one in messages if one.user == stack.workspace.bot.id and not one.only_for]


def watch(stack: Stack, channel: str, action: str, **more: dict[str, Any]) -> None:
    save(stack, channel, VIEWER, watch=chosen(action), **more)
    forget_index(stack)


def test_the_channel_is_told_when_it_is_watched_and_when_it_no_longer_is(
    stack: Stack, channel: str
) -> None:
    watch(stack, channel, "nudge", quiet={"value": "1-2"})
    [told] = said(stack, channel)
    assert f"<@{VIEWER}> has switched on watching" in told.text
    assert "tell its author privately" in told.text
    assert "not from 1:00 to 2:00 UTC" in told.text
    # Another threshold is nothing new.
    watch(stack, channel, "nudge", watch_percent={"value": "80"})
    assert len(said(stack, channel)) == 1
    watch(stack, channel, "off")
    assert "has switched off watching" in said(stack, channel)[-1].text
    assert len(said(stack, channel)) == 2
    message = stack.workspace.post(channel, RAE, INSULT)
    assert stack.settle()
    assert not stack.is_answered(message)


def test_nothing_is_watched_that_was_not_announced(stack: Stack, channel: str) -> None:
    refused = Fault(error="restricted_action")
    stack.web_api.faults.add("chat.postMessage", refused)
    open_form(stack, channel)
    values = entered(watch=chosen("nudge"))
    assert stack.interactivity.submit_view(VIEWER, values).result() == {}
    assert stack.settle()
    assert "Saved" not in str(stack.workspace.messages(channel))
    forget_index(stack)
    message = stack.workspace.post(channel, RAE, INSULT)
    assert stack.settle()
    assert not stack.is_answered(message)


def test_the_author_of_a_toxic_message_is_nudged_without_anybody_asking(
    stack: Stack, channel: str
) -> None:
    watch(stack, channel, "nudge")
    stack.workspace.post(channel, SAM, THANKS)
    stack.workspace.post(channel, RAE, INSULT)

    def nudges() -> list[Message]:
        return [one for one in stack.workspace.messages(channel) if one.only_for == RAE]

    wait(stack, lambda: bool(nudges()))
    assert stack.settle()
    [nudge] = nudges()
    assert "may come across as" in shown(nudge)
    assert not [one for one in stack.workspace.messages(channel) if one.only_for == SAM]


def test_the_bots_own_messages_and_those_of_apps_reach_no_queue(stack: Stack, channel: str) -> None:
    watch(stack, channel, "thread")
    attempts = len(stack.events.attempts)
    stack.workspace.post(channel, stack.workspace.bot.id, INSULT)
    assert stack.settle()
    assert [one.body for one in stack.events.attempts[attempts:]] == ["dropped"]


def test_urgent_messages_are_told_once_and_who_may_need_help_gets_help_lines_in_private(
    stack: Stack, channel: str
) -> None:
    watch(stack, channel, "thread")
    envelopes: dict[str, dict[str, Any]] = {}

    def remember(envelope: dict[str, Any], _: Attempt) -> None:
        envelopes.setdefault(str(envelope.get("event_id")), envelope)

    stack.events.watch(remember)
    threat = stack.workspace.post(channel, SAM, "I will find you and break your legs.")
    need = stack.workspace.post(channel, RAE, "I want to disappear. zeppelinkanarie")
    stack.workspace.react(channel, need.ts, VIEWER, EMOJI)
    wait(stack, lambda: len(told_at_once(stack, channel)) == 2 and bool(stack.answers(threat)))
    # Slack has not heard that the events are safe.
    for envelope in list(envelopes.values()):
        stack.events.redeliver(envelope, 1, RetryReason.TIMEOUT)
    assert stack.settle()
    notes = [shown(one) for one in told_at_once(stack, channel)]
    assert len(notes) == 2
    assert sum("reads as toxic: a threat" in one for one in notes) == 1
    assert sum("may need help" in one for one in notes) == 1
    private = [one for one in stack.workspace.messages(channel) if one.only_for in (RAE, SAM)]
    [helped] = private
    assert helped.only_for == RAE
    assert "findahelpline.com" in shown(helped)
    # Nobody but the asker learns that it was asked about, and nobody sees a verdict.
    assert not [one for one in said(stack, channel) if one.thread_ts == need.ts]
    table = stack.aws.physical_id("ClaimTable")
    pages = stack.aws.client("dynamodb").get_paginator("scan").paginate(TableName=table)
    items = json.dumps([item for page in pages for item in page["Items"]])
    for written in (items, stack.log("worker"), stack.log("receiver")):
        assert "zeppelinkanarie" not in written


def told_at_once(stack: Stack, channel: str) -> list[Message]:
    """Return the urgent notes about a channel's messages."""
    return [
        one
        for one in stack.workspace.messages(SAFETY)
        if (one.metadata or {}).get("event_payload", {}).get("channel") == channel
    ]


def test_lists_are_tried_before_they_are_saved_and_then_decide(stack: Stack, channel: str) -> None:
    open_form(stack, channel)
    lists = {"always": {"value": "teapot*"}, "never": {"value": "pathetic idiot"}}
    sample = {"value": "The teapots are here"}
    tried = stack.interactivity.submit_view(
        VIEWER, entered(watch=chosen("thread"), sample=sample, **lists)
    )
    assert tried.result() == {}
    view = stack.interactivity.modals.of(VIEWER)
    assert "Always flagged: “teapots”" in str(view)
    # Nothing is saved yet: the channel was told nothing.
    assert said(stack, channel) == []
    values = entered(watch=chosen("thread"), **lists)
    values["next_sample"] = values.pop("sample")
    assert stack.interactivity.submit_view(VIEWER, values).result() == {}
    wait(stack, lambda: bool(said(stack, channel)))
    assert stack.settle()
    forget_index(stack)
    listed = stack.workspace.post(channel, RAE, "The teapots are here")
    spared = stack.workspace.post(channel, RAE, "You pathetic idiot.")
    wait(stack, lambda: bool(stack.answers(listed)))
    assert stack.settle()
    [answer] = stack.answers(listed)
    assert "Contains words that are always flagged in this channel" in answer.text
    assert stack.answers(spared) == []


@pytest.mark.long
def test_of_a_thousand_watched_messages_under_faults_each_is_judged_once(
    stack: Stack, channel: str
) -> None:
    watch(stack, channel, "thread")
    canary = "zeppelinkanarie"
    envelopes: dict[str, dict[str, Any]] = {}

    def remember(envelope: dict[str, Any], _: Attempt) -> None:
        envelopes.setdefault(str(envelope.get("event_id")), envelope)

    stack.events.watch(remember)
    logged = len(stack.log("worker"))
    limited = Fault(error="ratelimited", status=429, retry_after=1)
    failed = Fault(error="internal_error", status=500)
    killed_before, killed_after = Fault(before=stack.worker.kill), Fault(after=stack.worker.kill)
    # The last message left may meet every fault that is left. One kill while messages are posted
    # and these three are four receives; after a fifth, SQS gives a message up.
    faults = {
        "conversations.replies": [limited, Fault(cut=True), killed_before, failed] + [limited] * 6,
        "chat.postMessage": [Fault(cut=True), killed_after, limited, killed_before] + [failed] * 6,
    }
    for method, planned in faults.items():
        for fault in planned:
            stack.web_api.faults.add(method, fault)
    messages = []
    for number in range(MESSAGES):
        toxic = number % 20 == 0
        text = f"{INSULT} {canary}" if toxic else f"{THANKS} {canary} {number}"
        messages.append(stack.workspace.post(channel, (RAE, SAM)[number % 2], text))
        if number % 50 == 25:
            stack.worker.kill()
        if number % 3 == 0:
            # Slack has not heard that the event is safe.
            for envelope in list(envelopes.values())[-2:]:
                stack.events.redeliver(envelope, 1, RetryReason.TIMEOUT)

    def is_over() -> bool:
        stack.let_time_pass()
        return (
            stack.pending_messages() == 0
            and not stack.events.busy
            and not stack.poller.busy
            and not stack.text_poller.busy
        )

    assert stack.wait_for(is_over, 600), stack.pending_messages()
    answers = [len(stack.answers(message)) for message in messages]
    assert answers == [int(number % 20 == 0) for number in range(MESSAGES)]
    table = stack.aws.physical_id("ClaimTable")
    pages = stack.aws.client("dynamodb").get_paginator("scan").paginate(TableName=table)
    items = [item for page in pages for item in page["Items"]]
    prefix = f"watched#{channel}#"
    judged = [item for item in items if item["id"]["S"].startswith(prefix)]
    assert {item["id"]["S"] for item in judged} == {f"{prefix}{one.ts}#" for one in messages}
    assert {item["status"]["S"] for item in judged} == {"COMPLETED"}
    log = stack.log("worker")[logged:]
    assert log.count("watched message judged") <= MESSAGES
    # The faults were played: workers died, Slack refused, and events came twice.
    for line in ("gesture received again", "gesture waits", "this version was already judged"):
        assert line in log
    assert stack.dead_letters() == 0
    for written in (log, stack.log("receiver"), json.dumps(items)):
        assert canary not in written
