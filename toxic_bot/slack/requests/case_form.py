"""The buttons and forms of a case: what Slack sends when they are used.

Source: https://docs.slack.dev/reference/interaction-payloads
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from toxic_bot.slack.fields import (
    ID,
    TIMESTAMP,
    MalformedEventError,
    read_field,
    read_object,
    read_text,
)
from toxic_bot.slack.gestures.case_gestures import (
    CASE_ID,
    LETTERS,
    CaseClick,
    CaseForm,
    CaseOutcome,
    Step,
    read_step,
)
from toxic_bot.slack.gestures.gesture import TRIGGER
from toxic_bot.slack.i18n.translation import Language, texts_in
from toxic_bot.slack.requests.events import Dropped, refuse
from toxic_bot.slack.requests.form_input import read_input, read_metadata
from toxic_bot.slack.requests.payload_fields import read_response_url, read_team, read_user
from toxic_bot.slack.requests.settings_form import Rejected
from toxic_bot.slack.settings import Subscription

CALLBACK = "case"
"""The modals' callback ID."""

PREFIX = "case_"
"""What the buttons' action IDs start with; a step follows."""

MAX_LETTER = 2000
"""Characters that moderators can write to an author at a time."""


class CaseField(StrEnum):
    """The block ID of each field."""

    OUTCOME = "outcome"
    LETTER = "letter"


@dataclass(frozen=True, slots=True)
class CasePlace:
    """What a form is about, and its language, as the form's private metadata hold them.

    Parameters
    ----------
    case
        The case's ID.
    step
        What the form is for.
    language
        In which errors are shown.
    """

    case: str
    step: Step
    language: Language

    def to_metadata(self) -> str:
        """Return the form's private metadata."""
        return json.dumps({"case": self.case, "step": self.step, "language": self.language})

    @classmethod
    def from_view(cls, view: dict[str, Any]) -> CasePlace:
        """Read the metadata of a submitted view.

        Raises
        ------
        MalformedEventError
            When `to_metadata` did not write them.
        """
        raw, language = read_metadata(view)
        return cls(read_field(raw, "case", CASE_ID), read_step(raw), language)


def parse_case_click(
    payload: dict[str, Any],
    pressed: dict[str, Any],
    subscription: Subscription,
    slack_api_url: str,
) -> CaseClick | Dropped:
    """Classify a click on one of a case's buttons.

    Parameters
    ----------
    payload
        The parsed payload.
    pressed
        Its action.
    subscription, slack_api_url
        See `toxic_bot.slack.requests.interactions.parse_form`.
    """
    name = read_text(pressed, "action_id").removeprefix(PREFIX)
    if name not in set(Step):
        return Dropped("other_action")
    team = read_team(payload)
    # The moderators' channel need not be one of those that the bot answers in.
    if reason := refuse(subscription, None, team, ""):
        return Dropped(reason)
    return CaseClick(
        event_id=read_field(payload, "trigger_id", TRIGGER),
        event_ts=read_field(pressed, "action_ts", TIMESTAMP),
        team=team,
        user=read_user(payload),
        case=read_field(pressed, "value", CASE_ID),
        step=Step(name),
        response_url=read_response_url(payload, slack_api_url),
    )


def parse_case_form(
    payload: dict[str, Any], view: dict[str, Any], subscription: Subscription, sent_at: str
) -> CaseForm | Dropped | Rejected:
    """Classify a submitted form of a case.

    Parameters
    ----------
    payload
        The parsed payload.
    view
        Its view.
    subscription, sent_at
        See `toxic_bot.slack.requests.interactions.parse_form`.
    """
    place, team = CasePlace.from_view(view), read_team(payload)
    if reason := refuse(subscription, None, team, ""):
        return Dropped(reason)
    values = read_object(read_object(view, "state"), "values")
    letter = _letter(values) if place.step in LETTERS else ""
    if place.step in LETTERS and not letter:
        empty = texts_in(place.language)["case"]["empty_letter"]
        return Rejected({CaseField.LETTER: empty})
    return CaseForm(
        event_id=read_field(view, "id", ID),
        event_ts=f"{float(sent_at):.6f}",
        team=team,
        user=read_user(payload),
        case=place.case,
        step=place.step,
        outcome=_outcome(values) if place.step is Step.CLOSE else None,
        letter=letter,
    )


def _letter(values: dict[str, Any]) -> str:
    typed = read_input(values, CaseField.LETTER).get("value")
    return typed.strip()[:MAX_LETTER] if isinstance(typed, str) else ""


def _outcome(values: dict[str, Any]) -> CaseOutcome:
    chosen = read_object(read_input(values, CaseField.OUTCOME), "selected_option").get("value")
    if not isinstance(chosen, str) or chosen not in set(CaseOutcome):
        raise MalformedEventError("the field 'outcome' has no known choice")
    return CaseOutcome(chosen)
