"""What every setup needs: settings, a model, Slack and a clock."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from toxic_bot.judge.classifier import load
from toxic_bot.judge.errors import ModelError
from toxic_bot.operator.doctor import slack
from toxic_bot.operator.doctor.finding import CheckError, Finding, UncheckedError, check
from toxic_bot.slack.settings import BotSettings, SettingsError

IMAGE_MODEL = Path("/opt/model")
"""Where the model is inside the image; not a folder of this machine."""


def bad_settings(error: SettingsError) -> Finding:
    """Return the finding about a variable that is missing or malformed."""
    return Finding("settings", False, str(error), "fix the variable and run the doctor again")


def settings_finding(settings: BotSettings) -> Finding:
    """Return the finding about the bot's settings."""
    emoji = ", ".join(sorted(settings.subscription.reactions))
    return Finding("settings", True, f"reactions {emoji}; answers {settings.answer}")


def bot_findings(token: str, settings: BotSettings, channel: str | None) -> Iterator[Finding]:
    """Check what the bot may do in Slack, and where it is."""
    client = slack.connect(token, settings.slack_api_url)
    yield check("Slack", lambda: slack.check_scopes(client))
    if channel:
        yield check(f"channel {channel}", lambda: slack.check_channel(client, channel))
    if moderators := settings.moderation.channel:
        yield check("moderators' channel", lambda: slack.check_channel(client, moderators))


def clock_findings(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Check this machine's clock against Slack's."""
    try:
        api_url = BotSettings.from_environment(environment).slack_api_url
    except SettingsError as error:
        yield bad_settings(error)
        return
    yield check("clock", lambda: slack.check_clock(slack.connect("", api_url)))


def model_detail(folder: Path) -> str:
    """Load a model and return what to tell of it; raises CheckError or UncheckedError."""
    if folder == IMAGE_MODEL and not folder.exists():
        raise UncheckedError("it is inside the image: 'make image-test' tests it")
    try:
        classifier = load(folder)
    except ModelError as error:
        message, _, remedy = str(error).rpartition(": ")
        raise CheckError(message, remedy) from error
    verdict = classifier.classify("Thank you very much!")
    return f"{classifier.config.name} loads and scores a thank-you at {verdict.score:.3f}"
