"""The form in which the settings of a channel are changed.

Source: https://docs.slack.dev/reference/views/modal-views
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toxic_bot.judge.config import OperatingPoint
from toxic_bot.slack.channel_settings import ChannelSettings
from toxic_bot.slack.i18n.translation import Language, choose, texts_in
from toxic_bot.slack.requests.settings_form import (
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
    FormPlace,
)
from toxic_bot.slack.settings import AnswerMode, BotSettings


def settings_modal(
    own: ChannelSettings, defaults: BotSettings, channel: str, language: Language
) -> dict[str, Any]:
    """Return the form, filled with what is set for a channel.

    Parameters
    ----------
    own
        What is set for the channel.
    defaults
        The settings of the environment.
    channel
        Its ID.
    language
        That of the person who opens it.
    """
    texts = texts_in(language)
    words = texts["form"]
    emoji = ", ".join(sorted(defaults.subscription.reactions))
    mode = defaults.answer_in(channel)
    number = own.threshold if isinstance(own.threshold, float) else None
    threshold = own.threshold if isinstance(own.threshold, OperatingPoint) else DEFAULT
    listens = {YES: words["yes"], NO: words["no"]}
    answers: dict[str, str] = {DEFAULT: choose(words["default_modes"], mode)}
    answers.update({one.value: choose(words["modes"], one) for one in AnswerMode})
    thresholds: dict[str, str] = {
        DEFAULT: choose(words["default_points"], defaults.operating_point)
    }
    thresholds.update({one.value: choose(words["points"], one) for one in OperatingPoint})
    thresholds[NUMBER] = words["number"]
    return {
        "type": "modal",
        "callback_id": CALLBACK,
        "private_metadata": FormPlace(channel, language).to_metadata(),
        "title": _plain(words["title"]),
        "submit": _plain(words["save"]),
        "close": _plain(words["cancel"]),
        "blocks": [
            _mrkdwn(words["only_here"].format(channel=channel, delay=texts["channel"]["delay"])),
            _input(
                Field.LISTENS,
                words["listens"],
                _choices("radio_buttons", listens, YES if own.listens else NO),
            ),
            _input(
                Field.REACTIONS,
                words["reactions"],
                _text_field(", ".join(sorted(own.reactions)), emoji),
                hint=words["reactions_hint"].format(emoji=emoji),
                optional=True,
            ),
            _input(
                Field.ANSWER,
                words["answer"],
                _choices("static_select", answers, own.answer or DEFAULT),
                hint=words["answer_hint"].format(
                    who_sees=choose(texts["channel"]["who_sees"], mode)
                ),
            ),
            _input(
                Field.THRESHOLD,
                words["threshold"],
                _choices("static_select", thresholds, threshold if number is None else NUMBER),
            ),
            _input(
                Field.PERCENT,
                words["percent"],
                {
                    "type": "number_input",
                    "action_id": INPUT,
                    "is_decimal_allowed": False,
                    "min_value": str(MIN_PERCENT),
                    "max_value": str(MAX_PERCENT),
                    **({} if number is None else {"initial_value": f"{number * 100:.0f}"}),
                },
                hint=words["percent_hint"],
                optional=True,
            ),
            _input(
                Field.EXEMPT,
                words["people"],
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
