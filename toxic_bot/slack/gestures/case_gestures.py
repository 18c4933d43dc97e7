"""What moderators do with a case: clicks on its buttons, and the forms that these open."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from toxic_bot.slack.fields import MalformedEventError, read_field, read_text
from toxic_bot.slack.gestures.gesture import RESPONSE_URL, Gesture

CASE_ID = re.compile(r"[0-9a-f]{16}")
_NAME = re.compile(r"[a-z_]{1,30}")


class Step(StrEnum):
    """What can be done with a case."""

    TAKE = "take"
    HAND_BACK = "hand_back"
    CLOSE = "close"
    REOPEN = "reopen"
    WRITE = "write"
    ASK_EDIT = "ask_edit"
    FLAG = "flag"
    REMOVE = "remove"


class CaseOutcome(StrEnum):
    """How a case ends."""

    FINE = "fine"
    TALKED_TO = "talked_to"
    REMOVED = "removed"
    ESCALATED = "escalated"


ACTIONS = (Step.WRITE, Step.ASK_EDIT, Step.FLAG, Step.REMOVE)
"""The steps that reach the author, or others in the channel."""

LETTERS = (Step.WRITE, Step.ASK_EDIT)
"""Those that send the author what a moderator writes."""


@dataclass(frozen=True, slots=True)
class CaseClick(Gesture):
    """Somebody clicked a button below a case.

    Its event ID is Slack's trigger ID, with which a form can be opened for three seconds.

    Parameters
    ----------
    case
        The case's ID.
    step
        Which button.
    response_url
        Where Slack takes the answer.
    """

    NAME = "case_click"

    case: str
    step: Step
    response_url: str

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> CaseClick:
        """Read a parsed body."""
        return cls(
            **cls._common(raw),
            case=read_field(raw, "case", CASE_ID),
            step=read_step(raw),
            response_url=read_field(raw, "response_url", RESPONSE_URL),
        )


@dataclass(frozen=True, slots=True)
class CaseForm(Gesture):
    """Somebody submitted the form that a button below a case opens.

    Its event ID is the form's own, so that one form acts once, however often it is submitted.

    Parameters
    ----------
    case
        The case's ID.
    step
        What the form is for.
    outcome
        How the case ends; None unless it is closed.
    letter
        What the author is told; empty if nothing.
    """

    NAME = "case_form"
    LIFETIME = None

    case: str
    step: Step
    outcome: CaseOutcome | None
    letter: str

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> CaseForm:
        """Read a parsed body."""
        return cls(
            **cls._common(raw),
            case=read_field(raw, "case", CASE_ID),
            step=read_step(raw),
            outcome=None if raw.get("outcome") is None else _outcome(raw),
            letter=read_text(raw, "letter"),
        )


def read_step(raw: dict[str, Any]) -> Step:
    """Read the field ``step``.

    Raises
    ------
    MalformedEventError
        When it is not one.
    """
    name = read_field(raw, "step", _NAME)
    if name not in set(Step):
        raise MalformedEventError("the field 'step' is no step of a case")
    return Step(name)


def _outcome(raw: dict[str, Any]) -> CaseOutcome:
    name = read_field(raw, "outcome", _NAME)
    if name not in set(CaseOutcome):
        raise MalformedEventError("the field 'outcome' is no outcome of a case")
    return CaseOutcome(name)
