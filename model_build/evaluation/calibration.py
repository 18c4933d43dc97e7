"""Choose temperature and threshold on validation rows, for a stated objective."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import f1_score

WORKPLACE_SOURCES = (
    "toxicr_code_review",
    "se_gitter",
    "stanford_politeness_weakneg",
    "goemotions_weakneg",
    "wiki_context_toxicity",
)
MAX_FALSE_POSITIVE_RATE = 0.009
OBJECTIVE = (
    "the best mean macro-F1 over the validation sources that contain both labels, with at most "
    f"{MAX_FALSE_POSITIVE_RATE:.1%} false positives on the benign workplace rows of validation"
)
_THRESHOLDS = np.round(np.arange(0.2, 0.991, 0.01), 2)
_TEMPERATURES = np.round(np.geomspace(0.2, 5, 200), 3)
_MIN_ROWS_PER_LABEL = 20


@dataclass(frozen=True, slots=True)
class Calibration:
    """The chosen temperature and threshold, and their metrics on validation rows.

    Parameters
    ----------
    temperature
        Minimizes the negative log-likelihood of the validation rows.
    threshold
        The score from which a text is toxic, at that temperature.
    false_positives
        Fraction of the benign workplace rows with a score at or above the threshold.
    macro_f1
        Mean over the sources, at the threshold.
    """

    temperature: float
    threshold: float
    false_positives: float
    macro_f1: float


def calibrate(rows: pd.DataFrame, scores: NDArray[np.float64]) -> Calibration:
    """Choose temperature and threshold for the objective that `OBJECTIVE` states.

    Parameters
    ----------
    rows
        Validation rows with columns strict and source; rows without a strict label are
        ignored.
    scores
        Toxic probability of each row at temperature 1.
    """
    labeled = rows["strict"].notna().to_numpy()
    labels = rows.loc[labeled, "strict"].to_numpy(int)
    sources = rows.loc[labeled, "source"].to_numpy(str)
    logits = logit(scores[labeled])
    temperature = _best_temperature(logits, labels)
    scaled = sigmoid(logits / temperature)
    benign = np.isin(sources, WORKPLACE_SOURCES) & (labels == 0)
    if not benign.any():
        benign = labels == 0
    best = max(_THRESHOLDS, key=lambda t: (round(macro_f1(scaled >= t, labels, sources), 4), t))
    allowed = [t for t in _THRESHOLDS if (scaled[benign] >= t).mean() <= MAX_FALSE_POSITIVE_RATE]
    threshold = float(max(best, min(allowed, default=float(_THRESHOLDS[-1]))))
    return Calibration(
        temperature=temperature,
        threshold=threshold,
        false_positives=float((scaled[benign] >= threshold).mean()),
        macro_f1=macro_f1(scaled >= threshold, labels, sources),
    )


def macro_f1(
    predictions: NDArray[np.bool_], labels: NDArray[np.int_], sources: NDArray[np.str_]
) -> float:
    """Return the mean macro-F1 over the sources with enough rows of both labels.

    If no source has enough, it is the macro-F1 over all rows.
    """
    per_source = []
    for name in np.unique(sources):
        mask = sources == name
        if min((labels[mask] == 0).sum(), (labels[mask] == 1).sum()) >= _MIN_ROWS_PER_LABEL:
            per_source.append(f1_score(labels[mask], predictions[mask], average="macro"))
    return float(np.mean(per_source or [f1_score(labels, predictions, average="macro")]))


def logit(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log-odds of probabilities."""
    clipped = np.clip(probabilities, 1e-9, 1 - 1e-9)
    log_odds: NDArray[np.float64] = np.log(clipped) - np.log1p(-clipped)
    return log_odds


def sigmoid(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of log-odds."""
    probabilities: NDArray[np.float64] = 1 / (1 + np.exp(-log_odds))
    return probabilities


def _best_temperature(logits: NDArray[np.float64], labels: NDArray[np.int_]) -> float:
    signs = 2 * labels - 1
    losses = [float(np.logaddexp(0, -signs * logits / t).mean()) for t in _TEMPERATURES]
    return float(_TEMPERATURES[int(np.argmin(losses))])
