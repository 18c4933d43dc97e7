"""Log lines and metrics, written by several threads."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from toxic_bot.slack.telemetry import KeyedExecutor, count, keyed, logger, metered

THREADS = 8


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_inner_keys_end_and_outer_ones_remain(capsys: pytest.CaptureFixture[str]) -> None:
    with keyed(message_id="M1", receives=1):
        with keyed(event_id="Ev1", receives=2):
            logger.info("inner")
        logger.info("outer")
    logger.info("neither")
    inner, outer, neither = lines(capsys)
    assert (inner["message_id"], inner["event_id"], inner["receives"]) == ("M1", "Ev1", 2)
    assert outer["receives"] == 1
    assert "event_id" not in outer
    assert "message_id" not in neither


def test_a_pool_logs_with_the_keys_of_whoever_submitted_the_work(
    capsys: pytest.CaptureFixture[str],
) -> None:
    ended = threading.Event()

    def log() -> None:
        ended.wait(60)
        logger.info("asked")

    with KeyedExecutor(1) as pool:
        for number in range(2):
            with keyed(event_id=f"Ev{number}"):
                pool.submit(log)
        ended.set()
    assert [line["event_id"] for line in lines(capsys)] == ["Ev0", "Ev1"]


def test_each_of_many_threads_has_keys_of_its_own_and_whole_lines(
    capsys: pytest.CaptureFixture[str],
) -> None:
    together = threading.Barrier(THREADS)

    @metered
    def answer(number: int) -> None:
        with keyed(event_id=f"Ev{number}"):
            together.wait(60)
            for _ in range(20):
                logger.info(str(number))
                count("Answered")

    with KeyedExecutor(THREADS) as pool:
        list(pool.map(answer, range(THREADS)))
    written = lines(capsys)
    logged = [line for line in written if "message" in line]
    assert len(logged) == 20 * THREADS
    assert sum("Answered" in line for line in written) == 20 * THREADS
    assert all(line["event_id"] == f"Ev{line['message']}" for line in logged)
