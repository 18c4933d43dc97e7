"""``toxic-bot feedback``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from toxic_bot.cli.arguments import add_store

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toxic_bot.cli.arguments import Commands
    from toxic_bot.slack.answers.votes import Vote


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "feedback",
        help="export votes on verdicts as training data",
        description="Export the votes on verdicts as labeled texts, which 'python -m model_build "
        "data' reads. Votes hold no texts, so the command fetches them from Slack, with the token "
        "in SLACK_BOT_TOKEN, after asking you.",
    )
    actions = parser.add_subparsers(title="actions", required=True, metavar="ACTION")
    export = actions.add_parser("export", help="write votes and texts to a file")
    add_store(export)
    export.add_argument(
        "--output",
        type=Path,
        default=Path("feedback.jsonl"),
        metavar="FILE",
        help="JSON lines file (default: %(default)s)",
    )
    export.add_argument("--yes", action="store_true", help="do not ask")
    export.set_defaults(command=run)


def run(options: argparse.Namespace) -> int:
    """Export the votes, after asking."""
    import os
    import time

    from toxic_bot.operator.feedback import FeedbackError, count_opinions, export, fetch_with, write
    from toxic_bot.slack.settings import BotSettings
    from toxic_bot.slack.web_api.client import SlackClient

    token = os.environ.get("SLACK_BOT_TOKEN", "").strip()
    if not token:
        raise FeedbackError("set SLACK_BOT_TOKEN to a token that can read the channels")
    subjects = count_opinions(_votes(options))
    if not subjects:
        print("Nobody has voted yet.")
        return 0
    print(f"People voted on {len(subjects)} messages. Their texts will be read from Slack and")
    print(f"written to {options.output}. Whoever can read that file can read them.")
    if not options.yes and input("Continue? [y/N] ").strip().lower() not in ("y", "yes"):
        print("Nothing was read.")
        return 1
    settings = BotSettings.from_environment(os.environ)
    slack = SlackClient(lambda *, fresh: token, settings.slack_api_url)  # noqa: ARG005 - it never changes
    result = export(subjects, fetch_with(slack, time.sleep))
    write(result.rows, options.output)
    print(f"{len(result.rows)} texts written, for 'python -m model_build data'.")
    if result.conflicts:
        print(f"{result.conflicts} left out: people disagree evenly.")
    if result.gone:
        print(f"{result.gone} left out: deleted, edited since, or not readable.")
    return 0


def _votes(options: argparse.Namespace) -> Iterable[Vote]:
    from toxic_bot.operator.feedback import votes_in_database, votes_in_table

    if options.database:
        return votes_in_database(options.database)
    return votes_in_table(options.table)
