"""``toxic-bot sign``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toxic_bot.cli.arguments import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "sign",
        help="sign one event file as Slack would, for the SAM CLI or a running API",
        description="Fill the timestamp and the signature into one file from events/ and print "
        "the event, for 'sam local invoke --event -'; or send it to a URL. Reads the signing "
        "secret from SLACK_SIGNING_SECRET. A signature expires after five minutes.",
    )
    parser.add_argument("event", type=Path, metavar="EVENT.json", help="the event to sign")
    parser.add_argument(
        "--url",
        help="send the event as an HTTP request to this URL, such as that of 'sam local "
        "start-api' with /slack/events, and print the response",
    )
    parser.set_defaults(command=run, extra="slack")


def run(options: argparse.Namespace) -> int:
    """Print or send a signed event."""
    import json
    import os

    from toxic_bot.cli.event_file import post, read_event, signed
    from toxic_bot.terminal.console import ConsoleError

    secret = os.environ.get("SLACK_SIGNING_SECRET", "").strip()
    if not secret:
        raise ConsoleError(
            "set the environment variable SLACK_SIGNING_SECRET to the app's signing secret"
        )
    event = read_event(options.event)
    if "headers" not in event:
        raise ConsoleError(f"{options.event} is a batch for the worker, which nobody signs")
    event = signed(event, secret)
    if options.url is None:
        print(json.dumps(event))
        return 0
    status, body = post(event, options.url)
    print(f"{status} {body}")
    return 0 if status < 400 else 1
