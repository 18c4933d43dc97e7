"""Other judges to be measured against, on the same rows."""

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
Judge = Callable[[Sequence[str]], NDArray[np.float64]]


def scores_of_peers(texts: Sequence[str], folder: Path) -> dict[str, NDArray[np.float64]]:
    """Return the scores of every installed peer, by the name of its package.

    Parameters
    ----------
    texts
        What they judge.
    folder
        Where scores are kept: one of them takes half an hour for 20,000 texts, and neither
        changes its mind.
    """
    asked = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]
    found: dict[str, NDArray[np.float64]] = {}
    for name, judge in peers().items():
        file = folder / f"{name}-{version(name)}-{asked}.npy"
        if file.exists():
            logger.info("%s: its scores were kept", name)
        else:
            logger.info("judging with %s", name)
            np.save(file, judge(texts))
        found[name] = np.load(file)
    return found


def peers() -> dict[str, Judge]:
    """Return the peers that are installed, by the name of their package.

    Returns
    -------
    dict of str to callable
        Each takes texts and returns a score for each, toxic from 0.5 on.
    """
    found: dict[str, Judge] = {}
    for name, make in (
        ("alt-profanity-check", _alt_profanity_check),
        ("better-profanity", _better_profanity),
    ):
        try:
            found[name] = make()
        except ImportError:
            logger.warning("%s is not installed: evaluated without it", name)
    return found


def _alt_profanity_check() -> Judge:
    from profanity_check import predict_prob

    return lambda texts: np.asarray(predict_prob(list(texts)), dtype=np.float64)


def _better_profanity() -> Judge:
    from better_profanity import profanity

    profanity.load_censor_words()

    def judge(texts: Sequence[str]) -> NDArray[np.float64]:
        with progress() as bar:
            return np.array(
                [
                    float(profanity.contains_profanity(text))
                    for text in bar.track(texts, description="judging")
                ]
            )

    return judge
