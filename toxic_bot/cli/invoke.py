"""``toxic-bot invoke``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from toxic_bot.cli.arguments import add_model
from toxic_bot.terminal.packages import CLONE

if TYPE_CHECKING:
    from toxic_bot.cli.arguments import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "invoke",
        help="send one event file through AWS's Lambda runtime",
        description="Send one file from events/ through AWS's Lambda runtime. Print what the "
        "function returned and what the bot posted.",
    )
    parser.add_argument("event", type=Path, metavar="EVENT.json", help="the event to send")
    parser.add_argument(
        "--text", help="text of the message that the event is about (default: the sample's own)"
    )
    add_model(parser)
    parser.set_defaults(command=run, extra=CLONE)


def run(options: argparse.Namespace) -> int:
    """Send one event."""
    import json

    from toxic_bot.cli.event_file import read_event

    # What is wrong with it is said at once: the simulators take a second to import.
    event = read_event(options.event)
    from simulators.invocation import describe, invoke
    from simulators.stack import Options

    outcome = invoke(event, Options(model=options.model), options.text)
    print(f"{outcome.function} returned:")
    print(json.dumps(outcome.response, indent=2))
    print("posted:" if outcome.posted else "posted: nothing")
    for message in outcome.posted:
        print(f"  {describe(message)}")
    return 0
