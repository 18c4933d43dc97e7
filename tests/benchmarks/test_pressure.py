"""The loads that lean on the service."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.serving import pressure
from benchmarks.serving.pressure import PRESSURES, press, pressure_table


@pytest.mark.slow
@pytest.mark.long
def test_under_every_pressure_somebody_else_gets_verdicts(model_folder: Path) -> None:
    results = list(press(model_folder, requests=10, seed=1))
    assert [one.pressure for one in results] == list(PRESSURES)
    assert [one.refused for one in results] == [0] * len(PRESSURES)
    assert pressure_table(results).row_count == len(PRESSURES)


def test_the_largest_request_is_one_that_the_service_takes() -> None:
    assert 800_000 < len(pressure._large_body()) < 1_000_000
