"""How good weights are, to pick the best of a training."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score

from model_build.training.checkpoint import Checkpoint

_KINDS_WEIGHT = 0.1
"""Area under the ROC curve that weights may lose for an average precision of 1, not 0."""
_VOTES_WEIGHT = 0.02
"""Area under the ROC curve that weights may lose if they side with all votes instead of none."""
_MIN_READ_ROWS = 200
"""Toxic rows that were read without which written ones count, too."""


@dataclass(frozen=True, slots=True)
class Rating:
    """How good weights are, to pick the best.

    Parameters
    ----------
    auc
        Area under the ROC curve on validation rows, averaged over their sources.
    approval
        Probability that they give to the labels of the votes, averaged over the votes; 0 without
        votes.
    kinds
        Average precision of the kinds, averaged over them (`kinds_precision`); 0 without kinds.
    """

    auc: float = 0.0
    approval: float = 0.0
    kinds: float = 0.0

    @property
    def score(self) -> float:
        """What is compared. Votes are few, and no validation row tells if they were learned."""
        return self.auc + _KINDS_WEIGHT * self.kinds + _VOTES_WEIGHT * self.approval


def kinds_precision(
    checkpoint: Checkpoint, rows: pd.DataFrame, logits: NDArray[np.float32]
) -> float:
    """Return the average precision of the kinds among toxic rows, averaged over the kinds.

    Only rows that were read count where there are enough: in written ones kinds are plainer, and
    training further hardly changes how well they are told apart.

    Parameters
    ----------
    checkpoint
        Tells the model's labels and kinds.
    rows
        Column strict, and optionally read and one for each kind, in which NaN means unknown.
    logits
        Of these rows, shape (rows, labels and kinds).
    """
    toxic = rows["strict"].to_numpy(int) == 1
    if "read" in rows and (toxic & rows["read"].to_numpy(bool)).sum() >= _MIN_READ_ROWS:
        toxic &= rows["read"].to_numpy(bool)
    precisions = []
    for column, kind in enumerate(checkpoint.kinds, len(checkpoint.labels)):
        if (name := f"kind_{kind}") in rows:
            shown = rows[name].to_numpy(float)
            among = toxic & ~np.isnan(shown)
            if (shown[among] == 1).any():
                precisions.append(average_precision_score(shown[among], logits[among, column]))
    return float(np.mean(precisions)) if precisions else 0.0
