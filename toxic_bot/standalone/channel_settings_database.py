"""The channels' settings in SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

from toxic_bot.slack.channel_settings import ChannelSettings, SettingsUnreachableError
from toxic_bot.slack.telemetry import logger
from toxic_bot.standalone.database import Database

_KEEP = """
INSERT INTO channel_settings (channel, settings, changed_at) VALUES (?, ?, ?)
ON CONFLICT (channel) DO UPDATE SET settings = excluded.settings, changed_at = excluded.changed_at
WHERE channel_settings.changed_at <= excluded.changed_at
"""


class SQLiteChannelSettings:
    """Settings in a SQLite database; implements `toxic_bot.slack.channel_settings.SettingsStore`.

    Parameters
    ----------
    database
        Holds them.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def read(self, channels: Sequence[str]) -> Mapping[str, ChannelSettings]:
        """Return what is stored for channels; those without are left out."""
        found = {}
        try:
            for channel in channels:
                rows = self._database.query(
                    "SELECT settings FROM channel_settings WHERE channel = ?", (channel,)
                )
                if rows:
                    found[channel] = ChannelSettings.from_json(str(rows[0][0]))
        except sqlite3.Error as error:
            raise _unreachable(error) from error
        return found

    def keep(self, channel: str, settings: ChannelSettings, changed_at: float) -> None:
        """Store a channel's settings, unless later ones are stored."""
        try:
            self._database.change(_KEEP, (channel, settings.to_json(), changed_at))
        except sqlite3.Error as error:
            raise _unreachable(error) from error

    def asks(self, channel: str, reaction: str) -> bool:
        """Report whether an emoji asks in a channel; see `toxic_bot.slack.lookups.Lookups`."""
        try:
            own = self.read([channel]).get(channel)
        except SettingsUnreachableError:
            # A reaction too many is dropped when its turn comes, but one too few would be lost.
            return True
        return own is not None and reaction in own.reactions

    def watches(self, channel: str) -> bool:
        """Report whether a channel is watched; see `toxic_bot.slack.lookups.Lookups`."""
        try:
            own = self.read([channel]).get(channel)
        except SettingsUnreachableError:
            return True
        return own is not None and own.watch_in_force is not None


def _unreachable(error: sqlite3.Error) -> SettingsUnreachableError:
    logger.warning("the database failed", error=type(error).__name__)
    return SettingsUnreachableError()
