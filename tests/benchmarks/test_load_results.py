"""What the load commands report: percentiles, limits, growth, shares of CPU time, the page."""

from __future__ import annotations

import json
import math
import os
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.load import ClassifierLoad, MemorySample, growth
from benchmarks.percentiles import Latency
from benchmarks.processes import SELF, Process, cpu_between, memory_of, own_processes, role_of
from benchmarks.reactions import MAX_AGE, Load, Sample, find_limit
from benchmarks.results import save_classifier, save_reactions
from benchmarks.targets import HomeName

LOAD = Load(
    name="10 per second",
    home=HomeName.AWS,
    environments=2,
    sent=100,
    answered=100,
    doubled=0,
    dead=0,
    refused=0,
    seconds=10.0,
    age_at_end=0.1,
    latency=Latency.from_milliseconds([1.0, 2.0]),
    invocation=Latency.from_milliseconds([]),
    cpu={"worker": 4.0, "moto": 6.0},
    samples=(Sample(0.0, 0.0, 100.0), Sample(1.0, 0.5, 120.0)),
)


def test_percentiles_are_those_of_the_durations() -> None:
    latency = Latency.from_milliseconds([float(one) for one in range(1001)])
    assert (latency.p50, latency.p90, latency.p99, latency.p999) == (500, 900, 990, 999)
    assert (latency.runs, latency.longest) == (1001, 1000)


def test_no_durations_have_no_percentiles() -> None:
    assert math.isnan(Latency.from_milliseconds([]).p50)
    assert Latency.from_milliseconds([7.0]).p999 == 7.0


def test_a_reaction_without_an_answer_is_lost_unless_it_is_dead_or_was_refused() -> None:
    assert LOAD.is_complete
    assert replace(LOAD, answered=97).lost == 3
    assert replace(LOAD, answered=97, dead=1, refused=2).lost == 0
    assert not replace(LOAD, answered=97, refused=3).is_complete
    assert not replace(LOAD, doubled=1).is_complete


def test_a_rate_is_held_only_if_nothing_waits_long_when_it_is_over() -> None:
    assert replace(LOAD, age_at_end=MAX_AGE).is_held
    assert not replace(LOAD, age_at_end=MAX_AGE + 0.1).is_held
    assert not replace(LOAD, answered=99).is_held


@pytest.mark.parametrize(("start", "limit"), [(5.0, 33.0), (1.0, 60.0), (20.0, 20.0)])
def test_the_search_ends_close_below_the_limit(start: float, limit: float) -> None:
    tried: list[float] = []

    def measure(rate: float) -> Load:
        tried.append(rate)
        return replace(LOAD, age_at_end=0.0 if rate <= limit else MAX_AGE + 1)

    loads = find_limit(measure, start)
    held = max(rate for rate, load in zip(tried, loads, strict=True) if load.is_held)
    assert limit / 1.2 <= held <= limit


def test_the_search_ends_at_once_if_the_first_rate_is_too_high() -> None:
    assert len(find_limit(lambda _: replace(LOAD, age_at_end=MAX_AGE + 1), 100.0)) == 1


def test_the_memory_grows_by_its_slope_after_the_warm_up() -> None:
    warm_up = [MemorySample(0, 0.0), MemorySample(100, 190.0)]
    steady = [MemorySample(count, 200 + count / 1024) for count in range(200, 1001, 100)]
    assert growth((*warm_up, *steady)) == pytest.approx(1000)
    assert growth((MemorySample(0, 1.0),)) == 0


def test_processes_are_known_by_their_commands() -> None:
    assert role_of("python -m awslambdaric handler.worker.handler") == "worker"
    assert role_of("aws-lambda-rie python -m awslambdaric handler.worker.handler") == (
        "worker's emulator"
    )
    assert role_of("python -m toxic_bot socket") == "bot"
    assert own_processes()[os.getpid()].role == SELF


def test_cpu_time_adds_up_by_role_and_new_processes_count_whole() -> None:
    before = {1: Process("worker", 2.0, 10), 2: Process("worker", 1.0, 20)}
    after = {
        1: Process("worker", 3.0, 10),
        2: Process("worker", 1.5, 30),
        3: Process("moto", 4.0, 40),
    }
    assert cpu_between(before, after) == {"worker": 1.5, "moto": 4.0}
    assert memory_of(after, "worker") == 30
    assert memory_of(after, "bot") == 0


@pytest.mark.slow
def test_one_page_shows_the_results_of_all_commands(tmp_path: Path) -> None:
    classifier = ClassifierLoad(
        model="a model",
        rate=100,
        seconds=20,
        workers=2,
        latency=Latency.from_milliseconds([1.0, 2.0]),
        throughput=300,
        memory=(MemorySample(0, 100.0), MemorySample(1000, 101.0)),
    )
    save_classifier(classifier, tmp_path)
    burst = replace(LOAD, name="300 at once")
    save_reactions("reactions-aws", "Reactions, aws", [LOAD, burst], tmp_path)
    page = (tmp_path / "README.md").read_text("utf-8")
    assert "## The classifier, a model" in page
    assert "| flat out, verdicts per second | 300 |" in page
    assert "| | 10 per second | 300 at once |" in page
    assert "| CPU per reaction, all, ms | 10.0 | 10.0 |" in page
    for picture in ("load.png", "reactions-aws.png"):
        assert f"({picture})" in page
        assert (tmp_path / picture).read_bytes().startswith(b"\x89PNG")
    written = json.loads((tmp_path / "reactions-aws.json").read_text("utf-8"))
    assert written["measured"][0]["samples"][1]["age"] == 0.5
