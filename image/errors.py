"""What can stop an image from being built, in one line each."""

from __future__ import annotations

from handler.errors import ToxicBotError


class ImageError(ToxicBotError):
    """An image cannot be built, or does not do what it should."""


class UnavailableError(ImageError):
    """What building or trying out an image takes is not to be had on this machine."""
