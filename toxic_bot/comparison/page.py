"""Scores of two services side by side: a page with a plot, and limits that flag as many."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

LIMITS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
_SIZE = 400
_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 45rem; margin: 2rem auto; padding: 0 1rem; }
td, th { text-align: right; padding: .25rem 1rem; border-bottom: 1px solid #8886; }
svg { border: 1px solid #8886; max-width: 100%; overflow: visible; }
circle { fill: #06c; fill-opacity: .4; }
"""

Pair = tuple[float, float]


def equivalent_limit(pairs: Sequence[Pair], limit: float) -> float:
    """Return the limit on the second score that flags as many as a limit on the first.

    If the first flags nothing, the result is infinite.
    """
    flagged = sum(first >= limit for first, _ in pairs)
    ordered = sorted((second for _, second in pairs), reverse=True)
    return ordered[flagged - 1] if flagged else math.inf


def agreement(pairs: Sequence[Pair], first_limit: float, second_limit: float) -> float:
    """Return the share of texts on which both say the same."""
    same = sum((a >= first_limit) == (b >= second_limit) for a, b in pairs)
    return same / len(pairs)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A limit here in place of one there.

    Parameters
    ----------
    there
        The limit on the first score.
    flagged
        Texts that it flags.
    here
        The limit on the second score that flags as many; None if the first flags nothing.
    agreement
        Share of texts on which both say the same.
    """

    there: float
    flagged: int
    here: float | None
    agreement: float


def propose(pairs: Sequence[Pair], limits: Sequence[float]) -> list[Proposal]:
    """Return what to use in place of each limit on the first score."""
    proposals = []
    for limit in limits:
        other = equivalent_limit(pairs, limit)
        flagged = sum(first >= limit for first, _ in pairs)
        here = None if math.isinf(other) else other
        proposals.append(Proposal(limit, flagged, here, agreement(pairs, limit, other)))
    return proposals


def store(proposals: Sequence[Proposal], path: Path) -> None:
    """Write the proposed limits as JSON."""
    content = {"attribute": "TOXICITY", "limits": [asdict(one) for one in proposals]}
    path.write_text(json.dumps(content, indent=2) + "\n", "ascii")


def write(pairs: Sequence[Pair], proposals: Sequence[Proposal], path: Path) -> None:
    """Write the page."""
    dots = "".join(
        f'<circle cx="{a * _SIZE:.1f}" cy="{(1 - b) * _SIZE:.1f}" r="3"/>' for a, b in pairs
    )
    rows = []
    for one in proposals:
        shown = "none is flagged" if one.here is None else f"{one.here:.3f}"
        rows.append(f"<tr><td>{one.there:g}<td>{one.flagged:,}<td>{shown}<td>{one.agreement:.1%}")
    path.write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Comparison</title>'
        f"<style>{_STYLE}</style><h1>TOXICITY, there and here</h1>"
        f"<p>{len(pairs):,} texts. To the right: Perspective's score, 0 to 1. Upward: the score "
        f'here.</p><svg role="img" aria-label="scatter plot" viewBox="0 0 {_SIZE} {_SIZE}">'
        f"{dots}</svg><table><tr><th>limit there<th>flagged<th>limit here that flags as many"
        f"<th>both say the same</tr>{''.join(rows)}</table></html>\n",
        "utf-8",
    )
