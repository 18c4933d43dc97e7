"""Whose job is next."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toxic_bot.service.addresses import network
from toxic_bot.service.fair_queue import FairQueue, Job


def jobs(client: str, *costs: int) -> list[Job]:
    def run() -> None: ...

    return [Job(client, cost, run) for cost in costs]


def order(queue: FairQueue, count: int) -> str:
    """Take jobs one after the other; return the clients they are for."""
    taken = ""
    for _ in range(count):
        job = queue.take()
        assert job is not None
        taken += job.client
        queue.settle(job)
    return taken


def test_a_client_that_comes_later_is_next_however_much_waits_before_it() -> None:
    queue = FairQueue(10_000)
    queue.put(jobs("a", *[14] * 128))
    assert order(queue, 3) == "aaa"
    queue.put(jobs("b", 1))
    assert "b" in order(queue, 2)


def test_turns_are_by_cost_and_not_by_number() -> None:
    queue = FairQueue(10_000)
    queue.put(jobs("a", *[10] * 20))
    queue.put(jobs("b", *[1] * 100))
    taken = order(queue, 55)
    assert taken.count("a") in range(4, 7)


def test_who_was_away_has_saved_nothing_up() -> None:
    queue = FairQueue(10_000)
    queue.put(jobs("a", *[1] * 200))
    queue.put(jobs("b", 1))
    order(queue, 100)
    queue.put(jobs("b", *[1] * 50))
    assert order(queue, 20).count("b") == 10


def test_who_has_sent_one_long_text_after_the_other_does_not_come_before_the_rest() -> None:
    queue = FairQueue(10_000)
    queue.put(jobs("a", *[1] * 100))
    taken = ""
    for _ in range(44):
        # Only once the one before is done, so that nothing of it waits in between.
        if not taken or taken[-1] == "b":
            queue.put(jobs("b", 10))
        taken += order(queue, 1)
    assert taken.count("b") in range(3, 6)


def test_what_is_withdrawn_costs_its_client_nothing() -> None:
    queue = FairQueue(10_000)
    flood = jobs("a", *[14] * 128)
    queue.put(flood)
    queue.withdraw(flood)
    assert (queue.pending, queue.count, queue.take()) == (0, 0, None)
    queue.put(jobs("b", 1, 1))
    queue.put(jobs("a", 1, 1))
    assert sorted(order(queue, 2)) == ["a", "b"]


def test_a_client_fills_its_share_and_leaves_the_others_theirs() -> None:
    queue = FairQueue(100)
    assert queue.put(jobs("a", *[1] * 100))
    assert not queue.put(jobs("a", 1))
    assert queue.put(jobs("b", *[1] * 50))
    assert not queue.put(jobs("b", 1))
    assert queue.put(jobs("c", 500)), "whoever has nothing pending is let in"


def test_only_a_short_job_of_a_client_that_waits_for_nothing_else_is_for_the_spare_thread() -> None:
    queue = FairQueue(1_000)
    queue.put(jobs("a", 1, 1))
    queue.put(jobs("b", 9))
    first = queue.take()
    assert first is not None
    assert first.client == "a"
    assert queue.take(most=4) is None
    queue.put(jobs("c", 4))
    spare = queue.take(most=4)
    assert spare is not None
    assert spare.client == "c"


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from(["put", "take", "settle", "withdraw"]))
    )
)
def test_whatever_happens_all_that_is_taken_on_is_accounted_for(
    steps: list[tuple[str, str]],
) -> None:
    queue = FairQueue(50)
    waiting: list[Job] = []
    running: list[Job] = []
    for client, step in steps:
        if step == "put":
            new = jobs(client, 3, 5)
            waiting += new if queue.put(new) else []
        elif step == "take" and (job := queue.take()) is not None:
            waiting.remove(job)
            running.append(job)
        elif step == "settle" and running:
            queue.settle(running.pop())
        elif step == "withdraw":
            queue.withdraw([job for job in waiting + running if job.client == client])
            waiting = [job for job in waiting if job.client != client]
        assert queue.count == len(waiting) + len(running)
        assert queue.pending == sum(job.cost for job in waiting + running)
    order(queue, len(waiting))
    assert queue.take() is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8::ffff", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
    ],
)
def test_the_addresses_that_one_client_can_choose_from_count_as_one(
    one: str, other: str, same: bool
) -> None:
    assert (network((one, 1)) == network((other, 2))) is same
