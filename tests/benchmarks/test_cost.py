"""The tables in docs/cost.md match what ``python -m benchmarks cost`` computes."""

from __future__ import annotations

import pytest

from benchmarks.__main__ import main
from benchmarks.cost import (
    ALARM_METRICS,
    MEMORY_SIZES,
    PROBE_MEMORY,
    Prices,
    Workload,
    billed_milliseconds,
    fixed_cost,
    provisioned_cost,
    server_cost,
    verdict_cost,
)
from tests.template.code import ROOT
from tests.template.declared import alarm_metrics, resource, template

WORKLOAD, PRICES = Workload(), Prices()


def page_lines() -> list[str]:
    return (ROOT / "docs" / "cost.md").read_text("utf-8").splitlines()


@pytest.mark.parametrize("memory", MEMORY_SIZES)
def test_the_page_shows_the_computed_costs_of_a_memory_size(memory: int) -> None:
    [row] = [line for line in page_lines() if line.startswith(f"| {memory:,} | ")]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert (
        cells[1] == f"{billed_milliseconds(WORKLOAD.worker_cpu, WORKLOAD.worker_wait, memory):.0f}"
    )
    assert cells[2] == f"{verdict_cost(WORKLOAD, memory, PRICES) * 1e6:.2f}"
    without_lambda = verdict_cost(WORKLOAD, memory, Prices(gb_second=0.0, invocation=0.0))
    lambda_only = verdict_cost(WORKLOAD, memory, PRICES) - without_lambda
    assert cells[3] == f"{lambda_only * 1e6:.2f}"
    assert cells[4] == f"{billed_milliseconds(WORKLOAD.worker_cold, 0, memory) / 1000:.1f} s"
    assert cells[5] == f"{provisioned_cost(memory, PRICES):.2f}"


@pytest.mark.parametrize(("day", "cold"), [(10, 1.0), (1_000, 0.1), (100_000, 0.001)])
def test_the_page_shows_the_computed_costs_of_a_volume(day: int, cold: float) -> None:
    [row] = [line for line in page_lines() if line.startswith(f"| {day:,} | {cold:.1%}")]
    usage = 30 * day * verdict_cost(WORKLOAD, 1024, PRICES, cold)
    assert (
        f"| {usage:.2f} | {usage + fixed_cost(PRICES, day):.2f} | {server_cost(PRICES):.2f} |"
        in row
    )


def test_memory_below_a_full_cpu_is_slower_and_memory_above_it_is_not_faster() -> None:
    durations = [billed_milliseconds(100, 50, memory) for memory in (512, 1024, 1769, 3008)]
    assert durations == sorted(durations, reverse=True)
    assert durations[-1] == durations[-2] == 150


def test_a_cold_start_costs_more_than_a_warm_invocation() -> None:
    assert verdict_cost(WORKLOAD, 1024, PRICES, cold=1.0) > verdict_cost(WORKLOAD, 1024, PRICES)


def test_the_command_accepts_measured_milliseconds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cost", "--memory", "1769", "--worker-wait", "600"]) == 0
    assert "618" in capsys.readouterr().out


def test_the_fixed_costs_are_those_of_the_template() -> None:
    assert len(alarm_metrics()) == ALARM_METRICS
    assert resource("Probe")["MemorySize"] == PROBE_MEMORY
    assert f"the alarms on {ALARM_METRICS}\nmetrics" in "\n".join(page_lines())
    text = "\n".join(page_lines())
    assert f"The fixed costs are {fixed_cost(PRICES):.2f} dollars" in text
    assert f"{fixed_cost(PRICES, 1000):.2f} with reactions in every hour" in text


def test_the_memory_sizes_are_those_of_the_template() -> None:
    parameters = template()["Parameters"]
    assert tuple(parameters["WorkerMemory"]["AllowedValues"]) == MEMORY_SIZES
    assert parameters["WorkerMemory"]["Default"] == 1024
    assert parameters["ReceiverMemory"]["Default"] == WORKLOAD.receiver_memory
