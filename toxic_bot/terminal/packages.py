"""Packages that only some commands need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from toxic_bot.judge.errors import ToxicBotError


class MissingPackageError(ToxicBotError):
    """A command's package is not installed."""


@contextmanager
def required(remedy: str = "") -> Iterator[None]:
    """Import what a command needs.

    Parameters
    ----------
    remedy
        The command that installs it; by default, pip with the package's name.

    Raises
    ------
    MissingPackageError
        Names the package and the remedy.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        how = remedy or f"python -m pip install {error.name}"
        raise MissingPackageError(f"the package {error.name} is missing: {how}") from error
