"""Archives of messages, judged as a whole: Slack's export, CSV, JSON lines and parquet."""

from toxic_bot.judge.errors import ToxicBotError


class ArchiveError(ToxicBotError):
    """An archive cannot be read, or its report cannot be written."""
