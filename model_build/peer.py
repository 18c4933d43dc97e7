"""Other judges to be measured against, in the same run and on the same rows."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

logger = logging.getLogger(__name__)
Judge = Callable[[Sequence[str]], NDArray[np.float64]]


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
    return lambda texts: np.array(
        [1.0 if profanity.contains_profanity(text) else 0.0 for text in texts]
    )
