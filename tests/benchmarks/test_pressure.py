"""The loads that lean on the service."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from benchmarks.serving.pressure import (
    CALLS,
    PRESSURES,
    Large,
    batch,
    press,
    pressure_table,
    texts,
    told_to_wait,
)
from toxic_bot.service.perspective.batch import read_batch


@pytest.mark.slow
@pytest.mark.long
def test_under_every_pressure_somebody_else_gets_verdicts(model_folder: Path) -> None:
    results = list(press(model_folder, requests=10, seed=1))
    assert [one.pressure for one in results] == list(PRESSURES)
    assert [one.refused for one in results] == [0] * len(PRESSURES)
    assert pressure_table(results).row_count == len(PRESSURES)


@pytest.mark.parametrize("large", [texts, batch])
def test_the_largest_request_is_one_that_the_service_takes(large: Callable[[], Large]) -> None:
    assert 800_000 < len(large().body) < 1_000_000


def test_the_largest_batch_is_one_that_the_service_reads() -> None:
    calls = read_batch(batch().content_type, batch().body)
    assert len(calls) == CALLS
    texts = [json.loads(call.body)["comment"]["text"] for call in calls]
    assert {len(text.encode()) for text in texts} <= set(range(19_000, 20_480))


def test_who_obeys_waits_as_long_as_any_part_of_a_batch_says() -> None:
    json_ = {"Content-Type": "application/json"}
    assert told_to_wait(httpx.Response(200, headers=json_)) == 0
    assert told_to_wait(httpx.Response(429, headers=json_ | {"Retry-After": "7"})) == 7
    parts = "HTTP/1.1 429 Too Many Requests\r\nretry-after: {}\r\n\r\n"
    content = parts.format(3) + parts.format(12)
    headers = {"Content-Type": "multipart/mixed; boundary=b"}
    assert told_to_wait(httpx.Response(200, headers=headers, text=content)) == 12
