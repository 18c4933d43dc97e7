"""Parity: proof that two forms of a model give the same logits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from judge.errors import ToxicBotError
from judge.normalization import normalize

# Texts of many lengths and kinds, on which two forms of a model are compared.
PROBES = tuple(
    normalize(text)
    for text in (
        "",
        "ok",
        "thanks for the review, good catch",
        "kill the process and restart the worker",
        "damn, the build is red again",
        "You are a worthless idiot and everyone knows it.",
        "Could you rename this variable? " * 5,
        "I will find you. " * 20,
        "The quick brown fox jumps over the lazy dog, 1234567890 times & more! " * 12,
        "👍🏽 😂 ünïcödé “quotes” — and 日本語",
    )
)
TOLERANCE = 1e-4
"""Absolute difference of logits below which two forms count as equal."""


class ParityError(ToxicBotError):
    """A graph does not give the same logits as the one it was made from."""


def max_difference(
    first: Sequence[NDArray[np.float32]], second: Sequence[NDArray[np.float32]]
) -> float:
    """Return the largest absolute difference of logits."""
    return max(float(np.abs(a - b).max()) for a, b in zip(first, second, strict=True))


def assert_parity(
    first: Sequence[NDArray[np.float32]], second: Sequence[NDArray[np.float32]], what: str
) -> float:
    """Return the largest difference of logits, which must be below `TOLERANCE`.

    Raises
    ------
    ParityError
        When it is not.
    """
    difference = max_difference(first, second)
    # Written so that NaN fails.
    if not difference < TOLERANCE:
        raise ParityError(f"{what}: logits differ by {difference:.2g}, more than {TOLERANCE:g}")
    return difference
