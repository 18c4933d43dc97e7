"""What the managers of a channel have set for it, over the settings of the environment."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any, Protocol

from toxic_bot.judge.config import OperatingPoint
from toxic_bot.slack.retry import TryAgainError
from toxic_bot.slack.settings import AnswerMode, BotSettings, GestureName, Subscription
from toxic_bot.slack.time_zones import UTC_NAME, local_hour
from toxic_bot.slack.word_lists import WordLists

_NO_LISTS = WordLists()

MAX_AGE = 30.0
"""Seconds for which settings that were read are used again."""


class SettingsUnreachableError(TryAgainError):
    """The store of the channels' settings cannot be reached, or refuses the call."""

    def __init__(self) -> None:
        super().__init__(
            "the claims table cannot be reached for the channels' settings: "
            "check the table and the function's role",
            reason="settings",
        )


class WatchAction(StrEnum):
    """What follows if a message in a watched channel is toxic."""

    NUDGE = "nudge"
    NOTE = "note"
    THREAD = "thread"


@dataclass(frozen=True, slots=True)
class QuietHours:
    """Hours of the day in which a watched channel is left alone.

    Parameters
    ----------
    start, end
        The first hour, and the first one that is no longer quiet, from 0 to 23; at night, the
        end comes before the start.
    zone
        Name of the time zone that they are in.
    """

    start: int
    end: int
    zone: str = UTC_NAME

    def cover(self, at: float) -> bool:
        """Report whether a time in Unix seconds is within them."""
        hour = local_hour(at, self.zone)
        if self.start < self.end:
            return self.start <= hour < self.end
        return hour >= self.start or hour < self.end


@dataclass(frozen=True, slots=True)
class Watch:
    """How a channel is watched: every message is judged as it comes.

    Parameters
    ----------
    action
        What follows if a message is toxic.
    threshold
        The score from which it is; None for the channel's own threshold.
    quiet
        When messages are not judged; None for never.
    """

    action: WatchAction
    threshold: float | None = None
    quiet: QuietHours | None = None

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> Watch:
        """Restore it from the result of ``asdict``."""
        quiet = raw["quiet"]
        return cls(
            WatchAction(raw["action"]),
            raw["threshold"],
            None if quiet is None else QuietHours(**quiet),
        )


@dataclass(frozen=True, slots=True)
class Urgent:
    """Who hears at once of what is urgent in a channel.

    Parameters
    ----------
    channel
        ID of the channel that is told.
    people
        IDs of those who are mentioned there.
    """

    channel: str
    people: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChannelSettings:
    """What is set for one channel; the defaults leave everything to the environment.

    Parameters
    ----------
    listens
        Whether the bot answers there at all.
    reactions
        Short names of the emoji that ask for a verdict; empty for the environment's.
    answer
        Who sees the verdict; None for the environment's mode.
    threshold
        The score from which a text is toxic, or what it is chosen for; None for the
        environment's operating point.
    exempt
        IDs of the people whose messages are not judged.
    watch
        How the channel is watched; None if a message is judged only when somebody asks.
    lists
        The words that always or never count.
    urgent
        Who hears of what is urgent; None for whom the environment names.
    """

    listens: bool = True
    reactions: frozenset[str] = frozenset()
    answer: AnswerMode | None = None
    threshold: OperatingPoint | float | None = None
    exempt: frozenset[str] = frozenset()
    watch: Watch | None = None
    lists: WordLists = _NO_LISTS
    urgent: Urgent | None = None

    @property
    def watch_in_force(self) -> Watch | None:
        """How the channel is watched, if the bot listens there at all."""
        return self.watch if self.listens else None

    @property
    def watch_quiet(self) -> QuietHours | None:
        """When messages are not judged although the channel is watched."""
        return None if self.watch is None else self.watch.quiet

    def apply(self, defaults: BotSettings) -> BotSettings:
        """Return the settings of the environment as they are in this channel."""
        subscription = defaults.subscription
        settings = replace(
            defaults,
            subscription=replace(subscription, reactions=self.reactions or subscription.reactions),
        )
        if self.answer is not None:
            settings = replace(settings, answer=self.answer, channel_answers={})
        if self.urgent is not None:
            settings = replace(settings, care=replace(settings.care, **asdict(self.urgent)))
        return settings

    def score_threshold(self, thresholds: Mapping[OperatingPoint, float]) -> float | None:
        """Return the score from which a text is toxic; None for the environment's.

        Parameters
        ----------
        thresholds
            Those of the model.
        """
        if isinstance(self.threshold, OperatingPoint):
            return thresholds[self.threshold]
        return self.threshold

    def to_json(self) -> str:
        """Return the form in which they are stored."""
        named = asdict(self)
        # Under the name that versions before 0.3 gave it, which read it during a deployment.
        named["limit"] = named.pop("threshold")
        return json.dumps(named | {n: sorted(named[n]) for n in ("reactions", "exempt")})

    @classmethod
    def from_json(cls, stored: str) -> ChannelSettings:
        """Restore settings from the result of `to_json`."""
        raw = json.loads(stored)
        threshold = raw["limit"]
        return cls(
            listens=raw["listens"],
            reactions=frozenset(raw["reactions"]),
            answer=None if raw["answer"] is None else AnswerMode(raw["answer"]),
            threshold=OperatingPoint(threshold) if isinstance(threshold, str) else threshold,
            exempt=frozenset(raw["exempt"]),
            # Versions before 0.2 watched nothing.
            watch=Watch.from_dict(raw["watch"]) if raw.get("watch") else None,
            lists=WordLists(**{name: tuple(kept) for name, kept in raw.get("lists", {}).items()}),
            urgent=_urgent(raw["urgent"]) if raw.get("urgent") else None,
        )


class SettingsStore(Protocol):
    """Where the channels' settings are stored. May raise SettingsUnreachableError."""

    def read(self, channels: Sequence[str]) -> Mapping[str, ChannelSettings]:
        """Return what is stored for channels, at most a hundred; those without are left out."""

    def keep(self, channel: str, settings: ChannelSettings, changed_at: float) -> None:
        """Store a channel's settings, unless later ones are stored.

        Parameters
        ----------
        channel
            Its ID.
        settings
            What is set.
        changed_at
            Unix seconds at which they were submitted.
        """


def _urgent(raw: dict[str, Any]) -> Urgent:
    return Urgent(raw["channel"], tuple(raw["people"]))


def are_used(subscription: Subscription) -> bool:
    """Report whether channels have settings of their own; otherwise none is ever read."""
    return GestureName.SETTINGS in subscription.gestures
