"""The form of `/toxic settings`: its fields, and what people have entered into them.

Source: https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from toxic_bot.judge.config import OperatingPoint
from toxic_bot.slack.channel_settings import ChannelSettings, QuietHours, Urgent, Watch, WatchAction
from toxic_bot.slack.fields import ID, MalformedEventError, read_object, read_text
from toxic_bot.slack.i18n.translation import Language
from toxic_bot.slack.requests.form_input import read_input
from toxic_bot.slack.settings import AnswerMode
from toxic_bot.slack.time_zones import UTC_NAME, find_zone
from toxic_bot.slack.word_lists import (
    MAX_ENTRIES,
    MAX_ENTRY_LENGTH,
    WordLists,
    is_too_general,
    read_entries,
)

if TYPE_CHECKING:
    from toxic_bot.slack.i18n.texts import ErrorTexts

CALLBACK = "channel_settings"
"""The modal's callback ID."""

OPEN_ACTION = "open_settings"
"""ID of the button that opens it."""

DEFAULT, NUMBER = "default", "number"
"""Choices: what the environment says, and a threshold that is a number."""

YES, NO = "yes", "no"
OFF = "off"
"""The choice of not watching the channel."""
MAX_EMOJI, MAX_EXEMPT, MAX_URGENT = 10, 100, 10
MIN_PERCENT, MAX_PERCENT = 1, 99
MAX_HOUR = 23
MAX_INPUT = 3000
"""Characters that Slack takes in one field."""

_EMOJI = re.compile(r"[\w+'-]{1,100}")
_HOURS = re.compile(r"(\d{1,2})\s*[-–]\s*(\d{1,2})")
_SKIN_TONE = re.compile(r"::?skin-tone-\d:?")


class Field(StrEnum):
    """The block ID of each field."""

    LISTENS = "listens"
    REACTIONS = "reactions"
    ANSWER = "answer"
    THRESHOLD = "threshold"
    PERCENT = "percent"
    EXEMPT = "exempt"
    WATCH = "watch"
    WATCH_PERCENT = "watch_percent"
    QUIET = "quiet"
    ZONE = "zone"
    URGENT = "urgent"
    URGENT_PEOPLE = "urgent_people"
    ALWAYS = "always"
    NEVER = "never"
    SAMPLE = "sample"
    NEXT_SAMPLE = "next_sample"
    """The same, emptied after a trial: Slack keeps what was entered under an ID."""


@dataclass(frozen=True, slots=True)
class FormPlace:
    """Which channel a form is about, and its language, as the form's private metadata hold them.

    Parameters
    ----------
    channel
        The channel's ID.
    language
        In which errors are shown; None in a form that does not say.
    """

    channel: str
    language: Language | None

    def to_metadata(self) -> str:
        """Return the form's private metadata."""
        return f"{self.channel} {self.language}" if self.language else self.channel

    @classmethod
    def from_view(cls, view: dict[str, Any]) -> FormPlace:
        """Read the metadata of a submitted view.

        Raises
        ------
        MalformedEventError
            When `to_metadata` did not write them.
        """
        channel, _, code = read_text(view, "private_metadata").partition(" ")
        if not ID.fullmatch(channel):
            raise MalformedEventError("the field 'private_metadata' does not have Slack's format")
        return cls(channel, Language(code) if code in set(Language) else None)


@dataclass(frozen=True, slots=True)
class Rejected:
    """A form that cannot be taken as it is.

    Parameters
    ----------
    errors
        What is wrong, by field.
    """

    errors: Mapping[str, str]

    def to_response(self) -> dict[str, Any]:
        """Return the response with which Slack shows the errors beside the fields."""
        return {"response_action": "errors", "errors": dict(self.errors)}


@dataclass(frozen=True, slots=True)
class Tried:
    """A form with a text to try its lists on: nothing is saved yet.

    Parameters
    ----------
    settings
        What was entered.
    place
        Which channel it is about, and its language.
    sample
        The text.
    field
        Where it was entered.
    """

    settings: ChannelSettings
    place: FormPlace
    sample: str
    field: Field


def read_sample(values: dict[str, Any]) -> tuple[Field, str]:
    """Return the text to try the lists on, empty for none, and where it was entered."""
    field = Field.NEXT_SAMPLE if Field.NEXT_SAMPLE in values else Field.SAMPLE
    return field, _typed(values, field) if field in values else ""


def read_settings(values: dict[str, Any], words: ErrorTexts) -> ChannelSettings | Rejected:
    """Read what was entered.

    Parameters
    ----------
    values
        The submitted view's ``state.values``.
    words
        The errors, in the form's language.

    Returns
    -------
    ChannelSettings or Rejected
        What to set, or what to show beside the fields.

    Raises
    ------
    MalformedEventError
        When it is not the form of this module.
    """
    errors: dict[Field, str] = {}
    reactions = _read_reactions(values, errors, words)
    threshold = _read_limit(values, errors, words)
    exempt = frozenset(_read_people(values, Field.EXEMPT, MAX_EXEMPT, errors, words))
    watch = _read_watch(values, errors, words)
    lists = _read_lists(values, errors, words)
    urgent = _read_urgent(values, errors, words)
    if errors:
        return Rejected({field.value: error for field, error in errors.items()})
    answer = _choice(values, Field.ANSWER, {DEFAULT, *AnswerMode})
    return ChannelSettings(
        listens=_choice(values, Field.LISTENS, {YES, NO}) == YES,
        reactions=reactions,
        answer=None if answer == DEFAULT else AnswerMode(answer),
        threshold=threshold,
        exempt=exempt,
        watch=watch,
        lists=lists,
        urgent=urgent,
    )


def _read_reactions(
    values: dict[str, Any], errors: dict[Field, str], words: ErrorTexts
) -> frozenset[str]:
    typed = _SKIN_TONE.sub("", _typed(values, Field.REACTIONS).lower())
    # Emoji that are chosen in Slack's own picker arrive as ":one::two:".
    names = frozenset(re.split(r"[\s,:]+", typed)) - {""}
    if any(not _EMOJI.fullmatch(name) for name in names):
        errors[Field.REACTIONS] = words["emoji_names"]
    elif len(names) > MAX_EMOJI:
        errors[Field.REACTIONS] = words["too_many_emoji"].format(most=MAX_EMOJI)
    return names


def _read_limit(
    values: dict[str, Any], errors: dict[Field, str], words: ErrorTexts
) -> OperatingPoint | float | None:
    choice = _choice(values, Field.THRESHOLD, {DEFAULT, NUMBER, *OperatingPoint})
    typed = _typed(values, Field.PERCENT)
    if choice != NUMBER:
        if typed:
            errors[Field.PERCENT] = words["number_not_chosen"]
        return None if choice == DEFAULT else OperatingPoint(choice)
    return _read_percent(values, Field.PERCENT, errors, words)


def _read_percent(
    values: dict[str, Any], field: Field, errors: dict[Field, str], words: ErrorTexts
) -> float | None:
    typed = _typed(values, field)
    if not re.fullmatch("[0-9]{1,3}", typed) or not MIN_PERCENT <= int(typed) <= MAX_PERCENT:
        errors[field] = words["not_a_percentage"].format(least=MIN_PERCENT, most=MAX_PERCENT)
        return None
    return int(typed) / 100


def _read_watch(
    values: dict[str, Any], errors: dict[Field, str], words: ErrorTexts
) -> Watch | None:
    if Field.WATCH not in values:
        # Watching is switched off for all channels.
        return None
    action = _choice(values, Field.WATCH, {OFF, *WatchAction})
    has_own = bool(_typed(values, Field.WATCH_PERCENT))
    threshold = _read_percent(values, Field.WATCH_PERCENT, errors, words) if has_own else None
    quiet = _read_quiet(values, errors, words)
    return None if action == OFF else Watch(WatchAction(action), threshold, quiet)


def _read_quiet(
    values: dict[str, Any], errors: dict[Field, str], words: ErrorTexts
) -> QuietHours | None:
    typed = _typed(values, Field.QUIET)
    # A form that was opened before hours had a zone has no such field.
    zone = find_zone(_typed(values, Field.ZONE) if Field.ZONE in values else "")
    if zone is None:
        errors[Field.ZONE] = words["not_a_zone"]
    if not typed:
        return None
    hours = _HOURS.fullmatch(typed)
    start, end = map(int, hours.groups()) if hours else (0, 0)
    if start == end or max(start, end) > MAX_HOUR:
        errors[Field.QUIET] = words["not_hours"].format(most=MAX_HOUR)
        return None
    return QuietHours(start, end, zone or UTC_NAME)


def _read_lists(values: dict[str, Any], errors: dict[Field, str], words: ErrorTexts) -> WordLists:
    always = _read_list(values, Field.ALWAYS, errors, words)
    never = _read_list(values, Field.NEVER, errors, words)
    both = {entry.casefold() for entry in always} & {entry.casefold() for entry in never}
    if both:
        errors[Field.NEVER] = words["on_both_lists"].format(word=min(both))
    return WordLists(always, never)


def _read_list(
    values: dict[str, Any], field: Field, errors: dict[Field, str], words: ErrorTexts
) -> tuple[str, ...]:
    # A form that was opened before there were lists has no such field.
    entries = read_entries(_typed(values, field)) if field in values else ()
    if len(entries) > MAX_ENTRIES:
        errors[field] = words["too_many_words"].format(most=MAX_ENTRIES)
    for entry in entries:
        if len(entry) > MAX_ENTRY_LENGTH:
            start = entry[:MAX_ENTRY_LENGTH]
            errors[field] = words["word_too_long"].format(word=f"{start}…", most=MAX_ENTRY_LENGTH)
        elif is_too_general(entry):
            errors[field] = words["word_too_general"].format(word=entry)
    return entries


def _read_urgent(
    values: dict[str, Any], errors: dict[Field, str], words: ErrorTexts
) -> Urgent | None:
    if Field.URGENT not in values:
        # The form was opened before it had such a field.
        return None
    channels = _selected(values, Field.URGENT, "selected_conversations")
    people = _read_people(values, Field.URGENT_PEOPLE, MAX_URGENT, errors, words)
    if channels:
        return Urgent(channels[0], tuple(sorted(people)))
    if people:
        errors[Field.URGENT_PEOPLE] = words["no_urgent_channel"]
    return None


def _read_people(
    values: dict[str, Any], field: Field, most: int, errors: dict[Field, str], words: ErrorTexts
) -> list[str]:
    people = _selected(values, field, "selected_users")
    if len(people) > most:
        errors[field] = words["too_many_people"].format(most=most)
    return people


def _selected(values: dict[str, Any], field: Field, name: str) -> list[str]:
    selected = read_input(values, field).get(name) or []
    if not isinstance(selected, list) or not all(
        isinstance(one, str) and ID.fullmatch(one) for one in selected
    ):
        raise MalformedEventError(f"the field '{name}' is not a list of Slack's IDs")
    return selected


def _typed(values: dict[str, Any], field: Field) -> str:
    value = read_input(values, field).get("value")
    return value.strip() if isinstance(value, str) else ""


def _choice(values: dict[str, Any], field: Field, choices: set[str]) -> str:
    chosen = read_object(read_input(values, field), "selected_option").get("value")
    if not isinstance(chosen, str) or chosen not in choices:
        raise MalformedEventError(f"the field '{field}' has no known choice")
    return chosen
