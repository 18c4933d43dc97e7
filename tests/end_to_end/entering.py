"""What somebody enters into the form of `/toxic settings`, as the local Slack sends it."""

from __future__ import annotations

from typing import Any


def entered(**changed: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the state of the form's inputs, with what was changed in it."""
    untouched: dict[str, dict[str, Any]] = {
        "listens": chosen("yes"),
        "reactions": {"value": None},
        "answer": chosen("default"),
        "threshold": chosen("default"),
        "percent": {"value": None},
        "exempt": {"selected_users": []},
        "watch": chosen("off"),
        "watch_percent": {"value": None},
        "quiet": {"value": None},
        "zone": {"value": "UTC"},
        "urgent": {"selected_conversations": []},
        "urgent_people": {"selected_users": []},
        "always": {"value": None},
        "never": {"value": None},
        "sample": {"value": None},
    }
    return {field: {"value": state} for field, state in (untouched | changed).items()}


def chosen(value: str) -> dict[str, Any]:
    """Return the state of an input in which one option is chosen."""
    return {"selected_option": {"value": value}}
