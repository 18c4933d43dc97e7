"""Simulators: a Slack workspace and an AWS account on this machine."""

from pathlib import Path

from toxic_bot.judge.errors import ToxicBotError

ROOT = Path(__file__).resolve().parent.parent
"""The project's folder."""


class LocalError(ToxicBotError):
    """A simulator lacks something it needs, or does not start."""
