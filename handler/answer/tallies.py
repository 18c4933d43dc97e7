"""How many verdicts a workspace got today: counts, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Protocol

from handler.answer.claims import ClaimsUnreachableError
from handler.telemetry import logger

TALLY_LIFETIME = 8 * 24 * 3600
"""Seconds for which a day's tally is kept."""


class TallyStore(Protocol):
    """Where tallies are stored. May raise ClaimsUnreachableError."""

    def tally(self, key: str, name: str, amount: int, expires_at: int) -> Mapping[str, int]:
        """Add to one count of a tally, and return all of them."""


class Tallies:
    """Counts verdicts by workspace and day (UTC).

    Parameters
    ----------
    store
        Where.
    """

    def __init__(self, store: TallyStore) -> None:
        self._store = store

    def add(self, team: str, verdict: str, now: float) -> None:
        """Count a verdict. If that fails, it is logged: no answer waits for a count."""
        try:
            self._change(team, verdict, 1, now)
        except ClaimsUnreachableError:
            logger.warning("a verdict could not be counted")

    def read(self, team: str, now: float) -> Mapping[str, int]:
        """Return today's counts by verdict."""
        return self._change(team, "toxic", 0, now)

    def _change(self, team: str, name: str, amount: int, now: float) -> Mapping[str, int]:
        day = datetime.fromtimestamp(now, UTC).date().isoformat()
        return self._store.tally(f"tally#{team}#{day}", name, amount, int(now) + TALLY_LIFETIME)
