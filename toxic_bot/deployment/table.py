"""The layout of the DynamoDB table, for the functions and for the operator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

KEY = "id"
EXPIRATION = "expiration"
"""The attribute that DynamoDB's time to live deletes items by, in Unix seconds."""

COUNT = "count_"
"""What the attributes with a day's counts start with."""

CASE_PREFIX = "case"
"""What the keys of items about the moderators' cases start with."""

CASE = "moderation_case"
"""The attribute with a case, as JSON."""


def counts(item: Mapping[str, Any]) -> dict[str, int]:
    """Return the counts in the item of a day."""
    return {
        attribute.removeprefix(COUNT): int(value["N"])
        for attribute, value in item.items()
        if attribute.startswith(COUNT)
    }
