"""The forms that a case's buttons open: each asks before anything is done.

Source: https://docs.slack.dev/reference/views/modal-views
"""

from __future__ import annotations

from typing import Any

from toxic_bot.slack.cases.case import Case
from toxic_bot.slack.gestures.case_gestures import LETTERS, CaseOutcome, Step
from toxic_bot.slack.i18n.texts import CaseTexts
from toxic_bot.slack.i18n.translation import Language, choose, texts_in
from toxic_bot.slack.requests.case_form import CALLBACK, MAX_LETTER, CaseField, CasePlace
from toxic_bot.slack.requests.form_input import INPUT
from toxic_bot.slack.web_api.form_blocks import choices, labeled_input, plain, section


def case_modal(case: Case, step: Step, language: Language) -> dict[str, Any]:
    """Return the form for a step.

    Parameters
    ----------
    case
        The case.
    step
        What is about to be done.
    language
        That of the moderator.
    """
    texts = texts_in(language)
    words = texts["case"]
    label = choose(words["buttons"], step)
    return {
        "type": "modal",
        "callback_id": CALLBACK,
        "private_metadata": CasePlace(case.id, step, language).to_metadata(),
        "title": plain(label),
        "submit": plain(texts["report"]["send"] if step in LETTERS else label),
        "close": plain(texts["report"]["cancel"]),
        "blocks": [
            section(choose(words["asks"], step).format(user=case.author)),
            *_fields(step, words),
        ],
    }


def _fields(step: Step, words: CaseTexts) -> list[dict[str, Any]]:
    if step is Step.CLOSE:
        outcomes = {one.value: choose(words["outcomes"], one) for one in CaseOutcome}
        radio = choices("radio_buttons", outcomes, CaseOutcome.FINE)
        return [labeled_input(CaseField.OUTCOME, words["outcome"], radio)]
    if step not in LETTERS:
        return []
    typed = {
        "type": "plain_text_input",
        "action_id": INPUT,
        "multiline": True,
        "max_length": MAX_LETTER,
        "initial_value": words["letter" if step is Step.WRITE else "edit_letter"],
    }
    return [labeled_input(CaseField.LETTER, words["letter_label"], typed)]
