"""The table of hosts in docs/service.md is the one that is computed."""

from __future__ import annotations

import re

import pytest

from benchmarks.__main__ import main
from benchmarks.serving.hosting import (
    API_PER_TEXT,
    HOSTS,
    UTILIZATION,
    Host,
    break_even,
    held,
    hosting_table,
    million_cost,
)
from simulators import ROOT


def test_the_page_shows_the_hosts_at_the_rate_that_it_names() -> None:
    page = (ROOT / "docs" / "service.md").read_text("utf-8")
    prose = " ".join(page.split())
    [rate] = re.findall(r"benchmarks hosting --rate (\d+)", page)
    assert hosting_table(float(rate)) in page
    assert f"{API_PER_TEXT * 1000:.2f} dollars for a thousand texts" in prose
    assert f"{UTILIZATION:.0%} of what the CPUs do" in prose


def test_a_host_with_twice_the_cpus_holds_twice_as_much_at_the_same_price_for_a_text() -> None:
    small, large = Host("small", 2, 70.0), Host("large", 4, 140.0)
    assert held(large, 100) == 2 * held(small, 100) == 400 * UTILIZATION
    assert million_cost(large, 100) == pytest.approx(million_cost(small, 100))


def test_a_host_pays_off_where_the_api_costs_as_much() -> None:
    for host in HOSTS:
        assert break_even(host) * API_PER_TEXT == pytest.approx(host.month)


def test_the_command_prints_the_table_for_a_rate_of_ones_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["hosting", "--rate", "321"]) == 0
    assert hosting_table(321) in capsys.readouterr().out
