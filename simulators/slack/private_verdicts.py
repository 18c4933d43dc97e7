"""Which message a private answer is about. It has no metadata, but the app's buttons say so."""

from __future__ import annotations

import json

from simulators.slack.workspace import Message


def judged_ts(message: Message) -> str | None:
    """Return the timestamp of the message that a private answer is about; None if it is none."""
    if message.only_for is None:
        return None
    for block in message.blocks:
        for element in block.get("elements", []):
            ts = _subject(element.get("value"))
            if ts is not None:
                return ts
    return None


def _subject(value: object) -> str | None:
    try:
        subject = json.loads(value) if isinstance(value, str) else None
    except ValueError:
        return None
    ts = subject.get("ts") if isinstance(subject, dict) else None
    return ts if isinstance(ts, str) else None
