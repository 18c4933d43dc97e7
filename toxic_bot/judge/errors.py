"""The root of the project's one error hierarchy, and the error of this room.

Every other room derives its errors from `ToxicBotError`, beside the code that raises them.
A message is one line that says what is wrong and what to do about it. No message ever
contains a secret or the text of a Slack message, so any of them may be logged.
"""

from __future__ import annotations


class ToxicBotError(Exception):
    """Base class of every error that this project raises on purpose."""


class ModelError(ToxicBotError):
    """The model folder is missing, damaged or in an unknown format."""
