"""The figures of one classifier on one set of rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Figures:
    """What a classifier makes of rows; NaN where the rows have only one label.

    Parameters
    ----------
    rows
        Their number.
    auc
        Area under the ROC curve.
    macro_f1
        F1 averaged over both labels, at the classifier's customary limit.
    found
        Share of the toxic rows that reach the limit.
    false_alarms
        Share of the others that do.
    """

    rows: int
    auc: float
    macro_f1: float
    found: float
    false_alarms: float

    @classmethod
    def of(cls, labels: Sequence[bool], scores: Sequence[float], limit: float) -> Figures:
        """Compute the figures."""
        toxic = np.array(labels, dtype=bool)
        values = np.array(scores, dtype=np.float64)
        flagged = values >= limit
        both = 0 < toxic.sum() < len(toxic)
        return cls(
            rows=len(toxic),
            auc=_auc(toxic, values) if both else math.nan,
            macro_f1=(_f1(toxic, flagged) + _f1(~toxic, ~flagged)) / 2 if both else math.nan,
            found=float(flagged[toxic].mean()) if toxic.any() else math.nan,
            false_alarms=float(flagged[~toxic].mean()) if (~toxic).any() else math.nan,
        )


def _auc(toxic: NDArray[np.bool_], scores: NDArray[np.float64]) -> float:
    """Return the share of pairs in which the toxic row scores higher; a tie is half a pair."""
    benign = np.sort(scores[~toxic])
    below = np.searchsorted(benign, scores[toxic], side="left")
    up_to = np.searchsorted(benign, scores[toxic], side="right")
    return float((below + up_to).mean() / (2 * len(benign)))


def _f1(actual: NDArray[np.bool_], predicted: NDArray[np.bool_]) -> float:
    both = (actual & predicted).sum()
    return float(2 * both / max(1, actual.sum() + predicted.sum()))
