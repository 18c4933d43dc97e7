"""Forms as Slack sends them for commands, shortcuts and buttons, to mutate."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

from toxic_bot.slack.gestures.case_gestures import Step
from toxic_bot.slack.gestures.clicks import Action, Subject
from toxic_bot.slack.gestures.report_gestures import ReportedMessage
from toxic_bot.slack.i18n.translation import Language
from toxic_bot.slack.requests import case_form, report_form
from toxic_bot.slack.requests.interactions import (
    COMMAND,
    REPORT,
    SHORTCUT,
    TRY_ACTION,
    TRY_BLOCK,
    TRY_INPUT,
)

_CASE = "0123456789abcdef"
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
    shortcuts = [_shortcut(SHORTCUT), _shortcut(REPORT)]
    payloads = [*shortcuts, *map(_click, Action), _trial(), _report()]
    payloads += [make(step) for make in (_case_click, _case_form) for step in Step]
    return [
        urlencode(form).encode()
        for form in (command, *({"payload": json.dumps(payload)} for payload in payloads))
    ]


def _shortcut(callback_id: str) -> dict[str, Any]:
    return {
        "type": "message_action",
        **_ASKER,
        **_PLACE,
        "callback_id": callback_id,
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


def _report() -> dict[str, Any]:
    message = ReportedMessage("C0GENERAL1", "1766000000.000100", None, "toxic", 0.9, "insult")
    values = {
        "reason": {"value": {"selected_option": {"value": report_form.Reason.INSULT}}},
        "word": {"value": {"value": "any"}},
        "name": {"value": {"selected_option": {"value": report_form.ANONYMOUS}}},
    }
    view = {
        "id": "V0001",
        "callback_id": report_form.CALLBACK,
        "private_metadata": report_form.ReportPlace(message, Language.ENGLISH).to_metadata(),
        "state": {"values": values},
    }
    return {"type": "view_submission", **_ASKER, "view": view}


def _case_click(step: Step) -> dict[str, Any]:
    pressed = {"action_id": f"{case_form.PREFIX}{step}", "value": _CASE}
    return {
        "type": "block_actions",
        **_ASKER,
        **_PLACE,
        "actions": [pressed | {"action_ts": "1766000009.000400"}],
    }


def _case_form(step: Step) -> dict[str, Any]:
    view = {
        "id": "V0001",
        "callback_id": case_form.CALLBACK,
        "private_metadata": case_form.CasePlace(_CASE, step, Language.ENGLISH).to_metadata(),
        "state": {
            "values": {
                "outcome": {"value": {"selected_option": {"value": "fine"}}},
                "letter": {"value": {"value": "any"}},
            }
        },
    }
    return {"type": "view_submission", **_ASKER, "view": view}
