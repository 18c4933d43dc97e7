"""The form in which the settings of a channel are changed.

Source: https://docs.slack.dev/reference/views/modal-views
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handler.channel_settings import ChannelSettings
from handler.channels.settings_posts import DELAY, WHO_SEES
from handler.settings import AnswerMode, BotSettings
from handler.slack.settings_form import (
    CALLBACK,
    DEFAULT,
    INPUT,
    MAX_EXEMPT,
    MAX_PERCENT,
    MIN_PERCENT,
    NO,
    NUMBER,
    YES,
    Field,
)
from judge.config import OperatingPoint

_MODES = {
    AnswerMode.THREAD: "In the thread",
    AnswerMode.EPHEMERAL: "Only to the person who asks",
    AnswerMode.NUDGE: "Only to the author, if toxic",
}
_POINTS = {
    OperatingPoint.BALANCED: "Balanced: finds the most",
    OperatingPoint.CAUTIOUS: "Cautious: fewest false alarms",
}


def settings_modal(own: ChannelSettings, defaults: BotSettings, channel: str) -> dict[str, Any]:
    """Return the form, filled with what is set for a channel.

    Parameters
    ----------
    own
        What is set for the channel.
    defaults
        The settings of the environment.
    channel
        Its ID.
    """
    emoji = ", ".join(sorted(defaults.subscription.reactions))
    mode = defaults.answer_in(channel)
    number = own.limit if isinstance(own.limit, float) else None
    limit = own.limit if isinstance(own.limit, OperatingPoint) else DEFAULT
    listens = {YES: "Yes", NO: "No: no answer at all"}
    answers: dict[str, str] = {DEFAULT: f"Default ({_MODES[mode].lower()})"}
    answers.update({one.value: text for one, text in _MODES.items()})
    limits: dict[str, str] = {DEFAULT: f"Default ({defaults.operating_point})"}
    limits.update({one.value: text for one, text in _POINTS.items()})
    limits[NUMBER] = "A number"
    return {
        "type": "modal",
        "callback_id": CALLBACK,
        "private_metadata": channel,
        "title": _plain("Toxic Bot settings"),
        "submit": _plain("Save"),
        "close": _plain("Cancel"),
        "blocks": [
            _mrkdwn(f"For <#{channel}> only. {DELAY}"),
            _input(
                Field.LISTENS,
                "Do I listen in this channel?",
                _choices("radio_buttons", listens, YES if own.listens else NO),
            ),
            _input(
                Field.REACTIONS,
                "Emoji that ask for a verdict",
                _text_field(", ".join(sorted(own.reactions)), emoji),
                hint=f"Short names, such as skull, eyes. Empty: {emoji}.",
                optional=True,
            ),
            _input(
                Field.ANSWER,
                "Who sees the verdict?",
                _choices("static_select", answers, own.answer or DEFAULT),
                hint=f"By default, {WHO_SEES[mode]}.",
            ),
            _input(
                Field.LIMIT,
                "From which score is a message toxic?",
                _choices("static_select", limits, limit if number is None else NUMBER),
            ),
            _input(
                Field.PERCENT,
                "The number, in percent",
                {
                    "type": "number_input",
                    "action_id": INPUT,
                    "is_decimal_allowed": False,
                    "min_value": str(MIN_PERCENT),
                    "max_value": str(MAX_PERCENT),
                    **({} if number is None else {"initial_value": f"{number * 100:.0f}"}),
                },
                hint="The lower it is, the more messages are called toxic.",
                optional=True,
            ),
            _input(
                Field.EXEMPT,
                "People whose messages I do not judge",
                {
                    "type": "multi_users_select",
                    "action_id": INPUT,
                    "max_selected_items": MAX_EXEMPT,
                    **({"initial_users": sorted(own.exempt)} if own.exempt else {}),
                },
                optional=True,
            ),
        ],
    }


def _input(
    field: Field, label: str, element: dict[str, Any], *, hint: str = "", optional: bool = False
) -> dict[str, Any]:
    return {
        "type": "input",
        "block_id": field.value,
        "label": _plain(label),
        "element": element,
        "optional": optional,
        **({"hint": _plain(hint)} if hint else {}),
    }


def _choices(kind: str, choices: Mapping[str, str], chosen: str) -> dict[str, Any]:
    options = {value: {"text": _plain(text), "value": value} for value, text in choices.items()}
    return {
        "type": kind,
        "action_id": INPUT,
        "options": list(options.values()),
        "initial_option": options[chosen],
    }


def _text_field(value: str, placeholder: str) -> dict[str, Any]:
    field: dict[str, Any] = {
        "type": "plain_text_input",
        "action_id": INPUT,
        "placeholder": _plain(placeholder[:150]),
    }
    return field | {"initial_value": value} if value else field


def _plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text}


def _mrkdwn(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}
