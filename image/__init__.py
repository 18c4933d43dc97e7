"""The container images: built, inspected and tried out."""

from judge.errors import ToxicBotError


class ImageError(ToxicBotError):
    """An image cannot be built, or does not do what it should."""


class UnavailableError(ImageError):
    """The machine lacks something that building or trying out an image needs."""
