"""Waiting for what is in progress, and for nothing that begins later."""

from __future__ import annotations

from threading import Event, Thread

import pytest

from simulators.ongoing import Ongoing

AT_ONCE, LONG = 0.01, 60.0


def begin(ongoing: Ongoing) -> tuple[Event, Thread]:
    begun, end = Event(), Event()

    def work() -> None:
        with ongoing.piece():
            begun.set()
            end.wait(LONG)

    thread = Thread(target=work)
    thread.start()
    assert begun.wait(LONG)
    return end, thread


def test_there_is_nothing_to_wait_for_without_work() -> None:
    assert Ongoing().wait(AT_ONCE)


def test_work_is_waited_for_until_it_ends_even_with_an_error() -> None:
    ongoing = Ongoing()
    end, thread = begin(ongoing)
    assert not ongoing.wait(AT_ONCE)
    end.set()
    assert ongoing.wait(LONG)
    thread.join()
    with pytest.raises(ValueError, match="odd"), ongoing.piece():
        raise ValueError("odd")
    assert ongoing.wait(AT_ONCE)


def test_work_that_begins_later_is_not_waited_for() -> None:
    ongoing, stop = Ongoing(), Event()

    def relay() -> None:
        # There is always some work in progress.
        end, thread = begin(ongoing)
        while not stop.is_set():
            next_end, next_thread = begin(ongoing)
            end.set()
            thread.join()
            end, thread = next_end, next_thread
        end.set()
        thread.join()

    running = Thread(target=relay)
    running.start()
    assert ongoing.wait(LONG)
    stop.set()
    running.join()
