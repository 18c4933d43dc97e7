"""A load's account: answered once, doubled, or waiting."""

from __future__ import annotations

import pytest

from benchmarks.accounting import Accounting
from simulators.samples import CHANNEL, RAE, create_workspace
from simulators.slack.workspace import Message, Workspace


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def workspace() -> Workspace:
    return create_workspace()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def accounting(workspace: Workspace, clock: Clock) -> Accounting:
    return Accounting(workspace, clock)


def ask(workspace: Workspace, accounting: Accounting, due: float = 100.0) -> Message:
    message = workspace.post(CHANNEL, RAE, "Could you have a look, please?")
    accounting.ask(message, due)
    return message


def answer(workspace: Workspace, message: Message) -> None:
    payload = {"channel": message.channel, "ts": message.ts}
    metadata = {"event_type": "toxic_verdict", "event_payload": payload}
    bot = workspace.bot.id
    workspace.post(CHANNEL, bot, "reads as fine", thread_ts=message.ts, metadata=metadata)


def test_an_answer_ends_the_wait_that_began_when_the_reaction_was_due(
    workspace: Workspace, accounting: Accounting, clock: Clock
) -> None:
    message = ask(workspace, accounting, due=99.0)
    clock.now = 101.5
    answer(workspace, message)
    assert accounting.latencies == [2500.0]
    assert (accounting.asked, accounting.answered, accounting.waiting) == (1, 1, 0)
    assert accounting.last_answer == 101.5


def test_a_second_answer_counts_as_doubled_and_not_as_a_further_one(
    workspace: Workspace, accounting: Accounting
) -> None:
    message = ask(workspace, accounting)
    answer(workspace, message)
    answer(workspace, message)
    assert (accounting.answered, accounting.doubled) == (1, 1)
    assert len(accounting.latencies) == 1


def test_the_oldest_wait_is_that_of_the_first_reaction_without_an_answer(
    workspace: Workspace, accounting: Accounting, clock: Clock
) -> None:
    first, second = (ask(workspace, accounting, due) for due in (100.0, 103.0))
    clock.now = 105.0
    assert accounting.oldest_age() == 5.0
    answer(workspace, first)
    assert accounting.oldest_age() == 2.0
    assert accounting.unanswered() == [(CHANNEL, second.ts)]
    answer(workspace, second)
    assert accounting.oldest_age() == 0.0


def test_other_posts_and_answers_to_other_messages_do_not_count(
    workspace: Workspace, accounting: Accounting
) -> None:
    message = ask(workspace, accounting)
    other = workspace.post(CHANNEL, RAE, "Nobody asked about this one.")
    answer(workspace, other)
    workspace.post(CHANNEL, RAE, "A person replies.", thread_ts=message.ts)
    assert (accounting.answered, accounting.waiting) == (0, 1)


def test_nothing_counts_after_the_end(workspace: Workspace, accounting: Accounting) -> None:
    message = ask(workspace, accounting)
    accounting.stop()
    answer(workspace, message)
    assert accounting.answered == 0
