"""Time zones by their names in the IANA database, such as ``Europe/Berlin``.

Source: https://www.iana.org/time-zones
"""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

UTC_NAME = "UTC"


def find_zone(typed: str) -> str | None:
    """Return the zone that somebody means: its name, or that of its city; None if there is none.

    Parameters
    ----------
    typed
        Such as ``europe/berlin``, ``Berlin`` or ``new york``; empty for UTC.
    """
    # Only the form needs them, and the receiver starts while Slack is waiting.
    from zoneinfo import available_timezones

    wanted = "_".join(typed.split()).casefold()
    if not wanted or wanted == UTC_NAME.casefold():
        return UTC_NAME
    zones = sorted(available_timezones())
    by_name = [zone for zone in zones if zone.casefold() == wanted]
    by_city = [zone for zone in zones if zone.rpartition("/")[2].casefold() == wanted]
    # A city has one zone, and maybe older names of it, such as America/Indianapolis.
    return next(iter([*by_name, *by_city]), None)


def local_hour(at: float, zone: str) -> int:
    """Return the hour of the day, 0 to 23, at a time in Unix seconds; an unknown zone is UTC."""
    return datetime.fromtimestamp(at, _zone(zone)).hour


def _zone(name: str) -> tzinfo:
    if name == UTC_NAME:
        return UTC
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        # Another version of the database, or none: better than to judge nobody.
        return UTC
