"""The transports through which Slack's events can come in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from toxic_bot.slack.lookups import Lookups
from toxic_bot.slack.request_handler import Put
from toxic_bot.slack.settings import BotSettings


class Transport(Protocol):
    """Takes events from Slack, and acknowledges each once it is safe."""

    def open(self) -> None:
        """Start to take events.

        Raises
        ------
        ToxicBotError
            When the transport does not open.
        """

    def close(self) -> None:
        """Take no more; what has arrived is still made safe."""

    @property
    def is_kept(self) -> bool:
        """Whether what takes events still runs."""

    @property
    def is_open(self) -> bool:
        """Whether events can come in right now."""


TransportMaker = Callable[[BotSettings, Lookups, Put], Transport]
"""Makes a transport for a bot: with its settings, what it looks up before it queues an event, and
what makes a gesture safe."""
