"""The form of `/toxic settings`: its fields, and what people have entered into them.

Source: https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from toxic_bot.judge.config import OperatingPoint
from toxic_bot.slack.channel_settings import ChannelSettings
from toxic_bot.slack.fields import ID, MalformedEventError, read_object, read_text
from toxic_bot.slack.i18n.translation import Language
from toxic_bot.slack.settings import AnswerMode

if TYPE_CHECKING:
    from toxic_bot.slack.i18n.texts import ErrorTexts

CALLBACK = "channel_settings"
"""The modal's callback ID."""

OPEN_ACTION = "open_settings"
"""ID of the button that opens it."""

INPUT = "value"
"""The action ID of each field's input."""

DEFAULT, NUMBER = "default", "number"
"""Choices: what the environment says, and a threshold that is a number."""

YES, NO = "yes", "no"
MAX_EMOJI, MAX_EXEMPT = 10, 100
MIN_PERCENT, MAX_PERCENT = 1, 99

_EMOJI = re.compile(r"[\w+'-]{1,100}")
_SKIN_TONE = re.compile(r"::?skin-tone-\d:?")


class Field(StrEnum):
    """The block ID of each field."""

    LISTENS = "listens"
    REACTIONS = "reactions"
    ANSWER = "answer"
    THRESHOLD = "threshold"
    PERCENT = "percent"
    EXEMPT = "exempt"


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

    errors: Mapping[Field, str]

    def to_response(self) -> dict[str, Any]:
        """Return the response with which Slack shows the errors beside the fields."""
        return {"response_action": "errors", "errors": {k.value: v for k, v in self.errors.items()}}

    def to_json(self) -> str:
        """Return the same as the body of a response."""
        return json.dumps(self.to_response())


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
    exempt = _read_exempt(values, errors, words)
    if errors:
        return Rejected(errors)
    answer = _choice(values, Field.ANSWER, {DEFAULT, *AnswerMode})
    return ChannelSettings(
        listens=_choice(values, Field.LISTENS, {YES, NO}) == YES,
        reactions=reactions,
        answer=None if answer == DEFAULT else AnswerMode(answer),
        threshold=threshold,
        exempt=exempt,
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
    if not re.fullmatch("[0-9]{1,3}", typed) or not MIN_PERCENT <= int(typed) <= MAX_PERCENT:
        errors[Field.PERCENT] = words["not_a_percentage"].format(
            least=MIN_PERCENT, most=MAX_PERCENT
        )
        return None
    return int(typed) / 100


def _read_exempt(
    values: dict[str, Any], errors: dict[Field, str], words: ErrorTexts
) -> frozenset[str]:
    users = _input(values, Field.EXEMPT).get("selected_users") or []
    if not isinstance(users, list) or not all(
        isinstance(one, str) and ID.fullmatch(one) for one in users
    ):
        raise MalformedEventError("the field 'selected_users' is not a list of Slack's IDs")
    if len(users) > MAX_EXEMPT:
        errors[Field.EXEMPT] = words["too_many_people"].format(most=MAX_EXEMPT)
    return frozenset(users)


def _input(values: dict[str, Any], field: Field) -> dict[str, Any]:
    return read_object(read_object(values, field), INPUT)


def _typed(values: dict[str, Any], field: Field) -> str:
    value = _input(values, field).get("value")
    return value.strip() if isinstance(value, str) else ""


def _choice(values: dict[str, Any], field: Field, choices: set[str]) -> str:
    chosen = read_object(_input(values, field), "selected_option").get("value")
    if not isinstance(chosen, str) or chosen not in choices:
        raise MalformedEventError(f"the field '{field}' has no known choice")
    return chosen
