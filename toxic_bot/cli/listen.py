"""``toxic-bot listen``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from toxic_bot.cli.arguments import add_address, add_database, add_model

if TYPE_CHECKING:
    from toxic_bot.cli.arguments import Commands

DESCRIPTION = """\
Run the bot on this machine, over HTTP and without AWS: it takes Slack's signed requests at
/slack/events. Reads SLACK_SIGNING_SECRET and SLACK_BOT_TOKEN (xoxb-...) from the environment, and
the bot's settings (REACTIONS, ANSWER, ...) as in a deployment. Slack requires HTTPS, so put a
proxy or tunnel with a certificate in front of it, and put that URL with /slack/events into the
app's manifest. GET /health answers load balancers. 'toxic-bot socket' needs no URL."""


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "listen",
        help="run the bot without AWS, over HTTP behind your own proxy",
        description=DESCRIPTION,
    )
    add_address(parser, port=3000)
    add_database(parser)
    add_model(parser)
    parser.set_defaults(command=run, extra="slack")


def run(options: argparse.Namespace) -> int:
    """Answer until Ctrl-C."""
    import os

    from toxic_bot.cli import standalone
    from toxic_bot.standalone.http_server import Limits
    from toxic_bot.standalone.http_transport import PATH, HttpTransport, listen
    from toxic_bot.standalone.settings import read_connections_per_address, read_signing_secret

    secret = read_signing_secret(os.environ)
    limits = Limits(read_connections_per_address(os.environ))
    with listen(options.host, options.port) as listening:
        host = f"[{options.host}]" if ":" in options.host else options.host
        address = f"http://{host}:{listening.getsockname()[1]}"
        return standalone.run(
            lambda bot, lookups, put: HttpTransport(listening, secret, limits, bot, lookups, put),
            model=options.model,
            database=options.database,
            greeting=f"Listening for Slack at {address}{PATH}",
        )
