"""Forms as Slack sends them for commands, shortcuts and buttons, to mutate."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

from toxic_bot.slack.gestures import Action, Subject
from toxic_bot.slack.requests.interactions import (
    COMMAND,
    SHORTCUT,
    TRY_ACTION,
    TRY_BLOCK,
    TRY_INPUT,
)

_TRIGGER = "13345224609.738474920.8088930838d88f008e0"
_HOOK = "https://hooks.slack.com/actions/T0LOCAL01/1234/abcDEF"
_SUBJECT = Subject("1766000000.000100", "", "toxic", 0.92, "insult,threat", "0123456789ab")
_ASKER: dict[str, Any] = {
    "user": {"id": "U0YOU00001", "username": "you", "team_id": "T0LOCAL01"},
    "team": {"id": "T0LOCAL01", "domain": "local"},
    "api_app_id": "A0LOCAL01",
    "trigger_id": _TRIGGER,
}
_PLACE: dict[str, Any] = {
    "channel": {"id": "C0GENERAL1", "name": "general"},
    "response_url": _HOOK,
}


def forms() -> list[bytes]:
    """Return one body of each kind."""
    command = {
        "team_id": "T0LOCAL01",
        "channel_id": "C0GENERAL1",
        "user_id": "U0YOU00001",
        "command": COMMAND,
        "text": "you are &lt;3",
        "api_app_id": "A0LOCAL01",
        "response_url": "https://hooks.slack.com/commands/1234/5678",
        "trigger_id": _TRIGGER,
    }
    payloads = [_shortcut(), *map(_click, Action), _trial()]
    return [
        urlencode(form).encode()
        for form in (command, *({"payload": json.dumps(payload)} for payload in payloads))
    ]


def _shortcut() -> dict[str, Any]:
    return {
        "type": "message_action",
        **_ASKER,
        **_PLACE,
        "callback_id": SHORTCUT,
        "action_ts": "1766000005.207593",
        "message_ts": "1766000000.000100",
        "message": {"type": "message", "text": "any", "user": "U0RAE00001", "thread_ts": None},
    }


def _click(action: Action) -> dict[str, Any]:
    pressed = {"action_id": action, "value": _SUBJECT.to_value(), "action_ts": "1766000009.000400"}
    return {
        "type": "block_actions",
        **_ASKER,
        **_PLACE,
        "container": {"type": "message", "message_ts": "1766000003.000200"},
        "message": {"type": "message", "thread_ts": "1766000000.000100"},
        "actions": [pressed],
    }


def _trial() -> dict[str, Any]:
    return {
        "type": "block_actions",
        **_ASKER,
        "container": {"type": "view", "view_id": "V0001"},
        "view": {"state": {"values": {TRY_BLOCK: {TRY_INPUT: {"value": "any"}}}}},
        "actions": [{"action_id": TRY_ACTION, "action_ts": "1766000009.000400"}],
    }
