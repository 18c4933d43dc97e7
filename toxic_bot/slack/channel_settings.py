"""What the managers of a channel have set for it, over the settings of the environment."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Protocol

from toxic_bot.judge.config import OperatingPoint
from toxic_bot.slack.retry import TryAgainError
from toxic_bot.slack.settings import AnswerMode, BotSettings, GestureName, Subscription

MAX_AGE = 30.0
"""Seconds for which settings that were read are used again."""

Asks = Callable[[str, str], bool]
"""Reports whether an emoji may ask for a verdict in a channel, although the environment does
not name it: called with the channel's ID and the emoji's short name."""


class SettingsUnreachableError(TryAgainError):
    """The store of the channels' settings cannot be reached, or refuses the call."""

    def __init__(self) -> None:
        super().__init__(
            "the claims table cannot be reached for the channels' settings: "
            "check the table and the function's role",
            reason="settings",
        )


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
    """

    listens: bool = True
    reactions: frozenset[str] = frozenset()
    answer: AnswerMode | None = None
    threshold: OperatingPoint | float | None = None
    exempt: frozenset[str] = frozenset()

    def apply(self, defaults: BotSettings) -> BotSettings:
        """Return the settings of the environment as they are in this channel."""
        subscription = defaults.subscription
        settings = replace(
            defaults,
            subscription=replace(subscription, reactions=self.reactions or subscription.reactions),
        )
        if self.answer is not None:
            settings = replace(settings, answer=self.answer, channel_answers={})
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


def are_used(subscription: Subscription) -> bool:
    """Report whether channels have settings of their own; otherwise none is ever read."""
    return GestureName.SETTINGS in subscription.gestures


def asks_nowhere(channel: str, reaction: str) -> bool:  # noqa: ARG001 - the shape of Asks
    """Stand in for `Asks` where channels have no settings of their own."""
    return False
