"""``toxic-bot release``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toxic_bot.cli.arguments import Commands
    from toxic_bot.operator.releases import Releases

DESCRIPTION = """\
Show the releases of a stack that 'sam deploy' has stored, and go back to one, without a checkout, a
build or a canary. Uses this shell's AWS credentials and region."""
EXAMPLES = """\
examples:
  toxic-bot release list --stack toxic-bot-prod
  toxic-bot release restore --stack toxic-bot-prod
      Go back to the previous release.
  toxic-bot release restore --stack toxic-bot-prod worker-0a1b2c3d4e5f-latest
      Go back, or forward, to the release with this image."""


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "release",
        help="show the stored releases of a stack, and go back to one",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(title="actions", required=True, metavar="ACTION")
    _add(actions, "list", "one line each: when it was stored, and its image", _list)
    restorer = _add(actions, "restore", "deploy a stored release at once", _restore)
    restorer.add_argument(
        "tag", nargs="?", default="", metavar="TAG", help="its image (default: the one before)"
    )


def _add(actions: Commands, name: str, help_text: str, run: object) -> argparse.ArgumentParser:
    action = actions.add_parser(name, help=help_text, description=f"Releases: {help_text}.")
    action.add_argument("--stack", required=True, metavar="NAME", help="the deployed stack")
    action.add_argument(
        "--bucket", default="", metavar="NAME", help="where its templates are (default: SAM's own)"
    )
    action.set_defaults(command=run, extra="aws")
    return action


def _open(options: argparse.Namespace) -> Releases:
    from toxic_bot.operator.releases import Releases
    from toxic_bot.operator.stack import Deployment, create_session

    return Releases(Deployment.find(options.stack, create_session()), options.bucket)


def _list(options: argparse.Namespace) -> int:
    """Print a line for each release."""
    releases = _open(options)
    stored = releases.stored()
    live = releases.live(stored)
    for release in stored:
        mark = "  live" if release is live else ""
        print(f"{release.stored:%Y-%m-%d %H:%M:%SZ}  {release.tag}{mark}")
    if not stored:
        print("no stored releases")
    return 0


def _restore(options: argparse.Namespace) -> int:
    """Deploy a release that is stored."""
    from toxic_bot.terminal.console import ConsoleError

    releases = _open(options)
    stored = releases.stored()
    if options.tag:
        matching = [one for one in stored if one.tag == options.tag]
    else:
        live = releases.live(stored)
        matching = [] if live is None else stored[stored.index(live) + 1 :]
    if not matching:
        what = options.tag or "earlier than the present one"
        raise ConsoleError(f"there is no release {what}: 'toxic-bot release list' shows them")
    release = matching[0]
    print(f"restoring {release.tag}, stored {release.stored:%Y-%m-%d %H:%M:%SZ}", flush=True)
    releases.restore(release)
    print(f"{options.stack} runs it now; the next 'sam deploy' replaces it")
    return 0
