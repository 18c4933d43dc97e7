"""The settings of the standalone bot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from toxic_bot.slack.settings import BotSettings, SettingsError, read_matching

CONNECTIONS_PER_ADDRESS = 100
"""Connections without a complete request that one address may have by default. Behind a proxy, its
address counts for all: it should be more than the proxy keeps open."""


@dataclass(frozen=True, slots=True)
class StandaloneSettings:
    """What the standalone bot reads from the environment.

    Parameters
    ----------
    bot
        How the bot behaves in Slack.
    bot_token
        Slack's bot token, which calls the Web API.
    log_level
        The lowest level that is logged.
    ready_file
        See `toxic_bot.standalone.ready_file`; None for no file.
    """

    bot: BotSettings
    bot_token: str = field(repr=False)
    log_level: str = "INFO"
    ready_file: Path | None = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> StandaloneSettings:
        """Read and validate SLACK_BOT_TOKEN, READY_FILE and the shared settings.

        Raises
        ------
        SettingsError
            Names the first variable that is missing or malformed.
        """
        ready_file = environment.get("READY_FILE", "").strip()
        return cls(
            bot=BotSettings.from_environment(environment),
            bot_token=_token(environment, "SLACK_BOT_TOKEN", "xoxb-", "a bot token"),
            log_level=read_matching(
                environment,
                "LOG_LEVEL",
                "DEBUG|INFO|WARNING|ERROR",
                "DEBUG, INFO, WARNING or ERROR",
                "INFO",
            ),
            ready_file=Path(ready_file) if ready_file else None,
        )


def read_app_token(environment: Mapping[str, str]) -> str:
    """Return SLACK_APP_TOKEN, the app-level token that opens Socket Mode connections.

    Raises
    ------
    SettingsError
        When it is missing or malformed.
    """
    return _token(environment, "SLACK_APP_TOKEN", "xapp-", "an app-level token")


def read_signing_secret(environment: Mapping[str, str]) -> str:
    """Return SLACK_SIGNING_SECRET, with which Slack signs its requests.

    Raises
    ------
    SettingsError
        When it is missing.
    """
    secret = environment.get("SLACK_SIGNING_SECRET", "").strip()
    if not secret:
        raise SettingsError(
            "set the environment variable SLACK_SIGNING_SECRET to the app's signing secret"
        )
    return secret


def read_connections_per_address(environment: Mapping[str, str]) -> int:
    """Return CONNECTIONS_PER_ADDRESS: how many may wait for a request from one address.

    Raises
    ------
    SettingsError
        When it is no positive number.
    """
    value = environment.get("CONNECTIONS_PER_ADDRESS", "").strip() or str(CONNECTIONS_PER_ADDRESS)
    if not value.isascii() or not value.isdigit() or not 0 < len(value) < 7 or int(value) == 0:
        raise SettingsError(
            "set the environment variable CONNECTIONS_PER_ADDRESS to a positive number"
        )
    return int(value)


def _token(environment: Mapping[str, str], name: str, prefix: str, what: str) -> str:
    value = environment.get(name, "").strip()
    if not value.startswith(prefix):
        raise SettingsError(f"set the environment variable {name} to {what} ({prefix}...)")
    return value
