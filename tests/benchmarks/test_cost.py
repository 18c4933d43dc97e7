"""The page on cost says what its command reckons."""

from __future__ import annotations

import pytest

from benchmarks.__main__ import main
from benchmarks.cost import (
    MEMORY,
    Prices,
    Work,
    duration,
    kept_warm,
    server,
    standing,
    verdict,
)
from tests.template.code import ROOT
from tests.template.declared import template

WORK, PRICES = Work(), Prices()


def rows() -> list[str]:
    return (ROOT / "docs" / "cost.md").read_text("utf-8").splitlines()


@pytest.mark.parametrize("memory", MEMORY)
def test_the_page_has_the_figures_of_a_memory_size(memory: int) -> None:
    [row] = [one for one in rows() if one.startswith(f"| {memory:,} | ")]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[1] == f"{duration(WORK.worker_cpu, WORK.worker_wait, memory):.0f}"
    assert cells[2] == f"{verdict(WORK, memory, PRICES) * 1e6:.2f}"
    assert cells[4] == f"{duration(WORK.worker_cold, 0, memory) / 1000:.1f} s"
    assert cells[5] == f"{kept_warm(memory, PRICES):.2f}"


@pytest.mark.parametrize(("day", "cold"), [(10, 1.0), (1_000, 0.1), (100_000, 0.001)])
def test_the_page_has_the_figures_of_a_volume(day: int, cold: float) -> None:
    [row] = [one for one in rows() if one.startswith(f"| {day:,} | {cold:.1%}")]
    use = 30 * day * verdict(WORK, 1024, PRICES, cold)
    assert f"| {use:.2f} | {use + standing(PRICES):.2f} | {server(PRICES):.2f} |" in row


def test_less_memory_than_a_whole_cpu_takes_longer_and_more_is_no_faster() -> None:
    times = [duration(100, 50, memory) for memory in (512, 1024, 1769, 3008)]
    assert times == sorted(times, reverse=True)
    assert times[-1] == times[-2] == 150


def test_a_cold_start_costs_more_than_a_warm_one() -> None:
    assert verdict(WORK, 1024, PRICES, cold=1.0) > verdict(WORK, 1024, PRICES)


def test_the_command_takes_measured_milliseconds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cost", "--memory", "1769", "--worker-wait", "600"]) == 0
    assert "618" in capsys.readouterr().out


def test_the_page_reckons_with_the_sizes_of_the_template() -> None:
    parameters = template()["Parameters"]
    assert tuple(parameters["WorkerMemory"]["AllowedValues"]) == MEMORY
    assert parameters["WorkerMemory"]["Default"] == 1024
    assert parameters["ReceiverMemory"]["Default"] == WORK.receiver_memory
