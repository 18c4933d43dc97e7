"""``toxic-bot down``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from toxic_bot.cli.up import add_stage

if TYPE_CHECKING:
    from toxic_bot.cli.arguments import Commands

DESCRIPTION = """\
Remove what 'toxic-bot up' has made: the stack with its queues, claims, votes, settings of channels
and logs, the stored releases, the secrets, and the repository with its images unless another stage
uses it. Says what it keeps. Uses this shell's AWS credentials and region."""


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "down", help="remove a deployed bot from AWS", description=DESCRIPTION
    )
    add_stage(parser)
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.set_defaults(command=run, extra="aws")


def run(options: argparse.Namespace) -> int:
    """Ask, and remove everything."""
    from toxic_bot.operator.launch import formation, leftovers, repository, secrets
    from toxic_bot.operator.launch.target import Target
    from toxic_bot.terminal.console import ConsoleError, is_interactive

    target = Target.find(options.stage)
    others = formation.others(target)
    print(
        f"This removes {target.stack} from account {target.account}, {target.region}, with votes, "
        "settings of channels and logs."
    )
    if not options.yes:
        if not is_interactive():
            raise ConsoleError(
                "nobody can be asked here: to remove it without a question, use --yes"
            )
        if input(f"Type {target.stack} to go on: ").strip() != target.stack:
            raise ConsoleError("nothing was removed: that was not the stack's name")
    print(_told("the stack", formation.delete(target)), flush=True)
    print(_told("the stored releases", leftovers.remove_templates(target) > 0))
    for kind in secrets.SECRETS:
        print(_told(f"the secret {kind.name(target)}", secrets.remove(target, kind)))
    if not others:
        print(_told(f"the repository {repository.NAME} with its images", repository.remove(target)))
    print("Kept:")
    if others:
        print(f"  the repository {repository.NAME}, which {', '.join(others)} may use")
    print(
        f"  the secrets for {secrets.RECOVERY_DAYS} days, in which 'toxic-bot up' restores them\n"
        "  SAM's stack aws-sam-cli-managed-default with its bucket, which other projects may use\n"
        "  the Slack app: https://api.slack.com/apps, 'Basic Information', 'Delete App'\n"
        "  the bot's messages in Slack, and the images on this machine"
    )
    return 0


def _told(what: str, was_there: bool) -> str:
    return f"removed {what}" if was_there else f"there was no more of {what}"
