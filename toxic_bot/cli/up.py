"""``toxic-bot up``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from toxic_bot.cli.arguments import Commands
    from toxic_bot.operator.launch.target import Target

DESCRIPTION = """\
Deploy the bot to AWS, or update it: ask for the app's two secrets, build the image, deploy the
stack, print the app's finished manifest, and run the doctor. Uses this shell's AWS credentials and
region, Docker and the SAM CLI. Run it again at any time: it asks for nothing that is already
stored, and keeps every setting that it is not given."""
EXAMPLES = """\
examples:
  toxic-bot up --email you@example.org
      Deploy the stage dev as the stack toxic-bot-dev; alarms go to this address.
  toxic-bot up --stage prod Moderators=C0123456789 Language=de
      Set parameters of template.yaml; docs/deploy.md lists them.
  toxic-bot up --image 123456789012.dkr.ecr.us-east-1.amazonaws.com/toxic-bot@sha256:0a1b...
      Take an image that is in ECR already, and build none.
  printf '%s\\n' "$SIGNING_SECRET" "$BOT_TOKEN" | toxic-bot up
      Without a terminal, the secrets come from standard input, a line each."""
NEW_APP = """\
The bot needs a Slack app. If you have none yet: https://api.slack.com/apps, 'Create New App', 'From
a manifest', paste {manifest}, 'Create', and then 'Install to
Workspace'. It does not matter yet that its URLs are placeholders."""


LEFT = """
What is left for you:
  1. https://api.slack.com/apps, your app, 'App Manifest': paste the manifest above over what is
     there, 'Save Changes', and verify the URL. If Slack asks you to reinstall the app, do so.
  2. In Slack, in a channel: /invite @Toxic Bot, and react to a message with :biohazard_sign:.
  3. No answer? toxic-bot doctor --stack {stack} --channel ID"""


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "up",
        help="deploy the bot to AWS, or update it",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_stage(parser)
    parser.add_argument("--email", default="", metavar="ADDRESS", help="who gets the alarms")
    parser.add_argument("--image", default="", metavar="URI", help="an image in ECR to deploy")
    parser.add_argument(
        "--new-secrets", action="store_true", help="ask for both secrets, and replace them"
    )
    parser.add_argument(
        "parameters", nargs="*", metavar="NAME=VALUE", help="parameters of template.yaml"
    )
    parser.set_defaults(command=run, extra="aws")


def add_stage(parser: argparse.ArgumentParser) -> None:
    """Add ``--stage``."""
    parser.add_argument(
        "--stage",
        default="dev",
        metavar="NAME",
        help="its stack is toxic-bot-NAME (default: %(default)s)",
    )


def run(options: argparse.Namespace) -> int:
    """Deploy, print the manifest, and return 1 if the doctor finds anything wrong."""
    from toxic_bot.operator.launch import formation, repository
    from toxic_bot.operator.launch.sam import Sam, check_parameters
    from toxic_bot.operator.launch.target import Target, find_clone
    from toxic_bot.operator.stack import Deployment, DeploymentError

    clone = find_clone()
    values = _values(options)
    check_parameters(clone, list(values))
    target = Target.find(options.stage)
    log = clone / "build" / "up.log"
    log.parent.mkdir(exist_ok=True)
    log.write_text("")
    sam = Sam(target, clone, log)
    sam.check(builds=not options.image)
    formation.make_way(target)
    _say(f"deploying {target.stack} to account {target.account}, {target.region}")
    arns = _secrets(target, clone, is_new=options.new_secrets)
    uri = repository.ensure(target)
    if not options.image:
        _say("building the image (the first time takes minutes)")
        sam.build()
    _say("deploying (the first time takes about five minutes)")
    before = formation.latest_event(target)
    try:
        sam.deploy(uri, {"Stage": target.stage, **arns, **values}, options.image)
    except DeploymentError as error:
        failure = formation.first_failure(target, before)
        if not failure:
            raise
        raise DeploymentError(
            f"{target.stack} cannot be deployed ({failure}): docs/deploy.md explains the failures "
            "of deployments; fix it, and run the command again"
        ) from error
    deployment = Deployment.find(target.stack, target.session)
    return _finish(target, clone, deployment.outputs.get("RequestUrl", ""))


def _values(options: argparse.Namespace) -> dict[str, str]:
    """Return the parameters that the command line sets."""
    from toxic_bot.operator.stack import DeploymentError

    values = {"AlarmEmail": options.email} if options.email else {}
    for parameter in options.parameters:
        name, equals, value = parameter.partition("=")
        if not equals:
            raise DeploymentError(f"{parameter!r} is no parameter: write NAME=VALUE")
        values[name] = value
    for name in ("Stage", "SigningSecretArn", "BotTokenArn"):
        if name in values:
            raise DeploymentError(f"{name} cannot be set here: use --stage or --new-secrets")
    return values


def _secrets(target: Target, clone: Path, *, is_new: bool) -> dict[str, str]:
    """Return the ARNs of both secrets by parameter; ask for those that are not stored."""
    from toxic_bot.operator.launch.secrets import SECRETS, store, stored_arn
    from toxic_bot.terminal.console import ask_secret

    arns = {kind: stored_arn(target, kind) for kind in SECRETS}
    missing = [kind for kind in SECRETS if is_new or not arns[kind]]
    if missing:
        _say(NEW_APP.format(manifest=clone / "manifest.yaml"))
    # Both are asked for before one is stored: a typing error leaves everything as it was.
    given = {kind: kind.checked(ask_secret(f"{kind.title}, from {kind.place}")) for kind in missing}
    for kind, value in given.items():
        arns[kind] = store(target, kind, value)
    return {kind.parameter: arn for kind, arn in arns.items()}


def _finish(target: Target, clone: Path, request_url: str) -> int:
    """Print the manifest, the doctor's findings, and what only a person can do."""
    import os

    from toxic_bot.judge.config import EMBEDDED_MODEL
    from toxic_bot.operator.doctor.diagnosis import Setup, diagnose
    from toxic_bot.operator.doctor.finding import format_finding
    from toxic_bot.operator.launch import manifest

    _say(f"{target.stack} is deployed. The app's manifest:\n")
    print(manifest.finished(clone, request_url))
    nowhere = EMBEDDED_MODEL / "none"
    wrong = 0
    for finding in diagnose(
        Setup.STACK, os.environ, stack=target.stack, model=EMBEDDED_MODEL, database=nowhere
    ):
        wrong += finding.ok is False
        print(format_finding(finding), flush=True)
    _say(LEFT.format(stack=target.stack))
    if wrong:
        _say(f"  4. Fix what is WRONG above ({wrong}); then run the doctor again.")
    return 1 if wrong else 0


def _say(text: str) -> None:
    print(text, flush=True)
