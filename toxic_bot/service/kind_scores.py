"""Scores of single kinds of toxicity, on the scale of the other APIs.

Each kind has its own threshold. Its log-odds are shifted so that the threshold becomes 0.5,
where those APIs' clients expect it, and a kind never scores higher than the text: what is not
toxic shows no kind.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from toxic_bot.judge.config import Kind
from toxic_bot.judge.verdict import Verdict

SEVERE = 0.9
"""The score from which a text counts as severely toxic."""
_SMALLEST = 1e-9


def kind_score(verdict: Verdict, kinds: Sequence[Kind], *names: str) -> float | None:
    """Return how evident the most evident of some kinds is.

    Parameters
    ----------
    verdict
        The verdict on a text.
    kinds
        The kinds that the model tells.
    names
        The kinds to look at.

    Returns
    -------
    float or None
        At least 0.5 if and only if both the score and the kind's probability are high enough;
        None if the model tells none of these kinds.
    """
    scores = [
        shift(verdict.probabilities.get(kind.name, 0.0), kind.threshold)
        for kind in kinds
        if kind.name in names
    ]
    return min(verdict.score, max(scores)) if scores else None


def shift(probability: float, threshold: float) -> float:
    """Return a probability with its log-odds shifted so that ``threshold`` becomes 0.5."""
    return 1 / (1 + math.exp(_log_odds(threshold) - _log_odds(probability)))


def _log_odds(probability: float) -> float:
    bounded = min(max(probability, _SMALLEST), 1 - _SMALLEST)
    return math.log(bounded / (1 - bounded))
