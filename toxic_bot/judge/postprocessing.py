"""Logits to verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from toxic_bot.judge.config import ModelConfig, OperatingPoint
from toxic_bot.judge.language import ENGLISH
from toxic_bot.judge.verdict import SURE_FROM, Status, Verdict, not_played_down
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
        kinds = [self._kinds(of_window) for of_window in logits]
        settled = [self._settled(*pair) for pair in zip(scores.tolist(), kinds, strict=True)]
        worst = int(np.argmax(settled))
        score, probabilities = settled[worst], kinds[worst]
        toxic = score >= self.threshold
        shown = self._named(probabilities) if toxic else ()
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

    def asks(self, verdict: Verdict) -> bool:
        """Whether the model's own verdict on a text calls for a second opinion."""
        second = self.config.second_opinion
        return second is not None and verdict.score >= second.lowest

    def reconciled(self, first: Verdict, second: Verdict) -> Verdict:
        """Return the verdict that two models give together on one text.

        Parameters
        ----------
        first
            This model's own; what it says of windows stands.
        second
            The other model's, judged at the same threshold.
        """
        opinion = self.config.second_opinion
        if opinion is None:
            return first
        known = [name for name in first.probabilities if name in second.probabilities]
        own, other = (
            _log_odds(np.array([one.score, *(one.probabilities[name] for name in known)]))
            for one in (first, second)
        )
        mean = (1 - opinion.weight) * own + opinion.weight * other
        probabilities = {
            **first.probabilities,
            **dict(zip(known, map(float, _sigmoid(mean[1:])), strict=True)),
        }
        score = float(_sigmoid((mean[0] - opinion.offset) / opinion.temperature))
        score = self._settled(score, probabilities)
        toxic = score >= self.threshold
        return replace(
            first,
            status=Status.TOXIC if toxic else Status.FINE,
            score=score,
            kinds=self._named(probabilities) if toxic else (),
            probabilities=probabilities,
        )

    def _scores(self, logits: NDArray[np.float32], offset: float) -> NDArray[np.float64]:
        """Return the score of each window, for logits of shape (windows, labels + kinds)."""
        toxic = softmax(logits[:, : len(self.config.labels)])[:, self._toxic].sum(axis=1)
        return _sigmoid((_log_odds(toxic) - offset) / self.config.temperature)

    def _kinds(self, logits: NDArray[np.float32]) -> dict[str, float]:
        values = 1 / (1 + np.exp(-logits[len(self.config.labels) :].astype(np.float64)))
        names = [kind.name for kind in self.config.kinds]
        return dict(zip(names, map(float, values), strict=True))

    def _settled(self, score: float, probabilities: Mapping[str, float]) -> float:
        """Return a score, raised to the balanced threshold where a kind alone is sure enough."""
        is_sure = any(probabilities.get(kind, 0) >= least for kind, least in SURE_FROM.items())
        return max(score, self.config.thresholds[OperatingPoint.BALANCED]) if is_sure else score

    def _named(self, probabilities: Mapping[str, float]) -> tuple[str, ...]:
        sure = [k.name for k in self.config.kinds if probabilities[k.name] >= k.threshold]
        return not_played_down(sure, probabilities)


def _log_odds(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    clipped = probabilities.clip(_SMALLEST, 1 - _SMALLEST)
    log_odds: NDArray[np.float64] = np.log(clipped) - np.log1p(-clipped)
    return log_odds


def _sigmoid(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    scores: NDArray[np.float64] = 1 / (1 + np.exp(-log_odds))
    return scores


def softmax(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return probabilities along the last axis, in the shape of ``logits``."""
    shifted = logits.astype(np.float64) - logits.max(axis=-1, keepdims=True)
    exponentials = np.exp(shifted)
    probabilities: NDArray[np.float64] = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return probabilities
