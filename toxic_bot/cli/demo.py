"""``toxic-bot demo``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from toxic_bot.cli.arguments import add_model, add_port
from toxic_bot.terminal.packages import CLONE

if TYPE_CHECKING:
    from toxic_bot.cli.arguments import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "demo",
        help="start everything, react to sample messages, print the verdicts",
        description="Start a local Slack workspace and a local AWS, react to sample messages "
        "and print the bot's verdicts. In a terminal the workspace then stays up for "
        "you to try; elsewhere the command exits. The exit status is 0 if every expected verdict "
        "came exactly once, and 1 otherwise.",
    )
    add_model(parser)
    add_port(parser)
    parser.set_defaults(command=run, extra=CLONE)


def run(options: argparse.Namespace) -> int:
    """Run the demo."""
    from simulators.demo import run_demo
    from simulators.stack import Options

    return 0 if run_demo(Options(model=options.model, port=options.port)) else 1
