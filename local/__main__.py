"""The commands of ``python -m local``."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from handler.errors import ToxicBotError
from local.aws import ROOT
from local.errors import LocalError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    options = _parser().parse_args(arguments)
    # Ended from outside, a command ends its own servers too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        status: int = options.command(options)
    except ToxicBotError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever reads has seen enough, as `head` has.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m local",
        description="A Slack workspace and an AWS on this machine, with the bot between them.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    model = argparse.ArgumentParser(add_help=False)
    model.add_argument(
        "--model",
        type=Path,
        default=ROOT / "model",
        metavar="FOLDER",
        help="the model folder (default: the embedded one)",
    )
    port = argparse.ArgumentParser(add_help=False)
    port.add_argument(
        "--port", type=_port, default=0, help="where the page is (default: any free port)"
    )

    demo = commands.add_parser(
        "demo",
        parents=[model, port],
        help="start everything, react to sample messages, print the verdicts",
        description="Start everything, react to sample messages and print the verdicts. On a "
        "terminal it keeps running for you to try; elsewhere it ends with status 0 when every "
        "expected verdict came exactly once, and with 1 otherwise.",
    )
    demo.set_defaults(command=_demo)

    workspace = commands.add_parser(
        "workspace",
        parents=[model, port],
        help="start everything and keep it running, with a page to chat on",
    )
    workspace.set_defaults(command=_workspace)

    invoke = commands.add_parser(
        "invoke",
        parents=[model],
        help="send one event file through the real runtime",
        description="Send one file of events/ through the real Lambda runtime and print the "
        "response and what was posted.",
    )
    invoke.add_argument("event", type=Path, metavar="EVENT.json")
    invoke.add_argument("--text", help="text of the message that the event is about")
    invoke.set_defaults(command=_invoke)

    classify = commands.add_parser(
        "classify",
        parents=[model],
        help="judge texts, without Slack",
        description='Judge texts. With --jsonl read {"id", "text"} lines on standard input and '
        'write {"id", "toxic", "score", "windows", "ms"} lines in the same order.',
    )
    texts = classify.add_mutually_exclusive_group(required=True)
    texts.add_argument("text", nargs="*", default=[], metavar="TEXT", help="a text to judge")
    texts.add_argument("--jsonl", action="store_true", help="read JSON lines on standard input")
    classify.set_defaults(command=_classify)

    socket = commands.add_parser(
        "socket",
        parents=[model],
        help="run the bot without AWS, over Slack's Socket Mode",
        description="Run the bot on this machine, over Slack's Socket Mode and without AWS. Takes "
        "SLACK_APP_TOKEN (xapp-..., with the scope connections:write) and SLACK_BOT_TOKEN "
        "(xoxb-...) from the environment, and REACTIONS and ANSWER as in a deployment.",
    )
    socket.add_argument(
        "--claims",
        type=Path,
        default=Path("toxic-bot.sqlite"),
        metavar="FILE",
        help="SQLite file for what is answered and what waits (default: %(default)s)",
    )
    socket.set_defaults(command=_socket)

    doctor = commands.add_parser(
        "doctor",
        help="check a deployment or a local set-up, and say how to mend it",
        description="Check the settings, the secrets, the token's scopes, queue, table, model and "
        "clock, and say how to mend what is wrong. Takes AWS credentials and the region as the "
        "AWS command line does.",
    )
    doctor.add_argument(
        "--stack", metavar="NAME", help="a deployed stack (default: this shell's variables)"
    )
    doctor.add_argument(
        "--channel", metavar="ID", help="a channel in which the bot should answer, such as C0123"
    )
    doctor.set_defaults(command=_doctor)
    return parser


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError("a port is a number from 0 to 65535")
    return port


def _demo(options: argparse.Namespace) -> int:
    from local.demo import run
    from local.stack import Options

    return 0 if run(Options(model=options.model, port=options.port)) else 1


def _workspace(options: argparse.Namespace) -> int:
    from local.console import progress
    from local.demo import wait_for_interrupt
    from local.samples import VIEWER, company, say
    from local.stack import Options, Stack

    workspace = company()
    say(workspace)
    with progress() as show:
        stack = Stack(
            workspace, VIEWER, Options(model=options.model, port=options.port), show
        ).start()
    with stack:
        print(f"The workspace is at {stack.slack.address} until you press Ctrl+C.", flush=True)
        wait_for_interrupt()
    return 0


def _invoke(options: argparse.Namespace) -> int:
    from local.invocation import describe, invoke, read
    from local.stack import Options

    outcome = invoke(read(options.event), Options(model=options.model), options.text)
    print(f"{outcome.function} returned:")
    print(json.dumps(outcome.response, indent=2))
    print("posted:" if outcome.posted else "posted: nothing")
    for line in map(describe, outcome.posted):
        print(f"  {line}")
    return 0


def _socket(options: argparse.Namespace) -> int:
    # CloudWatch's metric lines are of no use where nobody collects them.
    os.environ.setdefault("POWERTOOLS_METRICS_DISABLED", "true")
    os.environ.setdefault("POWERTOOLS_SERVICE_NAME", "socket")
    from local.bot import Bot
    from local.demo import wait_for_interrupt

    with Bot.from_environment(os.environ, options.model, options.claims).start():
        print("Connected to Slack; answering until you press Ctrl+C.", flush=True)
        wait_for_interrupt()
    return 0


def _doctor(options: argparse.Namespace) -> int:
    import boto3

    from local.doctor import DoctorError, examine, stack_environment

    session = boto3.Session()
    try:
        environment = stack_environment(options.stack, session) if options.stack else os.environ
    except DoctorError as error:
        raise LocalError(f"{error}: {error.remedy}") from error
    sick = 0
    for finding in examine(environment, options.channel, session):
        mark = {True: "ok   ", False: "WRONG", None: "?    "}[finding.well]
        print(f"{mark}  {finding.what}: {finding.detail}")
        if finding.remedy:
            print(f"       -> {finding.remedy}")
        sick += finding.well is False
    return 1 if sick else 0


def _classify(options: argparse.Namespace) -> int:
    from handler.classifier import load
    from local.judge import judge, judge_lines

    if not options.jsonl:
        classifier = load(options.model)
        for text in options.text:
            judged = judge(classifier, text)
            word = "toxic" if judged.verdict.toxic else "fine"
            print(f"{word:5}  {judged.verdict.score:.4f}  {judged.milliseconds:6.1f} ms  {text}")
        return 0
    errors: list[str] = []
    count = 0
    for line in judge_lines(load(options.model, threads=1), sys.stdin.buffer):
        print(line.json, flush=True)
        count += 1
        if line.error:
            errors.append(line.error)
    if errors:
        raise LocalError(f"{len(errors)} of {count} lines could not be judged; {errors[0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
