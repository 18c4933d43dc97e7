"""``toxic-bot digest``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from toxic_bot.cli.arguments import add_store

if TYPE_CHECKING:
    from toxic_bot.cli.arguments import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "digest",
        help="show the moderators' digest now",
        description="Print what the moderators' weekly digest would say about the last seven days, "
        "today included, or have a local workspace post it. Reads nothing from Slack.",
    )
    source = add_store(parser)
    source.add_argument(
        "--workspace", metavar="URL", help="the address of 'toxic-bot workspace', to post it there"
    )
    parser.set_defaults(command=run)


def run(options: argparse.Namespace) -> int:
    """Print the digest, or have it posted."""
    from toxic_bot.operator import printed_digest as week

    if options.workspace:
        week.post_in_workspace(options.workspace)
        print("This week's digest is in #moderators.")
        return 0
    store = week.table(options.table) if options.table else week.database(options.database)
    print(week.plain_digest(store))
    return 0
