"""What every gesture has, as it travels from the receiver to the worker."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from toxic_bot.slack.fields import ID, TIMESTAMP, read_field

RESPONSE_LIFETIME = 30 * 60
"""Seconds for which Slack takes answers to a gesture at its response URL.

Source: https://docs.slack.dev/interactivity/handling-user-interaction
"""

# Slack calls its IDs of interactions trigger IDs: "13345224609.738474920.8088930838d88f008e0".
TRIGGER = re.compile(r"[A-Za-z0-9_.-]{1,150}")
RESPONSE_URL = re.compile(r"https?://[^\s<>|]{1,500}")


@dataclass(frozen=True, slots=True)
class Gesture:
    """What every gesture has.

    Parameters
    ----------
    event_id
        Slack's ID; every retry has the same one.
    event_ts
        When it happened: Unix seconds with a fraction.
    team
        The workspace.
    user
        Who made it.
    """

    NAME: ClassVar[str]
    LIFETIME: ClassVar[float | None] = RESPONSE_LIFETIME
    HOLDS_TEXT: ClassVar[bool] = False

    event_id: str
    event_ts: str
    team: str
    user: str

    def to_json(self) -> str:
        """Return the body of this gesture's SQS message."""
        return json.dumps({"gesture": self.NAME} | asdict(self))

    def log_keys(self) -> dict[str, str]:
        """Return the keys that every log line about this gesture carries."""
        keys = ("event_id", "event_ts", "channel", "ts")
        named = {key: str(getattr(self, key)) for key in keys if hasattr(self, key)}
        return {"gesture": self.NAME} | named

    def is_expired(self, now: float) -> bool:
        """Report whether nobody can be answered any more."""
        return self.LIFETIME is not None and now - float(self.event_ts) > self.LIFETIME

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> Gesture:
        """Read a parsed body.

        Raises
        ------
        MalformedEventError
            When `to_json` did not write it.
        """
        # Each gesture has fields of its own.
        raise NotImplementedError

    @classmethod
    def _common(cls, raw: dict[str, Any]) -> dict[str, str]:
        return {
            "event_id": read_field(raw, "event_id", TRIGGER),
            "event_ts": read_field(raw, "event_ts", TIMESTAMP),
            "team": read_field(raw, "team", ID),
            "user": read_field(raw, "user", ID),
        }
