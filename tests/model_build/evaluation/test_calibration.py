"""Calibration meets its objective, and metrics come with intervals."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

pytest.importorskip("torch", reason="the pipeline needs the 'build' dependencies")

import pandas as pd

from model_build.evaluation.calibration import (
    BALANCED_THRESHOLD,
    MAX_CAUTIOUS_FALSE_POSITIVE_RATE,
    MAX_FALSE_POSITIVE_RATE,
    calibrate,
    kind_thresholds,
    logit,
    sigmoid,
)
from model_build.metrics import calibration_error, compute_metrics


def scored_rows(seed: int = 1, count: int = 4000) -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(seed)
    strict = random.integers(0, 2, count)
    logits = random.normal(3.0 * (2 * strict - 1), 2.0)
    source = np.where(strict == 0, "se_gitter", "tweets")
    return pd.DataFrame({"strict": strict, "source": source}), 1 / (1 + np.exp(-logits))


def false_positives(rows: pd.DataFrame, scores: np.ndarray, threshold: float) -> float:
    return float((scores[rows["strict"] == 0] >= threshold).mean())


def test_the_operating_points_limit_false_positives_on_benign_workplace_rows() -> None:
    rows, scores = scored_rows()
    calibration = calibrate(rows, scores)
    calibrated = sigmoid((logit(scores) - calibration.offset) / calibration.temperature)
    assert 0 < false_positives(rows, calibrated, BALANCED_THRESHOLD) <= MAX_FALSE_POSITIVE_RATE
    cautious = false_positives(rows, calibrated, calibration.cautious)
    assert cautious <= MAX_CAUTIOUS_FALSE_POSITIVE_RATE
    assert calibration.cautious > BALANCED_THRESHOLD


def test_the_curve_has_both_operating_points_and_trades_recall_for_false_positives() -> None:
    rows, scores = scored_rows()
    calibration = calibrate(rows, scores)
    thresholds = [point.threshold for point in calibration.curve]
    assert {BALANCED_THRESHOLD, calibration.cautious} <= set(thresholds)
    for lower, higher in itertools.pairwise(calibration.curve):
        assert lower.recall >= higher.recall
        assert lower.false_positives >= higher.false_positives


def test_calibration_fixes_overconfident_scores() -> None:
    random = np.random.default_rng(2)
    truth = random.uniform(0.01, 0.99, 20_000)
    strict = (random.uniform(size=truth.size) < truth).astype(int)
    overconfident = 1 / (1 + ((1 - truth) / truth) ** 3)
    rows = pd.DataFrame({"strict": strict, "source": "chat"})
    calibration = calibrate(rows, overconfident)
    assert calibration.temperature > 2
    # The offset puts 0.5 where the threshold is, so only the slope is compared.
    scaled = sigmoid(logit(overconfident) / calibration.temperature)
    assert calibration_error(strict, scaled, 0.5) < calibration_error(strict, overconfident, 0.5)


def test_the_threshold_of_a_kind_separates_the_toxic_rows_that_show_it() -> None:
    shown = np.tile([0.0, 1.0], 100)
    rows = pd.DataFrame({"strict": 1, "kind_threat": shown})
    found = kind_thresholds(rows, {"threat": 0.2 + 0.3 * shown, "insult": shown})
    assert 0.2 < found["threat"] <= 0.5
    assert found["insult"] == 0.5  # unknown in every row


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
