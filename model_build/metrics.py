"""Classification metrics with bootstrap intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score

Scores = NDArray[np.float64]
Labels = NDArray[np.int_]

_MIN_ROWS = 10


@dataclass(frozen=True, slots=True)
class Estimate:
    """A metric with its 95 % bootstrap interval; None where it is undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None

    def text(self, digits: int = 3) -> str:
        """Return the value and its interval for display."""
        if self.value is None:
            return "-"
        if self.low is None or self.high is None:
            return f"{self.value:.{digits}f}"
        return f"{self.value:.{digits}f} ({self.low:.{digits}f} to {self.high:.{digits}f})"


def macro_f1(labels: Labels, scores: Scores, threshold: float) -> float:
    """Return the F1 averaged over both labels."""
    return float(f1_score(labels, scores >= threshold, average="macro", zero_division=0.0))


def f1(labels: Labels, scores: Scores, threshold: float) -> float:
    """Return the F1 of the toxic label."""
    return float(f1_score(labels, scores >= threshold, zero_division=0.0))


def precision(labels: Labels, scores: Scores, threshold: float) -> float:
    """Return the fraction of the rows predicted toxic that are toxic."""
    predicted = scores >= threshold
    return float(labels[predicted].mean()) if predicted.any() else 0.0


def recall(labels: Labels, scores: Scores, threshold: float) -> float:
    """Return the fraction of the toxic rows that are predicted toxic."""
    return float((scores[labels == 1] >= threshold).mean())


def false_positives(labels: Labels, scores: Scores, threshold: float) -> float:
    """Return the false positive rate."""
    return float((scores[labels == 0] >= threshold).mean())


def auc(labels: Labels, scores: Scores, _threshold: float) -> float:
    """Return the area under the ROC curve."""
    return float(roc_auc_score(labels, scores))


def mean_auc(labels: Labels, scores: Scores, sources: NDArray[np.str_]) -> float:
    """Return the area under the ROC curve, averaged over the sources with both labels.

    The area over all rows at once would mostly measure how well one source is told from
    another.
    """
    areas = []
    for name in np.unique(sources):
        in_source = sources == name
        if np.bincount(labels[in_source], minlength=2).min() >= _MIN_ROWS:
            areas.append(roc_auc_score(labels[in_source], scores[in_source]))
    return float(np.mean(areas or [roc_auc_score(labels, scores)]))


def average_precision(labels: Labels, scores: Scores, _threshold: float) -> float:
    """Return the area under the precision-recall curve, as a step function."""
    return float(average_precision_score(labels, scores))


def calibration_error(labels: Labels, scores: Scores, _threshold: float, bins: int = 15) -> float:
    """Return the expected calibration error over bins of equal width."""
    bin_ = np.minimum((scores * bins).astype(int), bins - 1)
    gaps = [
        abs(scores[bin_ == n].mean() - labels[bin_ == n].mean()) * (bin_ == n).mean()
        for n in np.unique(bin_)
    ]
    return float(sum(gaps))


METRICS: dict[str, Callable[[Labels, Scores, float], float]] = {
    "macro-F1": macro_f1,
    "F1": f1,
    "precision": precision,
    "recall": recall,
    "AUC": auc,
    "average precision": average_precision,
    "false positives": false_positives,
    "calibration error": calibration_error,
}

KIND_METRICS = ("average precision", "F1", "precision", "recall")
"""The per-category metrics."""


def compute_metrics(
    labels: Labels,
    scores: Scores,
    threshold: float,
    *,
    resamples: int = 0,
    seed: int = 0,
    names: Sequence[str] = tuple(METRICS),
) -> dict[str, Estimate]:
    """Compute every metric that is defined for the rows.

    Parameters
    ----------
    labels
        0 or 1, shape (rows,).
    scores
        Toxic probability, shape (rows,).
    threshold
        Minimum score of a row that is predicted toxic.
    resamples
        Bootstrap samples for the intervals; 0 for no intervals.
    seed
        Random seed of the bootstrap.
    names
        The metrics to compute, of those in `METRICS`.

    Returns
    -------
    dict of str to Estimate
        By name; for rows of a single label only recall or false positives
        have a value.
    """
    asked, names = names, list(names)
    if labels.min() == labels.max():
        names = ["recall"] if labels[0] else ["false positives"]
    random = np.random.default_rng(seed)
    samples: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(resamples):
        drawn = random.integers(0, len(labels), len(labels))
        if len(names) > 1 and labels[drawn].min() == labels[drawn].max():
            continue
        for name in names:
            samples[name].append(METRICS[name](labels[drawn], scores[drawn], threshold))
    estimates = {name: Estimate(None) for name in asked}
    for name in names:
        value = METRICS[name](labels, scores, threshold)
        low, high = np.quantile(samples[name], (0.025, 0.975)) if samples[name] else (None, None)
        estimates[name] = Estimate(
            value, None if low is None else float(low), None if high is None else float(high)
        )
    return estimates
