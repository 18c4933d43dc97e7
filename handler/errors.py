"""The one error hierarchy of the project.

Every message is one line that says what is wrong and what to do about it. None
holds a secret or the text of a Slack message, so that any of them may be logged.
"""

from __future__ import annotations


class ToxicBotError(Exception):
    """The base of every error this project raises on purpose."""


class SettingsError(ToxicBotError):
    """A setting is missing or malformed."""


class ModelError(ToxicBotError):
    """The model folder is missing, damaged or of another format."""


class MalformedEventError(ToxicBotError):
    """A body is not JSON, or is JSON of another shape than Slack's or ours."""


class SignatureError(ToxicBotError):
    """A request does not carry a fresh signature made with Slack's signing secret."""


class TryAgainError(ToxicBotError):
    """The work failed for a reason that passes: the event goes back to the queue.

    Parameters
    ----------
    message
        What happened, in one line.
    reason
        A short name for metrics, such as ``ratelimited``.
    delay
        Seconds to wait before the next try; None leaves it to the queue.
    """

    def __init__(self, message: str, *, reason: str, delay: float | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.delay = delay


class SlackRefusedError(ToxicBotError):
    """Slack refused a call for good: trying again would be refused again.

    Parameters
    ----------
    error
        Slack's own name for it, such as ``not_in_channel``.
    remedy
        What the operator should do.
    """

    def __init__(self, error: str, remedy: str) -> None:
        super().__init__(f"Slack answered {error}: {remedy}")
        self.error = error
        self.remedy = remedy
