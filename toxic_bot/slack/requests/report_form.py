"""The form of a report to the moderators: its fields, and what people have entered into them.

Source: https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from toxic_bot.slack.fields import MalformedEventError, read_object
from toxic_bot.slack.gestures.report_gestures import ReportedMessage
from toxic_bot.slack.i18n.translation import Language
from toxic_bot.slack.requests.form_input import read_input, read_metadata

if TYPE_CHECKING:
    from toxic_bot.slack.i18n.texts import ReportTexts

CALLBACK = "report"
"""The modal's callback ID."""

ANONYMOUS, NAMED = "anonymous", "named"
MAX_WORD = 1000
"""Characters of what somebody says about a message."""


class Reason(StrEnum):
    """Why somebody reports a message."""

    THREAT = "threat"
    SEXUAL = "sexual"
    SELF_HARM = "self_harm"
    IDENTITY = "identity"
    INSULT = "insult"
    OTHER = "other"


URGENT_REASONS = frozenset({Reason.THREAT, Reason.SEXUAL, Reason.SELF_HARM})
"""Reasons for which somebody has to see a message at once, whatever the model makes of it."""


class ReportField(StrEnum):
    """The block ID of each field."""

    REASON = "reason"
    WORD = "word"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class ReportPlace:
    """What a form is about, and its language, as the form's private metadata hold them.

    Parameters
    ----------
    message
        The message that is reported.
    language
        In which the reporter is thanked.
    """

    message: ReportedMessage
    language: Language

    def to_metadata(self) -> str:
        """Return the form's private metadata."""
        return json.dumps(asdict(self.message) | {"language": self.language.value})

    @classmethod
    def from_view(cls, view: dict[str, Any]) -> ReportPlace:
        """Read the metadata of a submitted view.

        Raises
        ------
        MalformedEventError
            When `to_metadata` did not write them.
        """
        raw, language = read_metadata(view)
        return cls(ReportedMessage.from_dict(raw), language)


@dataclass(frozen=True, slots=True)
class Entered:
    """What was entered.

    Parameters
    ----------
    reason, word, anonymous
        See `toxic_bot.slack.gestures.Report`.
    """

    reason: Reason
    word: str
    anonymous: bool


def read_report(values: dict[str, Any]) -> Entered:
    """Read the submitted view's ``state.values``.

    Raises
    ------
    MalformedEventError
        When it is not the form of this module.
    """
    typed = read_input(values, ReportField.WORD).get("value")
    return Entered(
        Reason(_choice(values, ReportField.REASON, set(Reason))),
        typed.strip()[:MAX_WORD] if isinstance(typed, str) else "",
        _choice(values, ReportField.NAME, {ANONYMOUS, NAMED}) == ANONYMOUS,
    )


def thanks_response(words: ReportTexts) -> dict[str, Any]:
    """Return the response that shows thanks in place of the form."""
    text = {"type": "mrkdwn", "text": words["thanks"]}
    view = {
        "type": "modal",
        "title": {"type": "plain_text", "text": words["title"]},
        "close": {"type": "plain_text", "text": words["close"]},
        "blocks": [{"type": "section", "text": text}],
    }
    return {"response_action": "update", "view": view}


def _choice(values: dict[str, Any], field: ReportField, choices: set[str]) -> str:
    chosen = read_object(read_input(values, field), "selected_option").get("value")
    if not isinstance(chosen, str) or chosen not in choices:
        raise MalformedEventError(f"the field '{field}' has no known choice")
    return chosen
