"""Fields of JSON objects from Slack or from the queue, each checked against its format."""

from __future__ import annotations

import json
import re
from typing import Any

from toxic_bot.judge.errors import ToxicBotError

ID = re.compile(r"[A-Za-z0-9]{1,64}")
TIMESTAMP = re.compile(r"\d{1,12}\.\d{1,9}")


class MalformedEventError(ToxicBotError):
    """A body is not JSON, or not in the shape that Slack or the receiver gives it."""


def read_json(body: bytes | str, what: str) -> dict[str, Any]:
    """Return a JSON object; ``what`` names it in the error.

    Raises
    ------
    MalformedEventError
        When the body is not one.
    """
    try:
        raw = json.loads(body)
    # Deeply nested JSON overflows the parser's stack: malformed like any other.
    except (ValueError, RecursionError) as error:
        raise MalformedEventError(f"{what} is not JSON") from error
    if not isinstance(raw, dict):
        raise MalformedEventError(f"{what} is not a JSON object")
    return raw


def read_object(raw: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a field that is an object."""
    value = raw.get(name)
    if not isinstance(value, dict):
        raise MalformedEventError(f"the field '{name}' is missing or is not an object")
    return value


def read_text(raw: dict[str, Any], name: str) -> str:
    """Return a field that is a string."""
    value = raw.get(name)
    if not isinstance(value, str):
        raise MalformedEventError(f"the field '{name}' is missing or is not a string")
    return value


def read_field(raw: dict[str, Any], name: str, pattern: re.Pattern[str]) -> str:
    """Return a field that is a string in a format."""
    value = read_text(raw, name)
    if not pattern.fullmatch(value):
        raise MalformedEventError(f"the field '{name}' does not have Slack's format")
    return value


def read_optional(raw: dict[str, Any], name: str, pattern: re.Pattern[str]) -> str | None:
    """Return a field that is a string in a format, or None if it is missing or null."""
    return None if raw.get(name) is None else read_field(raw, name, pattern)


def read_edited(raw: dict[str, Any], name: str = "edited") -> str:
    """Return the timestamp of a message's last edit, or an empty string if there was none."""
    return read_field(raw, name, TIMESTAMP) if raw.get(name) else ""
