"""What arrives over Socket Mode: frames that Slack documents, and any others.

Source: https://docs.slack.dev/apis/events-api/using-socket-mode
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

HELLO, DISCONNECT = "hello", "disconnect"
KINDS = frozenset({"events_api", "interactive", "slash_commands"})
"""The types of envelopes."""

_FIELDS = ("type", "envelope_id", "payload")
_JSON_TYPES = {
    dict: "object",
    list: "array",
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    type(None): "null",
}


@dataclass(frozen=True, slots=True)
class Envelope:
    """What somebody did in Slack, and what acknowledges it.

    Parameters
    ----------
    id
        Slack's ID of the delivery.
    kind
        One of `KINDS`.
    payload
        The event, the interaction or the command.
    """

    id: str
    kind: str
    payload: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Notice:
    """What Slack says about the connection.

    Parameters
    ----------
    kind
        `HELLO` or `DISCONNECT`.
    """

    kind: str


@dataclass(frozen=True, slots=True)
class OddFrame:
    """What Slack does not document.

    Parameters
    ----------
    shape
        Which JSON types it consists of; nothing of what it says.
    envelope_id
        What acknowledges it; None if it has nothing that could.
    """

    shape: str
    envelope_id: str | None = None


def parse_frame(frame: str | bytes) -> Envelope | Notice | OddFrame:
    """Return what a frame says, whatever it consists of."""
    try:
        raw = json.loads(frame)
    # Deeply nested JSON overflows the parser's stack.
    except (ValueError, RecursionError):
        return OddFrame("not JSON")
    if not isinstance(raw, dict):
        return OddFrame(_json_type(raw))
    kind, envelope_id, payload = (raw.get(name) for name in _FIELDS)
    if kind in (HELLO, DISCONNECT):
        return Notice(kind)
    if not isinstance(envelope_id, str):
        return OddFrame(_shape(raw))
    if not isinstance(kind, str) or kind not in KINDS or not isinstance(payload, dict):
        return OddFrame(_shape(raw), envelope_id)
    return Envelope(envelope_id, kind, payload)


def _shape(raw: dict[str, Any]) -> str:
    fields = (f"{name}: {_json_type(raw[name]) if name in raw else 'none'}" for name in _FIELDS)
    return f"object ({', '.join(fields)})"


def _json_type(value: object) -> str:
    return _JSON_TYPES[type(value)]
