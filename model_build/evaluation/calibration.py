"""Choose temperature and threshold on validation rows, for a stated aim."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import f1_score

WORKPLACE = (
    "toxicr_code_review",
    "se_gitter",
    "stanford_politeness_weakneg",
    "goemotions_weakneg",
    "wiki_context_toxicity",
)
FALSE_POSITIVES = 0.009
AIM = (
    "the best mean macro-F1 over the validation sources that hold both labels, but never a "
    f"threshold at which more than {FALSE_POSITIVES:.1%} of the benign workplace rows of "
    "validation are called toxic"
)
_GRID = np.round(np.arange(0.2, 0.991, 0.01), 2)
_TEMPERATURES = np.round(np.geomspace(0.2, 5, 200), 3)
_LEAST_ROWS = 20


@dataclass(frozen=True, slots=True)
class Calibration:
    """What calibration found.

    Parameters
    ----------
    temperature
        That makes the scores most likely on validation rows.
    threshold
        From which score on a text is toxic, at that temperature.
    false_positives
        Share of the benign workplace rows of validation at or over the threshold.
    macro_f1
        Mean over the validation sources, at the threshold.
    """

    temperature: float
    threshold: float
    false_positives: float
    macro_f1: float


def calibrate(rows: pd.DataFrame, scores: NDArray[np.float64]) -> Calibration:
    """Choose temperature and threshold.

    Parameters
    ----------
    rows
        Columns strict and source; rows without a strict label are left out.
    scores
        Toxic probability of each row at temperature 1.

    Returns
    -------
    Calibration
        For the aim that `AIM` states.
    """
    known = rows["strict"].notna().to_numpy()
    strict = rows.loc[known, "strict"].to_numpy(int)
    source = rows.loc[known, "source"].to_numpy(str)
    margin = logit(scores[known])
    temperature = _temperature(margin, strict)
    heated = sigmoid(margin / temperature)
    benign = np.isin(source, WORKPLACE) & (strict == 0)
    if not benign.any():
        benign = strict == 0
    best = max(_GRID, key=lambda t: (round(macro_f1(heated >= t, strict, source), 4), t))
    allowed = [t for t in _GRID if (heated[benign] >= t).mean() <= FALSE_POSITIVES]
    threshold = float(max(best, min(allowed, default=float(_GRID[-1]))))
    return Calibration(
        temperature=temperature,
        threshold=threshold,
        false_positives=float((heated[benign] >= threshold).mean()),
        macro_f1=macro_f1(heated >= threshold, strict, source),
    )


def macro_f1(
    verdicts: NDArray[np.bool_], strict: NDArray[np.int_], source: NDArray[np.str_]
) -> float:
    """Return the macro-F1 averaged over the sources that hold enough of both labels."""
    found = []
    for name in np.unique(source):
        here = source == name
        if min((strict[here] == 0).sum(), (strict[here] == 1).sum()) >= _LEAST_ROWS:
            found.append(f1_score(strict[here], verdicts[here], average="macro"))
    return float(np.mean(found or [f1_score(strict, verdicts, average="macro")]))


def logit(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log-odds of probabilities."""
    safe = np.clip(scores, 1e-9, 1 - 1e-9)
    found: NDArray[np.float64] = np.log(safe) - np.log1p(-safe)
    return found


def sigmoid(margin: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return probabilities of log-odds."""
    found: NDArray[np.float64] = 1 / (1 + np.exp(-margin))
    return found


def _temperature(margin: NDArray[np.float64], strict: NDArray[np.int_]) -> float:
    sign = 2 * strict - 1

    losses = [float(np.logaddexp(0, -sign * margin / t).mean()) for t in _TEMPERATURES]
    return float(_TEMPERATURES[int(np.argmin(losses))])
