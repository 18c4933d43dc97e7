"""Choose offset, temperature and thresholds on validation rows, for a stated objective."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import f1_score, precision_recall_curve

WORKPLACE_SOURCES = (
    "toxicr_code_review",
    "se_gitter",
    "stanford_politeness_weakneg",
    "wiki_context_toxicity",
)
"""Sources of work talk. GoEmotions is not among them: its rows were never annotated for
toxicity, and many attacks are labeled 0 there."""
MAX_FALSE_POSITIVE_RATE = 0.005
MAX_CAUTIOUS_FALSE_POSITIVE_RATE = 0.001
OBJECTIVE = (
    "*balanced*: the best mean macro-F1 over the validation sources that contain both labels,\n"
    f"  with at most {MAX_FALSE_POSITIVE_RATE:.1%} false positives on the benign workplace rows\n"
    f"- *cautious*: at most {MAX_CAUTIOUS_FALSE_POSITIVE_RATE:.1%} of them"
)
BALANCED_THRESHOLD = 0.5
"""By definition: the offset makes it so."""
_MARGINS = np.round(np.arange(-3, 6.001, 0.05), 2)
_TEMPERATURES = np.round(np.geomspace(0.2, 5, 200), 3)
_KIND_THRESHOLDS = np.round(np.arange(0.05, 0.96, 0.01), 2)
_MIN_ROWS_PER_LABEL = 20
_CURVE = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


@dataclass(frozen=True, slots=True)
class Tradeoff:
    """What a threshold finds, and what it flags by mistake, on validation rows.

    Parameters
    ----------
    threshold
        The score from which a text is toxic.
    recall
        Mean over the sources of the share of toxic rows that are found.
    macro_f1
        Mean over the sources.
    false_positives
        Share of the benign workplace rows that are flagged.
    """

    threshold: float
    recall: float
    macro_f1: float
    false_positives: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """How log-odds become a score, and the thresholds.

    Parameters
    ----------
    offset
        Log-odds of toxic at the balanced threshold.
    temperature
        Minimizes the negative log-likelihood of the validation rows, given the offset.
    cautious
        Threshold of the cautious operating point.
    curve
        The trade-off at several thresholds, among them both operating points'.
    """

    offset: float
    temperature: float
    cautious: float
    curve: tuple[Tradeoff, ...]


def calibrate(rows: pd.DataFrame, scores: NDArray[np.float64]) -> Calibration:
    """Choose offset, temperature and thresholds for the objective that `OBJECTIVE` states.

    Parameters
    ----------
    rows
        Validation rows with columns strict and source; rows without a strict label are
        ignored.
    scores
        Toxic probability of each row, with offset 0 and temperature 1.
    """
    labeled = rows["strict"].notna().to_numpy()
    labels = rows.loc[labeled, "strict"].to_numpy(int)
    sources = rows.loc[labeled, "source"].to_numpy(str)
    margins = logit(scores[labeled])
    benign = np.isin(sources, WORKPLACE_SOURCES) & (labels == 0)
    if not benign.any():
        benign = labels == 0
    best = max(_MARGINS, key=lambda m: (round(macro_f1(margins >= m, labels, sources), 4), m))
    balanced = max(best, _lowest_margin(margins[benign], MAX_FALSE_POSITIVE_RATE))
    cautious = max(balanced, _lowest_margin(margins[benign], MAX_CAUTIOUS_FALSE_POSITIVE_RATE))
    temperature = _best_temperature(margins - balanced, labels)
    calibrated = sigmoid((margins - balanced) / temperature)
    cautious_score = float(sigmoid(np.array([(cautious - balanced) / temperature]))[0])
    cautious_threshold = round(cautious_score, 3)
    thresholds = sorted({*_CURVE, cautious_threshold})
    return Calibration(
        offset=float(balanced),
        temperature=temperature,
        cautious=cautious_threshold,
        curve=tuple(_tradeoff(t, calibrated, labels, sources, benign) for t in thresholds),
    )


def _lowest_margin(benign: NDArray[np.float64], max_rate: float) -> float:
    """Return the lowest margin at which few enough benign rows are flagged."""
    allowed = [m for m in _MARGINS if (benign >= m).mean() <= max_rate]
    return float(min(allowed, default=_MARGINS[-1]))


def _tradeoff(
    threshold: float,
    scores: NDArray[np.float64],
    labels: NDArray[np.int_],
    sources: NDArray[np.str_],
    benign: NDArray[np.bool_],
) -> Tradeoff:
    found = scores >= threshold
    recalls = [
        found[mask].mean()
        for name in np.unique(sources)
        if (mask := (sources == name) & (labels == 1)).sum() >= _MIN_ROWS_PER_LABEL
    ]
    return Tradeoff(
        threshold=threshold,
        recall=round(float(np.mean(recalls or [found[labels == 1].mean()])), 4),
        macro_f1=round(macro_f1(found, labels, sources), 4),
        false_positives=round(float(found[benign].mean()), 5),
    )


def kind_thresholds(
    rows: pd.DataFrame, probabilities: Mapping[str, NDArray[np.float64]]
) -> dict[str, float]:
    """Return the probability from which a toxic text shows each kind: the one of the best F1.

    Parameters
    ----------
    rows
        Validation rows with columns strict and, for each kind, ``kind_NAME`` (1, 0 or NaN).
    probabilities
        Probability of each kind for each row.
    """
    return {
        kind: _best_kind_threshold(rows, f"kind_{kind}", values)
        for kind, values in probabilities.items()
    }


def _best_kind_threshold(
    rows: pd.DataFrame, column: str, probabilities: NDArray[np.float64]
) -> float:
    if column not in rows:
        return 0.5
    known = (rows["strict"] == 1).fillna(value=False).to_numpy(bool) & rows[column].notna()
    labels = rows.loc[known, column].to_numpy(int)
    if np.bincount(labels, minlength=2).min() < _MIN_ROWS_PER_LABEL:
        return 0.5
    precision, recall, thresholds = precision_recall_curve(labels, probabilities[known])
    f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-9)
    best = float(thresholds[int(f1[:-1].argmax())])
    return float(_KIND_THRESHOLDS[np.abs(_KIND_THRESHOLDS - best).argmin()])


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


def _best_temperature(logits: NDArray[np.float64], labels: Iterable[int]) -> float:
    signs = 2 * np.asarray(labels) - 1
    losses = [float(np.logaddexp(0, -signs * logits / t).mean()) for t in _TEMPERATURES]
    return float(_TEMPERATURES[int(np.argmin(losses))])
