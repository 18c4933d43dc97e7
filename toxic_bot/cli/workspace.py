"""``toxic-bot workspace``."""

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
        "workspace",
        help="start everything and keep it running, with a page to chat on",
        description="Start a local Slack workspace and a local AWS, with the bot in between, "
        "and serve a page where you can write messages and react to them.",
    )
    add_model(parser)
    add_port(parser)
    parser.add_argument(
        "--locale",
        default="en-US",
        help="your language on the page, as Slack names it: %(default)s, or de-DE",
    )
    parser.set_defaults(command=run, extra=CLONE)


def run(options: argparse.Namespace) -> int:
    """Keep a workspace running until Ctrl-C."""
    from simulators.process import no_children_left
    from simulators.progress import show_progress
    from simulators.samples import VIEWER, add_moderators, create_workspace, post_samples
    from simulators.stack import Options, Stack
    from toxic_bot.terminal.signals import wait_for_interrupt

    workspace = create_workspace(locale=options.locale)
    parameters = add_moderators(workspace)
    post_samples(workspace)
    with no_children_left():
        with show_progress() as progress:
            stack_options = Options(model=options.model, port=options.port, parameters=parameters)
            stack = Stack(workspace, VIEWER, stack_options, progress).start()
        with stack:
            print(f"The workspace is at {stack.slack.address} until you press Ctrl-C.", flush=True)
            wait_for_interrupt()
    return 0
