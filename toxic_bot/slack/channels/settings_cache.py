"""The settings of single channels, as the worker reads them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from toxic_bot.slack.channel_settings import MAX_AGE, ChannelSettings, SettingsStore, are_used
from toxic_bot.slack.settings import Subscription

MAX_CHANNELS = 1000
"""ChannelSettingsCache whose settings are remembered."""

_DEFAULTS = ChannelSettings()


class ChannelSettingsCache:
    """Caches each channel's settings.

    Parameters
    ----------
    store
        Where they are stored.
    subscription
        Says whether channels have settings of their own; without them, nothing is ever read.
    clock
        Returns seconds that never run backward.
    """

    def __init__(
        self,
        store: SettingsStore,
        subscription: Subscription,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._are_used = are_used(subscription)
        self._clock = clock
        self._known: dict[str, tuple[ChannelSettings, float]] = {}

    def settings(self, channel: str) -> ChannelSettings:
        """Return a channel's settings, which may be `MAX_AGE` old.

        Raises
        ------
        SettingsUnreachableError
            When they cannot be read. Nobody is then answered with the wrong ones.
        """
        if not self._are_used or not channel:
            return _DEFAULTS
        now = self._clock()
        known = self._known.get(channel)
        if known is None or now - known[1] >= MAX_AGE:
            known = self.stored([channel]).get(channel, _DEFAULTS), now
            if len(self._known) >= MAX_CHANNELS:
                self._known.clear()
            self._known[channel] = known
        return known[0]

    def stored(self, channels: Sequence[str]) -> Mapping[str, ChannelSettings]:
        """Return what is stored right now, at most for a hundred channels."""
        return self._store.read(channels) if self._are_used else {}

    def keep(self, channel: str, settings: ChannelSettings, changed_at: float) -> None:
        """Store a channel's settings; see `SettingsStore.keep`."""
        self._store.keep(channel, settings, changed_at)
        self._known.pop(channel, None)
