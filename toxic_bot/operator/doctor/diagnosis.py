"""Which checks a setup needs, and in what order."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path

from toxic_bot.operator.doctor import slack
from toxic_bot.operator.doctor.basics import (
    bad_settings,
    bot_findings,
    clock_findings,
    model_detail,
    settings_finding,
)
from toxic_bot.operator.doctor.finding import Finding, check
from toxic_bot.operator.doctor.request_url import OF_LISTENER, check_request_url
from toxic_bot.operator.doctor.waits import check_waits_in_file
from toxic_bot.slack.settings import SettingsError
from toxic_bot.standalone.settings import StandaloneSettings, read_app_token, read_signing_secret

FUNCTION_VARIABLES = (
    "QUEUE_URL",
    "TEXT_QUEUE_URL",
    "CLAIM_TABLE",
    "SIGNING_SECRET_NAME",
    "BOT_TOKEN_NAME",
)
TOKEN_VARIABLES = ("SLACK_APP_TOKEN", "SLACK_BOT_TOKEN", "SLACK_SIGNING_SECRET")
WAYS = """\
Nothing is set up in this shell. The doctor can check:
  a deployed stack        toxic-bot doctor --stack NAME
  a function's variables  set QUEUE_URL, TEXT_QUEUE_URL, CLAIM_TABLE, SIGNING_SECRET_NAME and
                          BOT_TOKEN_NAME
  a Socket Mode setup     set SLACK_APP_TOKEN and SLACK_BOT_TOKEN
  a bot that listens      set SLACK_SIGNING_SECRET and SLACK_BOT_TOKEN
Without any of them, it checks this machine:"""


class Setup(Enum):
    """What the doctor can check."""

    STACK = "stack"
    FUNCTION = "function"
    SOCKET = "socket"
    LISTEN = "listen"
    MACHINE = "machine"


def find_setup(environment: Mapping[str, str], stack: str | None) -> Setup:
    """Return what to check: the stack if one is named, else what the environment describes."""
    if stack:
        return Setup.STACK
    if any(environment.get(name) for name in FUNCTION_VARIABLES):
        return Setup.FUNCTION
    if not any(environment.get(name) for name in TOKEN_VARIABLES):
        return Setup.MACHINE
    if environment.get("SLACK_SIGNING_SECRET") and not environment.get("SLACK_APP_TOKEN"):
        return Setup.LISTEN
    return Setup.SOCKET


def diagnose(
    setup: Setup,
    environment: Mapping[str, str],
    *,
    stack: str | None = None,
    channel: str | None = None,
    request_url: str | None = None,
    model: Path,
    database: Path,
) -> Iterator[Finding]:
    """Check everything that a verdict needs, in order.

    Parameters
    ----------
    setup
        What to check.
    environment
        This shell's variables.
    stack
        Name of the deployed stack.
    channel
        A channel in which the bot should answer; None skips that check.
    request_url
        Where Slack sends events; None for the stack's output.
    model
        The model folder of this machine.
    database
        The file of a bot without AWS.
    """
    if setup is Setup.MACHINE:
        yield check("model", lambda: model_detail(model))
        yield from clock_findings(environment)
        return
    if setup in (Setup.SOCKET, Setup.LISTEN):
        yield from diagnose_standalone(setup, environment, channel, request_url, model, database)
        return
    # The AWS SDK is loaded only here: the other setups do not need it.
    from toxic_bot.operator.doctor.deployment import diagnose_deployment

    yield from diagnose_deployment(
        environment, stack=stack, channel=channel, request_url=request_url
    )


def diagnose_standalone(
    setup: Setup,
    environment: Mapping[str, str],
    channel: str | None,
    request_url: str | None,
    model: Path,
    database: Path,
) -> Iterator[Finding]:
    """Check a bot without AWS.

    Parameters
    ----------
    setup
        By which way events reach it.
    environment
        The variables of ``toxic-bot socket`` or ``toxic-bot listen``.
    channel
        A channel in which the bot should answer; None skips that check.
    request_url
        Where Slack sends events to a bot that listens.
    model
        The model folder.
    database
        The bot's file.
    """
    socket = setup is Setup.SOCKET
    try:
        credential = read_app_token(environment) if socket else read_signing_secret(environment)
        settings = StandaloneSettings.from_environment(environment)
    except SettingsError as error:
        yield bad_settings(error)
        return
    yield settings_finding(settings.bot)
    yield check("model", lambda: model_detail(model))
    if socket:
        client = slack.connect("", settings.bot.slack_api_url)
        yield check("app token", lambda: slack.check_app_token(client, credential))
    yield from bot_findings(settings.bot_token, settings.bot, channel)
    # A bot that has never run has no file, and nothing that waits.
    if database.is_file():
        yield check("rate limits", lambda: check_waits_in_file(database, time.time()))
    yield from clock_findings(environment)
    if not socket:
        url = request_url or ""
        yield check("request URL", lambda: check_request_url(url, credential, OF_LISTENER))
