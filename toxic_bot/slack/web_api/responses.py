"""Fields of Slack's responses; one of the wrong type counts as Slack failing."""

from __future__ import annotations

from typing import Any

from toxic_bot.slack.retry import TryAgainError


def objects_of(response: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """Return a field that is a list of objects; an empty one if it is missing."""
    objects = response.get(name)
    if objects is None:
        return []
    if not isinstance(objects, list) or not all(isinstance(one, dict) for one in objects):
        raise _odd(name)
    return objects


def object_of(raw: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a field that is an object; an empty one if it is missing."""
    value = raw.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _odd(name)
    return value


def text_of(raw: dict[str, Any], name: str) -> str:
    """Return a field that is text; empty if it is missing."""
    value = raw.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _odd(name)
    return value


def _odd(name: str) -> TryAgainError:
    return TryAgainError(
        f"the field '{name}' of Slack's answer has an unexpected type", reason="odd_answer"
    )
