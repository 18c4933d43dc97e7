"""Logits to verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING

import numpy as np

from toxic_bot.judge.config import ModelConfig, OperatingPoint
from toxic_bot.judge.language import ENGLISH
from toxic_bot.judge.verdict import Status, Verdict
from toxic_bot.judge.windows import passage

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Encoding

_SMALLEST = 1e-9
"""Probabilities are kept this far from 0 and 1, so that their log-odds are finite."""


class Postprocessor:
    """Turns the logits of a text's windows into its verdict.

    Parameters
    ----------
    config
        What the model folder says about its model.
    operating_point
        What the threshold is chosen for.
    """

    def __init__(
        self, config: ModelConfig, operating_point: OperatingPoint = OperatingPoint.BALANCED
    ) -> None:
        self.config = config
        self.threshold = config.thresholds[operating_point]
        self._toxic = [config.labels.index(label) for label in config.toxic_labels]

    def at(self, threshold: float) -> Postprocessor:
        """Return one with another threshold."""
        other = copy(self)
        other.threshold = threshold
        return other

    def verdict(
        self,
        logits: NDArray[np.float32],
        windows: Sequence[Encoding] = (),
        language: str = ENGLISH,
    ) -> Verdict:
        """Return the verdict on a text; its worst window decides.

        Parameters
        ----------
        logits
            Of shape (windows, labels + kinds).
        windows
            What was computed; without them, the verdict has no passage.
        language
            What the text is written in.
        """
        scores = self._scores(logits, self.config.offsets.get(language, self.config.offset))
        worst = int(scores.argmax())
        score = float(scores[worst])
        toxic = score >= self.threshold
        probabilities = self._kinds(logits[worst])
        shown = self._shown(probabilities) if toxic else ()
        place = passage(windows[worst]) if windows else (0, 0)
        return Verdict(
            Status.TOXIC if toxic else Status.FINE,
            score,
            shown,
            probabilities=probabilities,
            windows=len(logits),
            passage=place,
            language=language,
        )

    def _scores(self, logits: NDArray[np.float32], offset: float) -> NDArray[np.float64]:
        """Return the score of each window, for logits of shape (windows, labels + kinds)."""
        toxic = softmax(logits[:, : len(self.config.labels)])[:, self._toxic].sum(axis=1)
        toxic = toxic.clip(_SMALLEST, 1 - _SMALLEST)
        log_odds = np.log(toxic) - np.log1p(-toxic)
        scaled = (log_odds - offset) / self.config.temperature
        scores: NDArray[np.float64] = 1 / (1 + np.exp(-scaled))
        return scores

    def _kinds(self, logits: NDArray[np.float32]) -> dict[str, float]:
        values = 1 / (1 + np.exp(-logits[len(self.config.labels) :].astype(np.float64)))
        names = [kind.name for kind in self.config.kinds]
        return dict(zip(names, map(float, values), strict=True))

    def _shown(self, probabilities: Mapping[str, float]) -> tuple[str, ...]:
        shown = [k.name for k in self.config.kinds if probabilities[k.name] >= k.threshold]
        return tuple(sorted(shown, key=lambda name: -probabilities[name]))


def softmax(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return probabilities along the last axis, in the shape of ``logits``."""
    shifted = logits.astype(np.float64) - logits.max(axis=-1, keepdims=True)
    exponentials = np.exp(shifted)
    probabilities: NDArray[np.float64] = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return probabilities
