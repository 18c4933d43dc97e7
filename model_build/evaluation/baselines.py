"""Other classifiers that the model is compared to, on the same rows."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from model_build.terminal import progress

logger = logging.getLogger(__name__)
Baseline = Callable[[Sequence[str]], NDArray[np.float64]]
"""A classifier: texts to scores, toxic from 0.5 up."""


def baseline_scores(texts: Sequence[str], cache: Path) -> dict[str, NDArray[np.float64]]:
    """Return the scores of every installed baseline, by package name.

    Parameters
    ----------
    texts
        The texts to score.
    cache
        Folder in which scores are cached. One baseline takes half an hour for 20,000 texts,
        and both are deterministic.
    """
    texts_hash = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]
    scores: dict[str, NDArray[np.float64]] = {}
    for name, baseline in installed_baselines().items():
        file = cache / f"{name}-{version(name)}-{texts_hash}.npy"
        if file.exists():
            logger.info("%s: using cached scores", name)
        else:
            logger.info("%s: scoring", name)
            np.save(file, baseline(texts))
        scores[name] = np.load(file)
    return scores


def installed_baselines() -> dict[str, Baseline]:
    """Return the installed baselines, by package name."""
    baselines: dict[str, Baseline] = {}
    for name, create in (
        ("alt-profanity-check", _alt_profanity_check),
        ("better-profanity", _better_profanity),
    ):
        try:
            baselines[name] = create()
        except ImportError:
            logger.warning("%s is not installed: skipping this baseline", name)
    return baselines


def _alt_profanity_check() -> Baseline:
    from profanity_check import predict_prob

    return lambda texts: np.asarray(predict_prob(list(texts)), dtype=np.float64)


def _better_profanity() -> Baseline:
    from better_profanity import profanity

    profanity.load_censor_words()

    def score(texts: Sequence[str]) -> NDArray[np.float64]:
        with progress() as bar:
            return np.array(
                [
                    float(profanity.contains_profanity(text))
                    for text in bar.track(texts, description="scoring")
                ]
            )

    return score
