"""What a submitted form brings: its inputs, and the metadata that it was opened with."""

from __future__ import annotations

from typing import Any

from toxic_bot.slack.fields import MalformedEventError, read_json, read_object, read_text
from toxic_bot.slack.i18n.translation import Language

INPUT = "value"
"""The action ID of each field's input."""


def read_input(values: dict[str, Any], field: str) -> dict[str, Any]:
    """Return the state of a field's input.

    Raises
    ------
    MalformedEventError
        When the submission has no such field.
    """
    return read_object(read_object(values, field), INPUT)


def read_metadata(view: dict[str, Any]) -> tuple[dict[str, Any], Language]:
    """Return a form's private metadata, and the language in them.

    Raises
    ------
    MalformedEventError
        When they are not JSON, or their language is none of the bot's.
    """
    raw = read_json(read_text(view, "private_metadata"), "a form's metadata")
    code = raw.get("language")
    if not isinstance(code, str) or code not in set(Language):
        raise MalformedEventError("the field 'language' is not one of the bot's")
    return raw, Language(code)
