"""Plots of an evaluation, as PNG files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import matplotlib as mpl
import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import precision_recall_curve, roc_curve

mpl.use("Agg")
from matplotlib import pyplot

Scores = NDArray[np.float64]
Labels = NDArray[np.int_]
_BINS = 15
_MIN_BIN_ROWS = 16


def plot_curves(path: Path, labels: Labels, scores: Mapping[str, Scores]) -> None:
    """Draw the ROC curve and the precision-recall curve of each model."""
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 5))
    for name, values in scores.items():
        false_positive_rate, true_positive_rate, _ = roc_curve(labels, values)
        left.plot(false_positive_rate, true_positive_rate, label=name)
        precision, recall, _ = precision_recall_curve(labels, values)
        right.plot(recall, precision, label=name)
    left.set(title="ROC", xlabel="false positive rate", ylabel="recall")
    right.set(title="precision and recall", xlabel="recall", ylabel="precision")
    left.legend()
    _save(figure, path)


def plot_reliability(path: Path, labels: Labels, scores: Mapping[str, Scores]) -> None:
    """Draw a reliability diagram: the fraction of toxic rows in each bin of scores."""
    figure, axes = pyplot.subplots(figsize=(5.5, 5))
    axes.plot((0, 1), (0, 1), linestyle=":", color="gray")
    for name, values in scores.items():
        bins = np.minimum((values * _BINS).astype(int), _BINS - 1)
        filled = [n for n in range(_BINS) if (bins == n).sum() >= _MIN_BIN_ROWS]
        axes.plot(
            [values[bins == n].mean() for n in filled],
            [labels[bins == n].mean() for n in filled],
            marker="o",
            label=name,
        )
    axes.set(title="calibration", xlabel="mean score", ylabel="fraction of toxic rows")
    axes.legend()
    _save(figure, path)


def plot_histogram(path: Path, labels: Labels, scores: Scores, threshold: float) -> None:
    """Draw the distribution of scores for each label."""
    figure, axes = pyplot.subplots(figsize=(7, 4))
    for label, name in ((0, "not toxic"), (1, "toxic")):
        axes.hist(scores[labels == label], bins=50, range=(0, 1), alpha=0.6, label=name)
    axes.axvline(threshold, color="black", linestyle="--", label="threshold")
    axes.set(title="scores", xlabel="score", ylabel="rows", yscale="log")
    axes.legend()
    _save(figure, path)


def _save(figure: pyplot.Figure, path: Path) -> None:
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
