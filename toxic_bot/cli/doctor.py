"""``toxic-bot doctor``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from toxic_bot.cli.arguments import add_database, add_model

if TYPE_CHECKING:
    from toxic_bot.cli.arguments import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "doctor",
        help="check a deployment or a bot without AWS, and say how to fix problems",
        description="Check everything that a verdict needs, and say how to fix what is wrong. "
        "It can check four things: a deployed stack (--stack NAME, with AWS credentials and "
        "region as for the AWS CLI), a function's variables in this shell (QUEUE_URL and the "
        "others), a Socket Mode setup (SLACK_APP_TOKEN and SLACK_BOT_TOKEN in this shell), and a "
        "bot that listens (SLACK_SIGNING_SECRET and SLACK_BOT_TOKEN, without SLACK_APP_TOKEN).",
    )
    parser.add_argument("--stack", metavar="NAME", help="check this deployed stack")
    parser.add_argument(
        "--channel", metavar="ID", help="also check that the bot is in this channel, e.g. C0123"
    )
    parser.add_argument(
        "--request-url",
        metavar="URL",
        help="send the signed challenge here: to your own domain instead of the stack's output "
        "RequestUrl, or to a bot that listens",
    )
    add_model(parser)
    add_database(parser)
    parser.set_defaults(command=run)


def run(options: argparse.Namespace) -> int:
    """Print the findings, and return 1 if anything is wrong."""
    import os

    from toxic_bot.operator.doctor.diagnosis import WAYS, Setup, diagnose, find_setup
    from toxic_bot.operator.doctor.finding import format_finding

    setup = find_setup(os.environ, options.stack)
    if setup is Setup.MACHINE:
        print(WAYS)
    findings = diagnose(
        setup,
        os.environ,
        stack=options.stack,
        channel=options.channel,
        request_url=options.request_url,
        model=options.model,
        database=options.database,
    )
    wrong = 0
    for finding in findings:
        print(format_finding(finding), flush=True)
        wrong += finding.ok is False
    return 1 if wrong else 0
