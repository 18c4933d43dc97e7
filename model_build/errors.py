"""What can go wrong while a model is made."""

from __future__ import annotations

from handler.errors import ToxicBotError


class DataError(ToxicBotError):
    """Labelled texts are missing or not in a form that can be read."""


class CheckpointError(ToxicBotError):
    """An encoder or a checkpoint cannot be had, or is not a sequence classifier."""


class StepError(ToxicBotError):
    """A step lacks what an earlier step makes, or was asked for the impossible."""


class ParityError(ToxicBotError):
    """A graph does not answer as the one it was made from."""
