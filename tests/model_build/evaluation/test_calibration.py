"""The threshold keeps the promise it is chosen for."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="the pipeline needs the 'build' dependencies")

import pandas as pd

from model_build.evaluation.calibration import FALSE_POSITIVES, calibrate
from model_build.metrics import calibration_error, figures


def rows(seed: int = 1, count: int = 4000) -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(seed)
    strict = random.integers(0, 2, count)
    margin = random.normal(3.0 * (2 * strict - 1), 2.0)
    source = np.where(strict == 0, "se_gitter", "tweets")
    return pd.DataFrame({"strict": strict, "source": source}), 1 / (1 + np.exp(-margin))


def test_benign_workplace_rows_are_hardly_ever_called_toxic() -> None:
    frame, scores = rows()
    found = calibrate(frame, scores)
    assert found.false_positives <= FALSE_POSITIVES
    assert found.threshold > 0.5


def test_the_temperature_mends_scores_that_are_too_sure() -> None:
    random = np.random.default_rng(2)
    truth = random.uniform(0.01, 0.99, 20_000)
    strict = (random.uniform(size=truth.size) < truth).astype(int)
    sure = 1 / (1 + ((1 - truth) / truth) ** 3)
    found = calibrate(pd.DataFrame({"strict": strict, "source": "talk"}), sure)
    assert found.temperature == pytest.approx(3, rel=0.1)
    assert calibration_error(strict, truth, 0.5) < calibration_error(strict, sure, 0.5)


def test_an_interval_holds_its_figure() -> None:
    frame, scores = rows(count=500)
    found = figures(frame["strict"].to_numpy(), scores, 0.5, resamples=200)
    for figure in found.values():
        assert figure.value is not None
        assert figure.low is not None
        assert figure.high is not None
        assert figure.low <= figure.value <= figure.high


def test_rows_of_one_label_have_only_the_figure_that_makes_sense() -> None:
    found = figures(np.zeros(10, dtype=int), np.full(10, 0.7), 0.5)
    assert found["false positives"].value == 1.0
    assert found["AUC"].value is None
    assert found["AUC"].text() == "-"
