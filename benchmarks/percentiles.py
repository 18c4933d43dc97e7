"""Latencies, summarized by percentiles."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class Latency:
    """How long many operations took.

    Parameters
    ----------
    runs
        Number of operations.
    p50, p90, p99, p999, longest
        Percentiles and maximum, in milliseconds; NaN without operations.
    """

    runs: int
    p50: float
    p90: float
    p99: float
    p999: float
    longest: float

    @classmethod
    def from_milliseconds(cls, milliseconds: Sequence[float]) -> Self:
        """Summarize the durations of operations."""
        if len(milliseconds) < 2:
            only = milliseconds[0] if milliseconds else math.nan
            return cls(len(milliseconds), only, only, only, only, only)
        cuts = statistics.quantiles(milliseconds, n=1000, method="inclusive")
        p50, p90, p99, p999 = (cuts[permille - 1] for permille in (500, 900, 990, 999))
        return cls(len(milliseconds), p50, p90, p99, p999, max(milliseconds))

    def rows(self, operation: str) -> dict[str, str]:
        """Return the percentiles as rows of a table."""
        names = ("p50", "p90", "p99", "p99.9", "longest")
        values = (self.p50, self.p90, self.p99, self.p999, self.longest)
        return {
            f"{operation}, {name}, ms": f"{value:.1f}"
            for name, value in zip(names, values, strict=True)
        }
