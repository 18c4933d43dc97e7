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


def curves(path: Path, labels: Labels, judged: Mapping[str, Scores]) -> None:
    """Draw the ROC and the precision-recall curve of each judge."""
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 5))
    for name, scores in judged.items():
        false, true, _ = roc_curve(labels, scores)
        left.plot(false, true, label=name)
        precision, recall, _ = precision_recall_curve(labels, scores)
        right.plot(recall, precision, label=name)
    left.set(title="ROC", xlabel="false positives", ylabel="recall")
    right.set(title="precision and recall", xlabel="recall", ylabel="precision")
    left.legend()
    _save(figure, path)


def calibration(path: Path, labels: Labels, judged: Mapping[str, Scores]) -> None:
    """Draw the share of toxic rows over the score that was given to them."""
    figure, axes = pyplot.subplots(figsize=(5.5, 5))
    axes.plot((0, 1), (0, 1), linestyle=":", color="grey")
    for name, scores in judged.items():
        bins = np.minimum((scores * _BINS).astype(int), _BINS - 1)
        filled = [n for n in range(_BINS) if (bins == n).sum() > _BINS]
        axes.plot(
            [scores[bins == n].mean() for n in filled],
            [labels[bins == n].mean() for n in filled],
            marker="o",
            label=name,
        )
    axes.set(title="calibration", xlabel="score", ylabel="share that is toxic")
    axes.legend()
    _save(figure, path)


def histogram(path: Path, labels: Labels, scores: Scores, threshold: float) -> None:
    """Draw how scores are spread over both labels."""
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
