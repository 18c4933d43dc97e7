"""The checks of a deployment on AWS, in their order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

import boto3

from toxic_bot.deployment.settings import AwsSettings
from toxic_bot.operator.doctor import aws, slack
from toxic_bot.operator.doctor.basics import (
    bad_settings,
    bot_findings,
    clock_findings,
    model_detail,
    settings_finding,
)
from toxic_bot.operator.doctor.finding import Finding, check
from toxic_bot.operator.doctor.operation import check_operation
from toxic_bot.operator.stack import Deployment, DeploymentError, create_session
from toxic_bot.slack.settings import SettingsError


def diagnose_deployment(
    environment: Mapping[str, str],
    *,
    stack: str | None,
    channel: str | None,
    request_url: str | None,
) -> Iterator[Finding]:
    """Check a deployed stack, or a function's variables in this shell.

    Parameters
    ----------
    environment
        This shell's variables.
    stack
        Name of the deployed stack; None for the variables.
    channel
        A channel in which the bot should answer; None skips that check.
    request_url
        Where Slack sends events; None for the stack's output.
    """
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
        yield bad_settings(error)
        return
    yield settings_finding(settings.bot)
    yield check("region", lambda: aws.check_region(settings, session))
    yield check("model", lambda: model_detail(settings.model_folder))
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
        yield from bot_findings(token, settings.bot, channel)
    else:
        yield Finding("Slack", None, "not checked without a token")
    yield from clock_findings(environment)
