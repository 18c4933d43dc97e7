"""Votes on verdicts: right or wrong, without any text."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from toxic_bot.slack.gestures.clicks import Action, Click
from toxic_bot.slack.telemetry import count

DAY = 24 * 3600


@dataclass(frozen=True, slots=True)
class Vote:
    """One person's vote on one message.

    Parameters
    ----------
    team, channel, ts, edited
        The version of the message that was judged.
    user
        Who votes.
    right
        Whether the verdict is right.
    verdict, score, kinds
        What it was.
    model
        Version of the model.
    voted_at
        Unix seconds.
    """

    team: str
    channel: str
    ts: str
    edited: str
    user: str
    right: bool
    verdict: str
    score: float
    kinds: str
    model: str
    voted_at: float

    @property
    def id(self) -> str:
        """What it is stored under: each person has one vote on each message."""
        return f"vote#{self.channel}#{self.ts}#{self.user}"


class VoteStore(Protocol):
    """Where votes are stored. May raise StoreUnavailableError."""

    def keep_vote(self, vote: Vote, expires_at: int) -> None:
        """Store a vote; a later one of the same person on the same message replaces it."""


class Votes:
    """Keeps votes.

    Parameters
    ----------
    store
        Where.
    days
        Days for which a vote is kept.
    clock
        Returns Unix seconds.
    """

    def __init__(self, store: VoteStore, days: int, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._days = days
        self._clock = clock

    def cast(self, click: Click) -> None:
        """Keep the vote of somebody who clicked on Right or Wrong."""
        subject, right = click.subject, click.action is Action.RIGHT
        vote = Vote(
            team=click.team,
            channel=click.channel,
            ts=subject.ts,
            edited=subject.edited,
            user=click.user,
            right=right,
            verdict=subject.verdict,
            score=subject.score,
            kinds=subject.kinds,
            model=subject.model,
            voted_at=float(click.event_ts),
        )
        self._store.keep_vote(vote, int(self._clock()) + self._days * DAY)
        kind = subject.kinds.partition(",")[0] or "none"
        count("VoteCast", vote=click.action.value, kind=kind)
