"""Calibration meets its objective, and metrics come with intervals."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="the pipeline needs the 'build' dependencies")

import pandas as pd

from model_build.evaluation.calibration import MAX_FALSE_POSITIVE_RATE, calibrate
from model_build.metrics import calibration_error, compute_metrics


def scored_rows(seed: int = 1, count: int = 4000) -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(seed)
    strict = random.integers(0, 2, count)
    logits = random.normal(3.0 * (2 * strict - 1), 2.0)
    source = np.where(strict == 0, "se_gitter", "tweets")
    return pd.DataFrame({"strict": strict, "source": source}), 1 / (1 + np.exp(-logits))


def test_the_threshold_limits_false_positives_on_benign_workplace_rows() -> None:
    rows, scores = scored_rows()
    calibration = calibrate(rows, scores)
    assert calibration.false_positives <= MAX_FALSE_POSITIVE_RATE
    assert calibration.threshold > 0.5


def test_the_temperature_fixes_overconfident_scores() -> None:
    random = np.random.default_rng(2)
    truth = random.uniform(0.01, 0.99, 20_000)
    strict = (random.uniform(size=truth.size) < truth).astype(int)
    overconfident = 1 / (1 + ((1 - truth) / truth) ** 3)
    rows = pd.DataFrame({"strict": strict, "source": "chat"})
    assert calibrate(rows, overconfident).temperature == pytest.approx(3, rel=0.1)
    assert calibration_error(strict, truth, 0.5) < calibration_error(strict, overconfident, 0.5)


def test_an_interval_contains_its_estimate() -> None:
    rows, scores = scored_rows(count=500)
    estimates = compute_metrics(rows["strict"].to_numpy(), scores, 0.5, resamples=200)
    for estimate in estimates.values():
        assert estimate.value is not None
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.low <= estimate.value <= estimate.high


def test_rows_of_one_label_have_only_the_metric_that_is_defined_for_them() -> None:
    estimates = compute_metrics(np.zeros(10, dtype=int), np.full(10, 0.7), 0.5)
    assert estimates["false positives"].value == 1.0
    assert estimates["AUC"].value is None
    assert estimates["AUC"].text() == "-"
