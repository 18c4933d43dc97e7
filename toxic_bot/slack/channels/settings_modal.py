"""The form in which the settings of a channel are changed.

Source: https://docs.slack.dev/reference/views/modal-views
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from toxic_bot.judge.config import OperatingPoint
from toxic_bot.slack.channel_settings import ChannelSettings, WatchAction
from toxic_bot.slack.i18n.texts import FormTexts
from toxic_bot.slack.i18n.translation import Language, choose, texts_in
from toxic_bot.slack.requests.form_input import INPUT
from toxic_bot.slack.requests.settings_form import (
    CALLBACK,
    DEFAULT,
    MAX_EXEMPT,
    MAX_INPUT,
    MAX_PERCENT,
    MAX_URGENT,
    MIN_PERCENT,
    NO,
    NUMBER,
    OFF,
    YES,
    Field,
    FormPlace,
)
from toxic_bot.slack.settings import AnswerMode, BotSettings, GestureName
from toxic_bot.slack.time_zones import UTC_NAME
from toxic_bot.slack.web_api.form_blocks import choices, labeled_input, plain, section


def settings_modal(
    own: ChannelSettings,
    defaults: BotSettings,
    channel: str,
    language: Language,
    *,
    trial: str = "",
    sample: Field = Field.SAMPLE,
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
    trial
        What the lists would do to a text that was tried, if one was.
    sample
        The field for the next text to try.
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
        "title": plain(words["title"]),
        "submit": plain(words["save"]),
        "close": plain(words["cancel"]),
        "blocks": [
            section(words["only_here"].format(channel=channel, delay=texts["channel"]["delay"])),
            labeled_input(
                Field.LISTENS,
                words["listens"],
                choices("radio_buttons", listens, YES if own.listens else NO),
            ),
            labeled_input(
                Field.REACTIONS,
                words["reactions"],
                _text_field(", ".join(sorted(own.reactions)), emoji),
                hint=words["reactions_hint"].format(emoji=emoji),
                optional=True,
            ),
            labeled_input(
                Field.ANSWER,
                words["answer"],
                choices("static_select", answers, own.answer or DEFAULT),
                hint=words["answer_hint"].format(
                    who_sees=choose(texts["channel"]["who_sees"], mode)
                ),
            ),
            labeled_input(
                Field.THRESHOLD,
                words["threshold"],
                choices("static_select", thresholds, threshold if number is None else NUMBER),
            ),
            labeled_input(
                Field.PERCENT,
                words["percent"],
                _percent_field(number),
                hint=words["percent_hint"],
                optional=True,
            ),
            *_watch_fields(own, defaults, words),
            labeled_input(
                Field.EXEMPT,
                words["people"],
                _people_field(own.exempt, MAX_EXEMPT),
                optional=True,
            ),
            *_urgent_fields(own, words),
            *_list_fields(own, words, trial, sample),
        ],
    }


def _urgent_fields(own: ChannelSettings, words: FormTexts) -> list[dict[str, Any]]:
    channel = {
        "type": "multi_conversations_select",
        "action_id": INPUT,
        "filter": {"include": ["public", "private"]},
        # Unlike a menu for one channel, one for several can be emptied again.
        "max_selected_items": 1,
        **({} if own.urgent is None else {"initial_conversations": [own.urgent.channel]}),
    }
    people = () if own.urgent is None else own.urgent.people
    return [
        labeled_input(
            Field.URGENT, words["urgent"], channel, hint=words["urgent_hint"], optional=True
        ),
        labeled_input(
            Field.URGENT_PEOPLE,
            words["urgent_people"],
            _people_field(people, MAX_URGENT),
            optional=True,
        ),
    ]


def _list_fields(
    own: ChannelSettings, words: FormTexts, trial: str, sample: Field
) -> list[dict[str, Any]]:
    return [
        labeled_input(
            Field.ALWAYS,
            words["always"],
            _text_area(own.lists.always),
            hint=words["always_hint"],
            optional=True,
        ),
        labeled_input(
            Field.NEVER,
            words["never"],
            _text_area(own.lists.never),
            hint=words["never_hint"],
            optional=True,
        ),
        *([{"type": "section", "text": plain(trial)}] if trial else []),
        labeled_input(
            sample,
            words["sample"],
            _text_area(()),
            hint=words["sample_hint"],
            optional=True,
        ),
    ]


def _watch_fields(
    own: ChannelSettings, defaults: BotSettings, words: FormTexts
) -> list[dict[str, Any]]:
    if GestureName.WATCH not in defaults.subscription.gestures:
        return []
    actions: dict[str, str] = {OFF: words["watch_choices"]["off"]}
    for action in WatchAction:
        # Without a channel of theirs, nobody would get a note.
        if action is not WatchAction.NOTE or defaults.moderation.channel:
            actions[action.value] = choose(words["watch_choices"], action)
    watch = own.watch
    chosen = watch.action.value if watch is not None else OFF
    quiet = watch.quiet if watch is not None else None
    hours = "" if quiet is None else f"{quiet.start}-{quiet.end}"
    return [
        labeled_input(
            Field.WATCH,
            words["watch"],
            choices("static_select", actions, chosen if chosen in actions else OFF),
            hint=words["watch_hint"],
        ),
        labeled_input(
            Field.WATCH_PERCENT,
            words["watch_percent"],
            _percent_field(None if watch is None else watch.threshold),
            hint=words["watch_percent_hint"],
            optional=True,
        ),
        labeled_input(
            Field.QUIET,
            words["quiet"],
            _text_field(hours, "18-8"),
            hint=words["quiet_hint"],
            optional=True,
        ),
        labeled_input(
            Field.ZONE,
            words["zone"],
            _text_field(UTC_NAME if quiet is None else quiet.zone, "Europe/Berlin"),
            hint=words["zone_hint"],
            optional=True,
        ),
    ]


def _people_field(people: Collection[str], most: int) -> dict[str, Any]:
    return {
        "type": "multi_users_select",
        "action_id": INPUT,
        "max_selected_items": most,
        **({"initial_users": sorted(people)} if people else {}),
    }


def _percent_field(number: float | None) -> dict[str, Any]:
    return {
        "type": "number_input",
        "action_id": INPUT,
        "is_decimal_allowed": False,
        "min_value": str(MIN_PERCENT),
        "max_value": str(MAX_PERCENT),
        **({} if number is None else {"initial_value": f"{number * 100:.0f}"}),
    }


def _text_area(lines: Sequence[str]) -> dict[str, Any]:
    return {
        "type": "plain_text_input",
        "action_id": INPUT,
        "multiline": True,
        "max_length": MAX_INPUT,
        **({"initial_value": "\n".join(lines)} if lines else {}),
    }


def _text_field(value: str, placeholder: str) -> dict[str, Any]:
    field: dict[str, Any] = {
        "type": "plain_text_input",
        "action_id": INPUT,
        "placeholder": plain(placeholder[:150]),
    }
    return field | {"initial_value": value} if value else field
