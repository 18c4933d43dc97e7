"""The tables in docs/cost.md match what ``python -m benchmarks cost`` computes."""

from __future__ import annotations

import pytest
from rich.table import Table

from benchmarks.__main__ import main
from benchmarks.cost import (
    ALARM_METRICS,
    FULL_ALARM_METRICS,
    MEMORY_SIZES,
    PROBE_MEMORY,
    Prices,
    Workload,
    billed_milliseconds,
    break_even,
    fixed_cost,
    memory_table,
    verdict_cost,
    volume_table,
)
from tests.template.code import ROOT
from tests.template.declared import alarm_metrics, resource, template

WORKLOAD, PRICES = Workload(), Prices()


def page_lines() -> list[str]:
    return (ROOT / "docs" / "cost.md").read_text("utf-8").splitlines()


def page_rows() -> list[list[str]]:
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in page_lines()
        if line.startswith("|")
    ]


@pytest.mark.parametrize(
    "table",
    [memory_table(WORKLOAD, PRICES), volume_table(WORKLOAD, 1024, PRICES)],
    ids=["memory", "volume"],
)
def test_the_page_has_the_tables_that_the_command_prints(table: Table) -> None:
    printed = [list(row) for row in zip(*(column.cells for column in table.columns), strict=True)]
    rows = page_rows()
    first = rows.index(printed[0])
    assert rows[first : first + len(printed)] == printed
    assert len(rows[first - 2]) == len(table.columns)


def test_the_page_counts_what_the_tables_count() -> None:
    text = "\n".join(page_lines())
    number = {3: "three", 5: "five"}
    assert f"| DynamoDB | {number[round(WORKLOAD.table_writes)]} writes" in text
    assert f"| SQS | {number[round(WORKLOAD.queue_requests)]} requests" in text
    assert f"{WORKLOAD.log_bytes / 1000:.1f} KB" in text
    for price, times in (("0.0000004", 3), ("0.000000625", 5)):
        assert f"{times} × {price}" in text


def test_the_page_says_from_when_a_server_is_cheaper() -> None:
    with_fixed, without = (
        round(break_even(WORKLOAD, 1024, PRICES, fixed=fixed), -2) for fixed in (True, False)
    )
    text = " ".join(page_lines())
    assert f"cheaper at about {with_fixed:,.0f} reactions a day, or {without:,.0f} if" in text


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
    assert len(alarm_metrics(full=False)) == ALARM_METRICS
    # And the digest's, which only a stack with moderators has.
    assert len(alarm_metrics(full=True)) == FULL_ALARM_METRICS + 1
    assert resource("Probe")["MemorySize"] == PROBE_MEMORY
    assert f"the alarms on {ALARM_METRICS} metrics" in " ".join(page_lines())
    text = "\n".join(page_lines())
    assert f"The fixed costs are {fixed_cost(PRICES):.2f} dollars" in text
    assert f"{fixed_cost(PRICES, 1000):.2f} with reactions in every hour" in text
    difference = fixed_cost(PRICES, full=True) - fixed_cost(PRICES)
    assert f"`Observability=full` adds {difference:.2f}" in text


def test_the_memory_sizes_are_those_of_the_template() -> None:
    parameters = template()["Parameters"]
    assert tuple(parameters["WorkerMemory"]["AllowedValues"]) == MEMORY_SIZES
    assert parameters["WorkerMemory"]["Default"] == 1024
    assert parameters["ReceiverMemory"]["Default"] == WORKLOAD.receiver_memory
