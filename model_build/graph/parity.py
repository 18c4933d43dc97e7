"""Check that two forms of a model give the same logits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from toxic_bot.judge.errors import ToxicBotError
from toxic_bot.judge.normalization import normalize

# Texts of different lengths and kinds on which two forms of a model are compared.
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
_MAX_PROBE_TOKENS = 256
TOLERANCE = 1e-4
"""Absolute difference of logits below which two forms of a model count as equal."""


class ParityError(ToxicBotError):
    """A converted graph does not give the same logits as its source."""


def max_probe_tokens(max_positions: int) -> int:
    """Return how many tokens of a probe fit a model, given its ``max_position_embeddings``."""
    # RoBERTa numbers positions from 2, so it cannot use its first two position embeddings.
    return min(_MAX_PROBE_TOKENS, max_positions - 2)


def max_difference(
    first: Sequence[NDArray[np.float32]], second: Sequence[NDArray[np.float32]]
) -> float:
    """Return the largest absolute difference of logits."""
    return max(float(np.abs(a - b).max()) for a, b in zip(first, second, strict=True))


def assert_parity(
    first: Sequence[NDArray[np.float32]], second: Sequence[NDArray[np.float32]], what: str
) -> float:
    """Return the largest absolute difference of logits, and require it below `TOLERANCE`.

    Parameters
    ----------
    first, second
        Logits of both forms for the same texts.
    what
        What is compared, for the error message.

    Raises
    ------
    ParityError
        When the difference is not below `TOLERANCE`.
    """
    difference = max_difference(first, second)
    # Negated so that NaN fails too.
    if not difference < TOLERANCE:
        raise ParityError(f"{what}: logits differ by {difference:.2g}, more than {TOLERANCE:g}")
    return difference
