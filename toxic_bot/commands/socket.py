"""``toxic-bot socket``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from toxic_bot.commands.arguments import add_model

if TYPE_CHECKING:
    from toxic_bot.commands.arguments import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "socket",
        help="run the bot without AWS, over Slack's Socket Mode",
        description="Run the bot on this machine, over Slack's Socket Mode and without AWS. "
        "Reads SLACK_APP_TOKEN (xapp-..., with the scope connections:write) and SLACK_BOT_TOKEN "
        "(xoxb-...) from the environment, and the bot's settings (REACTIONS, ANSWER, ...) as in a "
        "deployment.",
    )
    parser.add_argument(
        "--database",
        type=Path,
        default=Path("toxic-bot.sqlite"),
        metavar="FILE",
        help="SQLite file for queued reactions and claims (default: %(default)s)",
    )
    add_model(parser)
    parser.set_defaults(command=run)


def run(options: argparse.Namespace) -> int:
    """Answer until Ctrl-C."""
    import os

    from judge.errors import ToxicBotError

    # Nobody collects CloudWatch's metric lines here.
    os.environ.setdefault("POWERTOOLS_METRICS_DISABLED", "true")
    os.environ.setdefault("POWERTOOLS_SERVICE_NAME", "standalone")
    try:
        from standalone.bot import Bot
    except ModuleNotFoundError as error:
        raise ToxicBotError(
            f"the package {error.name} is missing: pip install -r requirements/standalone.txt"
        ) from error
    from standalone.settings import StandaloneSettings
    from toxic_bot.signals import wait_for_interrupt

    settings = StandaloneSettings.from_environment(os.environ)
    with Bot(settings, options.model, options.database).start():
        print("Connected to Slack. Answering until you press Ctrl-C.", flush=True)
        wait_for_interrupt()
    return 0
