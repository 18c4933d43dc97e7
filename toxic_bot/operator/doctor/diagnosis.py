"""Which checks a setup needs, and in what order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from enum import Enum
from pathlib import Path

import boto3

from toxic_bot.deployment.settings import AwsSettings
from toxic_bot.judge.classifier import load
from toxic_bot.judge.errors import ModelError
from toxic_bot.operator.doctor import aws, slack
from toxic_bot.operator.doctor.finding import CheckError, Finding, UncheckedError, check
from toxic_bot.operator.doctor.operation import check_operation
from toxic_bot.operator.doctor.request_url import OF_LISTENER, check_request_url
from toxic_bot.operator.stack import Deployment, DeploymentError, create_session
from toxic_bot.slack.settings import BotSettings, SettingsError
from toxic_bot.standalone.settings import StandaloneSettings, read_app_token, read_signing_secret

FUNCTION_VARIABLES = (
    "QUEUE_URL",
    "TEXT_QUEUE_URL",
    "CLAIM_TABLE",
    "SIGNING_SECRET_NAME",
    "BOT_TOKEN_NAME",
)
TOKEN_VARIABLES = ("SLACK_APP_TOKEN", "SLACK_BOT_TOKEN", "SLACK_SIGNING_SECRET")
IMAGE_MODEL = Path("/opt/model")
"""Where the model is inside the image; not a folder of this machine."""
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
    """
    if setup is Setup.MACHINE:
        yield check("model", lambda: _model(model))
        yield from _clock(environment)
        return
    if setup in (Setup.SOCKET, Setup.LISTEN):
        yield from diagnose_standalone(setup, environment, channel, request_url, model)
        return
    try:
        session = create_session()
        deployment = Deployment.find(stack, session) if stack else None
        if deployment:
            environment = aws.worker_environment(deployment)
    except DeploymentError as error:
        detail, _, remedy = str(error).rpartition(": ")
        yield Finding("AWS", False, detail, remedy)
        return
    yield from diagnose_aws(environment, channel, session)
    if deployment:
        with suppress(SettingsError):  # reported above
            settings = AwsSettings.from_environment(environment)
            yield from check_operation(deployment, settings, request_url)


def diagnose_aws(
    environment: Mapping[str, str], channel: str | None, session: boto3.Session
) -> Iterator[Finding]:
    """Check a deployment on AWS.

    Parameters
    ----------
    environment
        The functions' variables.
    channel
        A channel in which the bot should answer; None skips that check.
    session
        The deployment's credentials and region.
    """
    try:
        settings = AwsSettings.from_environment(environment)
    except SettingsError as error:
        yield _bad_settings(error)
        return
    yield _settings(settings.bot)
    yield check("region", lambda: aws.check_region(settings, session))
    yield check("model", lambda: _model(settings.model_folder))
    yield check("queue", lambda: aws.check_queue(settings, session))
    yield check("text queue", lambda: aws.check_text_queue(settings, session))
    yield check("table", lambda: aws.check_table(settings, session))
    yield check("signing secret", lambda: aws.check_signing_secret(settings, session))
    token = ""

    def read_token() -> str:
        nonlocal token
        token = aws.read_secret(settings, settings.bot_token_name, session)
        return slack.check_bot_token_form(token)

    finding = check("bot token", read_token)
    yield finding
    if finding.ok:
        yield from _bot(token, settings.bot, channel)
    else:
        yield Finding("Slack", None, "not checked without a token")
    yield from _clock(environment)


def diagnose_standalone(
    setup: Setup,
    environment: Mapping[str, str],
    channel: str | None,
    request_url: str | None,
    model: Path,
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
    """
    socket = setup is Setup.SOCKET
    try:
        credential = read_app_token(environment) if socket else read_signing_secret(environment)
        settings = StandaloneSettings.from_environment(environment)
    except SettingsError as error:
        yield _bad_settings(error)
        return
    yield _settings(settings.bot)
    yield check("model", lambda: _model(model))
    if socket:
        client = slack.connect("", settings.bot.slack_api_url)
        yield check("app token", lambda: slack.check_app_token(client, credential))
    yield from _bot(settings.bot_token, settings.bot, channel)
    yield from _clock(environment)
    if not socket:
        url = request_url or ""
        yield check("request URL", lambda: check_request_url(url, credential, OF_LISTENER))


def _bad_settings(error: SettingsError) -> Finding:
    return Finding("settings", False, str(error), "fix the variable and run the doctor again")


def _settings(settings: BotSettings) -> Finding:
    emoji = ", ".join(sorted(settings.subscription.reactions))
    return Finding("settings", True, f"reactions {emoji}; answers {settings.answer}")


def _bot(token: str, settings: BotSettings, channel: str | None) -> Iterator[Finding]:
    client = slack.connect(token, settings.slack_api_url)
    yield check("Slack", lambda: slack.check_scopes(client))
    if channel:
        yield check(f"channel {channel}", lambda: slack.check_channel(client, channel))
    if moderators := settings.moderation.channel:
        yield check("moderators' channel", lambda: slack.check_channel(client, moderators))


def _clock(environment: Mapping[str, str]) -> Iterator[Finding]:
    try:
        api_url = BotSettings.from_environment(environment).slack_api_url
    except SettingsError as error:
        yield _bad_settings(error)
        return
    yield check("clock", lambda: slack.check_clock(slack.connect("", api_url)))


def _model(folder: Path) -> str:
    if folder == IMAGE_MODEL and not folder.exists():
        raise UncheckedError("it is inside the image: 'make image-test' tests it")
    try:
        classifier = load(folder)
    except ModelError as error:
        message, _, remedy = str(error).rpartition(": ")
        raise CheckError(message, remedy) from error
    verdict = classifier.classify("Thank you very much!")
    return f"{classifier.config.name} loads and scores a thank-you at {verdict.score:.3f}"
