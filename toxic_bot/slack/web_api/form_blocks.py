"""The blocks of a form.

Source: https://docs.slack.dev/reference/block-kit/blocks/input-block
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toxic_bot.slack.requests.form_input import INPUT


def labeled_input(
    field: str, label: str, element: dict[str, Any], *, hint: str = "", optional: bool = False
) -> dict[str, Any]:
    """Return a field with its label.

    Parameters
    ----------
    field
        Its block ID.
    label, hint
        What stands above and below it.
    element
        The input.
    optional
        Whether it may be left empty.
    """
    return {
        "type": "input",
        "block_id": field,
        "label": plain(label),
        "element": element,
        "optional": optional,
        **({"hint": plain(hint)} if hint else {}),
    }


def choices(kind: str, texts: Mapping[str, str], chosen: str) -> dict[str, Any]:
    """Return an input with one choice of several.

    Parameters
    ----------
    kind
        ``static_select`` or ``radio_buttons``.
    texts
        What each choice says, by its value.
    chosen
        The value that is chosen at first.
    """
    options = {value: {"text": plain(text), "value": value} for value, text in texts.items()}
    return {
        "type": kind,
        "action_id": INPUT,
        "options": list(options.values()),
        "initial_option": options[chosen],
    }


def plain(text: str) -> dict[str, Any]:
    """Return a text without formatting."""
    return {"type": "plain_text", "text": text}


def section(text: str) -> dict[str, Any]:
    """Return a paragraph in Slack's mrkdwn."""
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}
