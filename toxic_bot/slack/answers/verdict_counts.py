"""How many verdicts a workspace got on a day: counts, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Protocol

from toxic_bot.slack.answers.claims import StoreUnavailableError
from toxic_bot.slack.telemetry import logger

COUNT_LIFETIME = 16 * 24 * 3600
"""Seconds for which a day's counts are kept: the digest compares two weeks."""
PREFIX = "tally#"
"""What the IDs of their items start with."""
VERDICTS = ("toxic", "fine")
KIND = "kind"
"""What stands before a kind's name, where a channel's ID stands before a verdict's."""


class VerdictCountStore(Protocol):
    """Where verdict counts are stored. May raise StoreUnavailableError."""

    def add_counts(
        self, key: str, amounts: Mapping[str, int], expires_at: int
    ) -> Mapping[str, int]:
        """Add to some of the counts in an item at once, and return all of them."""


class VerdictCounts:
    """Counts verdicts by workspace and day (UTC), and within a day by channel and by kind.

    One item holds a day, so a verdict costs one write. Its names are ``toxic``,
    ``C0123456789#toxic`` and ``kind#insult``.

    Parameters
    ----------
    store
        Where.
    """

    def __init__(self, store: VerdictCountStore) -> None:
        self._store = store

    def add(self, team: str, channel: str, verdict: str, kinds: Sequence[str], now: float) -> None:
        """Count a verdict. If that fails, it is logged: no answer waits for a count."""
        names = [verdict, f"{channel}#{verdict}", *(f"{KIND}#{kind}" for kind in kinds)]
        try:
            self._change(team, dict.fromkeys(names, 1), now)
        except StoreUnavailableError:
            logger.warning("a verdict could not be counted")

    def read(self, team: str, now: float) -> Mapping[str, int]:
        """Return today's counts by verdict."""
        counts = self._change(team, dict.fromkeys(VERDICTS, 0), now)
        return {verdict: counts[verdict] for verdict in VERDICTS}

    def _change(self, team: str, amounts: Mapping[str, int], now: float) -> Mapping[str, int]:
        day = datetime.fromtimestamp(now, UTC).date().isoformat()
        return self._store.add_counts(f"{PREFIX}{team}#{day}", amounts, int(now) + COUNT_LIFETIME)
