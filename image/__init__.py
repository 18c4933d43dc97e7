"""Building, inspecting and testing the container images."""

from toxic_bot.judge.errors import ToxicBotError


class ImageError(ToxicBotError):
    """An image that cannot be built, or does not work as it should."""


class UnavailableError(ImageError):
    """A tool or package that building or testing an image needs, and the machine lacks."""


class CrashError(ImageError):
    """A tool that crashed, which says nothing about the image."""
