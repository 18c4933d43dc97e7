"""The buttons below an answer: why it says so, and whether it is right.

Source: https://docs.slack.dev/reference/block-kit/block-elements/button-element
"""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from toxic_bot.slack.answers.assessment import Judgment
from toxic_bot.slack.gestures.clicks import Action, Subject
from toxic_bot.slack.i18n.texts import Texts
from toxic_bot.slack.i18n.translation import choose
from toxic_bot.slack.settings import GestureName


def verdict_buttons(
    judgment: Judgment,
    *,
    ts: str,
    edited: str,
    model: str,
    gestures: Set[GestureName],
    texts: Texts,
    to_author: bool = False,
) -> list[dict[str, Any]]:
    """Return the block with the buttons below a verdict, or no block if all are switched off.

    Parameters
    ----------
    judgment
        The verdict.
    ts, edited
        The version of the message that it is about.
    model
        Version of the model.
    gestures
        What is switched on.
    texts
        In the language of those who read it.
    to_author
        Whether it stands below a note to the author, who is not asked whether it is right.
    """
    if not judgment.is_verdict:
        return []
    kinds = ",".join(judgment.kinds)
    score = round(judgment.score, 4)
    value = Subject(ts, edited, judgment.outcome.value, score, kinds, model).to_value()
    elements = []
    if GestureName.WHY in gestures:
        elements.append(button(Action.WHY, value, texts))
    if GestureName.VOTE in gestures:
        if not to_author:
            elements.append(button(Action.RIGHT, value, texts))
        elements.append(button(Action.WRONG, value, texts, to_author=to_author))
    return [{"type": "actions", "elements": elements}] if elements else []


def button(action: Action, value: str, texts: Texts, *, to_author: bool = False) -> dict[str, Any]:
    """Return a button; its value is that of the verdict that it is about."""
    label = choose(texts["verdict"]["buttons"], action)
    if to_author:
        label = texts["verdict"]["not_hurtful"]
    return {
        "type": "button",
        "action_id": action.value,
        "text": {"type": "plain_text", "text": label},
        "value": value,
    }
