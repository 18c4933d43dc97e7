"""The figures of a week, compared with the week before: verdicts, and votes that dispute them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Protocol

from toxic_bot.slack.answers.verdict_counts import KIND, VERDICTS
from toxic_bot.slack.answers.votes import Vote

DAYS = 7
MAX_DISPUTED = 5
"""Disputed verdicts that a digest lists."""


@dataclass(frozen=True, slots=True)
class History:
    """What is stored about the past days.

    Parameters
    ----------
    verdict_counts
        The counts in each item, by its ID.
    votes
        What people think of verdicts.
    """

    verdict_counts: Mapping[str, Mapping[str, int]]
    votes: Sequence[Vote]


class HistoryStore(Protocol):
    """Where verdict counts and votes are stored. May raise StoreUnavailableError."""

    def history(self, since: float) -> History:
        """Return the verdict counts, and the votes since a time in Unix seconds."""


@dataclass(frozen=True, slots=True)
class Share:
    """How many of some verdicts were toxic."""

    toxic: int
    judged: int


@dataclass(frozen=True, slots=True)
class Change:
    """A count of this week, and that of the week before."""

    now: int
    before: int


@dataclass(frozen=True, slots=True)
class Dispute:
    """A verdict that people called wrong.

    Parameters
    ----------
    channel, ts
        The message.
    verdict, score
        What was said about it.
    wrong, right
        How many people called that wrong, and right.
    """

    channel: str
    ts: str
    verdict: str
    score: float
    wrong: int
    right: int


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a week.

    Parameters
    ----------
    first, last
        Its first and its last day (UTC).
    total, total_before
        All verdicts of the week, and of the week before.
    days
        Toxic verdicts on each day, the first one first.
    channels
        Each channel's verdicts of the week, and its toxic ones of the week before; the most
        toxic first.
    kinds
        Toxic verdicts that named a kind, by its name; the most frequent first.
    disputed
        The verdicts that most people called wrong in this week.
    """

    first: date
    last: date
    total: Share
    total_before: Share
    days: tuple[int, ...]
    channels: Mapping[str, tuple[Share, int]]
    kinds: Mapping[str, Change]
    disputed: tuple[Dispute, ...]


def first_day(end: date) -> date:
    """Return the first day of the week that ends before a day."""
    return end - timedelta(days=DAYS)


def read_figures(store: HistoryStore, end: date) -> Figures:
    """Return the figures of the seven days before a day.

    Parameters
    ----------
    store
        Where verdict counts and votes are stored.
    end
        The first day (UTC) that does not count.

    Raises
    ------
    StoreUnavailableError
        When the store cannot be read.
    """
    first = first_day(end)
    since, until = _seconds(first), _seconds(end)
    history = store.history(since)
    by_day = _by_day(history.verdict_counts)
    week = [by_day[first + timedelta(days=day)] for day in range(DAYS)]
    before = [by_day[first - timedelta(days=day)] for day in range(1, DAYS + 1)]
    now, then = _sum(week), _sum(before)
    return Figures(
        first=first,
        last=end - timedelta(days=1),
        total=_share(now),
        total_before=_share(then),
        days=tuple(counts["toxic"] for counts in week),
        channels=_channels(now, then),
        kinds=_kinds(now, then),
        disputed=_disputed(vote for vote in history.votes if vote.voted_at < until),
    )


def _seconds(day: date) -> float:
    return datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()


def _by_day(verdict_counts: Mapping[str, Mapping[str, int]]) -> defaultdict[date, Counter[str]]:
    days: defaultdict[date, Counter[str]] = defaultdict(Counter)
    for key, counts in verdict_counts.items():
        # One for each workspace: tally#T0123456789#2026-11-22.
        days[date.fromisoformat(key.rpartition("#")[2])].update(counts)
    return days


def _sum(days: Iterable[Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for counts in days:
        total.update(counts)
    return total


def _share(counts: Counter[str], prefix: str = "") -> Share:
    toxic, fine = (counts[f"{prefix}{verdict}"] for verdict in VERDICTS)
    return Share(toxic, toxic + fine)


def _channels(now: Counter[str], then: Counter[str]) -> dict[str, tuple[Share, int]]:
    names = {name.partition("#")[0] for name in now if "#" in name} - {KIND}
    shares = {name: (_share(now, f"{name}#"), then[f"{name}#toxic"]) for name in names}
    return dict(
        sorted(shares.items(), key=lambda one: (-one[1][0].toxic, -one[1][0].judged, one[0]))
    )


def _kinds(now: Counter[str], then: Counter[str]) -> dict[str, Change]:
    names = {name.partition("#")[2] for name in (*now, *then) if name.startswith(f"{KIND}#")}
    changes = {name: Change(now[f"{KIND}#{name}"], then[f"{KIND}#{name}"]) for name in names}
    return dict(sorted(changes.items(), key=lambda one: (-one[1].now, one[0])))


def _disputed(votes: Iterable[Vote]) -> tuple[Dispute, ...]:
    groups: defaultdict[tuple[str, str, str], list[Vote]] = defaultdict(list)
    for vote in votes:
        groups[vote.channel, vote.ts, vote.edited].append(vote)
    disputes = [
        Dispute(
            channel=group[0].channel,
            ts=group[0].ts,
            verdict=group[0].verdict,
            score=group[0].score,
            wrong=sum(not vote.right for vote in group),
            right=sum(vote.right for vote in group),
        )
        for group in groups.values()
    ]
    wrong = [one for one in disputes if one.wrong]
    wrong.sort(key=lambda one: (-one.wrong, one.right, one.channel, one.ts))
    return tuple(wrong[:MAX_DISPUTED])
