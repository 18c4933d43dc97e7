"""What waits because Slack limits the rate of a method, and for how long."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toxic_bot.deployment.table import KEY
from toxic_bot.operator.doctor.finding import CheckError, UncheckedError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

LONG = 600.0
"""Seconds of waiting that are more than a burst: those of the alarm 'oldest-message'."""
_PREFIX = "slot#"


def check_waits(waiting: int, slots: Mapping[str, float], now: float) -> str:
    """Check that nothing waits for long.

    Parameters
    ----------
    waiting
        Requests that wait, for whatever reason.
    slots
        The last time slot that is taken of each rate limit, in Unix seconds, by its bucket.
    now
        Unix seconds.
    """
    # All channels have the same limit: the longest wait counts.
    limited: dict[str, float] = {}
    for bucket, slot in slots.items():
        method = bucket.partition("#")[0].replace("_", ".", 1)
        limited[method] = max(limited.get(method, 0.0), slot - now)
    limited = {method: seconds for method, seconds in limited.items() if seconds > 0}
    if not limited:
        return f"none of Slack's is in force; {_requests(waiting)}"
    longest_first = sorted(limited.items(), key=lambda one: -one[1])
    named = ", ".join(f"{method} for {math.ceil(seconds)} s" for method, seconds in longest_first)
    detail = f"Slack limits {named}; {_requests(waiting)}"
    if longest_first[0][1] > LONG:
        raise CheckError(
            detail,
            "nothing is lost, and it passes by itself; lower USER_BUDGET or CHANNEL_BUDGET if it "
            "happens often",
        )
    return detail


def slots_in_table(client: DynamoDBClient, table: str, now: float) -> dict[str, float]:
    """Return the time slots in the claim table that are still to come."""
    pages = client.get_paginator("scan").paginate(
        TableName=table,
        FilterExpression=f"begins_with({KEY}, :prefix) AND slot > :now",
        ExpressionAttributeValues={":prefix": {"S": _PREFIX}, ":now": {"N": f"{now:.3f}"}},
    )
    items: list[dict[str, Any]] = [item for page in pages for item in page["Items"]]
    return {item[KEY]["S"].removeprefix(_PREFIX): float(item["slot"]["N"]) for item in items}


def check_waits_in_file(path: Path, now: float) -> str:
    """Check that nothing waits for long in the file of a bot without AWS, which may be running.

    Parameters
    ----------
    path
        The SQLite file.
    now
        Unix seconds.
    """
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as file:
            slots = dict(file.execute("SELECT bucket, last FROM slot WHERE last > ?", (now,)))
            [[waiting]] = file.execute("SELECT COUNT(*) FROM gesture WHERE due > ?", (now,))
    except sqlite3.Error as error:
        raise UncheckedError(f"{path} cannot be read ({error})") from error
    return check_waits(waiting, slots, now)


def _requests(number: int) -> str:
    return f"{number} request{'s wait' if number != 1 else ' waits'}"
