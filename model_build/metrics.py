"""How well scores tell toxic rows from the others, with the doubt that is in the figure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score

Scores = NDArray[np.float64]
Labels = NDArray[np.int_]

_LEAST_ROWS = 10


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure and its 95 % bootstrap interval; None where it cannot be computed."""

    value: float | None
    low: float | None = None
    high: float | None = None

    def text(self, digits: int = 3) -> str:
        """Return it as a person reads it."""
        if self.value is None:
            return "-"
        if self.low is None or self.high is None:
            return f"{self.value:.{digits}f}"
        return f"{self.value:.{digits}f} ({self.low:.{digits}f} to {self.high:.{digits}f})"


def macro_f1(labels: Labels, scores: Scores, threshold: float) -> float:
    """Return the mean of the F1 of both labels."""
    return float(f1_score(labels, scores >= threshold, average="macro", zero_division=0.0))


def precision(labels: Labels, scores: Scores, threshold: float) -> float:
    """Return the share of the rows called toxic that are."""
    called = scores >= threshold
    return float(labels[called].mean()) if called.any() else 0.0


def recall(labels: Labels, scores: Scores, threshold: float) -> float:
    """Return the share of the toxic rows that are called so."""
    return float((scores[labels == 1] >= threshold).mean())


def false_positives(labels: Labels, scores: Scores, threshold: float) -> float:
    """Return the share of the other rows that are called toxic."""
    return float((scores[labels == 0] >= threshold).mean())


def auc(labels: Labels, scores: Scores, _threshold: float) -> float:
    """Return the area under the ROC curve."""
    return float(roc_auc_score(labels, scores))


def mean_auc(labels: Labels, scores: Scores, sources: NDArray[np.str_]) -> float:
    """Return the area under the ROC curve, averaged over the sources with both labels.

    Over all rows at once it would tell little more than one source from another.
    """
    found = []
    for name in np.unique(sources):
        here = sources == name
        if np.bincount(labels[here], minlength=2).min() >= _LEAST_ROWS:
            found.append(roc_auc_score(labels[here], scores[here]))
    return float(np.mean(found or [roc_auc_score(labels, scores)]))


def average_precision(labels: Labels, scores: Scores, _threshold: float) -> float:
    """Return the area under the precision-recall curve, as steps."""
    return float(average_precision_score(labels, scores))


def calibration_error(labels: Labels, scores: Scores, _threshold: float, bins: int = 15) -> float:
    """Return the expected calibration error: mean gap of score and truth over equal bins."""
    bin_ = np.minimum((scores * bins).astype(int), bins - 1)
    gaps = [
        abs(scores[bin_ == n].mean() - labels[bin_ == n].mean()) * (bin_ == n).mean()
        for n in np.unique(bin_)
    ]
    return float(sum(gaps))


BOTH: dict[str, Callable[[Labels, Scores, float], float]] = {
    "macro-F1": macro_f1,
    "precision": precision,
    "recall": recall,
    "AUC": auc,
    "average precision": average_precision,
    "false positives": false_positives,
    "calibration error": calibration_error,
}


def figures(
    labels: Labels, scores: Scores, threshold: float, *, resamples: int = 0, seed: int = 0
) -> dict[str, Figure]:
    """Return every figure that the rows allow.

    Parameters
    ----------
    labels
        0 or 1, shape (rows,).
    scores
        Toxic probability, shape (rows,).
    threshold
        From which score on a row is called toxic.
    resamples
        Bootstrap samples for the intervals; 0 for none.
    seed
        Of the bootstrap.

    Returns
    -------
    dict of str to Figure
        By the names of `BOTH`; rows of one label alone have only recall or false positives.
    """
    names = list(BOTH)
    if labels.min() == labels.max():
        names = ["recall"] if labels[0] else ["false positives"]
    random = np.random.default_rng(seed)
    drawn: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(resamples):
        sample = random.integers(0, len(labels), len(labels))
        if len(names) > 1 and labels[sample].min() == labels[sample].max():
            continue
        for name in names:
            drawn[name].append(BOTH[name](labels[sample], scores[sample], threshold))
    found = {name: Figure(None) for name in BOTH}
    for name in names:
        value = BOTH[name](labels, scores, threshold)
        low, high = np.quantile(drawn[name], (0.025, 0.975)) if drawn[name] else (None, None)
        found[name] = Figure(
            value, None if low is None else float(low), None if high is None else float(high)
        )
    return found
