"""The moderation service: the judge's verdicts over HTTP, for any chat."""

from toxic_bot.judge.errors import ToxicBotError


class ServiceError(ToxicBotError):
    """The service cannot be started as it was asked to."""
