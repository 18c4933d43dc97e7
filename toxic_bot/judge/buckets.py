"""Lengths to which windows are padded where they are computed together.

A batch has one length. With a few lengths instead of any, windows of similar length meet in one
batch, buffers are reused, and a GPU chooses its kernels once for each.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

_LENGTHS = (16, 32, 48, 64, 96, 128, 192, 256, 384, 512)
BATCHES = (1, 2, 4, 8, 16, 32, 64)
"""Numbers of windows to which a batch is filled up."""


def lengths(tokens: int) -> tuple[int, ...]:
    """Return the lengths for windows of at most ``tokens`` tokens, which is the last one."""
    return (*(length for length in _LENGTHS if length < tokens), tokens)


def smallest(sizes: Sequence[int], needed: int) -> int:
    """Return the smallest of some ascending sizes that is large enough."""
    return sizes[bisect_left(sizes, needed)]
