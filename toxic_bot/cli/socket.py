"""``toxic-bot socket``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from toxic_bot.cli.arguments import add_database, add_model

if TYPE_CHECKING:
    from toxic_bot.cli.arguments import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "socket",
        help="run the bot without AWS, over Slack's Socket Mode",
        description="Run the bot on this machine, over Slack's Socket Mode and without AWS. "
        "Reads SLACK_APP_TOKEN (xapp-..., with the scope connections:write) and SLACK_BOT_TOKEN "
        "(xoxb-...) from the environment, and the bot's settings (REACTIONS, ANSWER, ...) as in a "
        "deployment. 'toxic-bot listen' does the same over HTTP.",
    )
    add_database(parser)
    add_model(parser)
    parser.set_defaults(command=run, extra="slack")


def run(options: argparse.Namespace) -> int:
    """Answer until Ctrl-C."""
    import os
    from functools import partial

    from toxic_bot.cli import standalone
    from toxic_bot.standalone.settings import read_app_token
    from toxic_bot.standalone.socket_transport import SocketTransport

    return standalone.run(
        partial(SocketTransport, read_app_token(os.environ)),
        model=options.model,
        database=options.database,
        greeting="Connected to Slack. Answering",
    )
