"""``toxic-bot dlq``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toxic_bot.cli.arguments import Commands
    from toxic_bot.operator.dead_letters import DeadLetter, DeadLetterQueue, LogLine

DESCRIPTION = """\
Manage the reactions that could not be answered: see what failed and why, from the worker's log.
Message texts are not stored, so none are shown. Uses this shell's AWS credentials and region."""
EXAMPLES = """\
examples:
  toxic-bot dlq list --stack toxic-bot-prod
  toxic-bot dlq show --stack toxic-bot-prod Ev0123456789
      Show all its log lines; '--log-event ID' is how CloudWatch finds one of them again.
  toxic-bot dlq redrive --stack toxic-bot-prod --all
      Resend everything younger than a day. First fix what 'list' reports.
  toxic-bot dlq purge --stack toxic-bot-prod --poisoned
      Delete messages that the receiver did not write."""
MAX_AGE = 24.0
"""Hours. A verdict that comes later helps nobody."""


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "dlq",
        help="show, resend or delete reactions that could not be answered",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(title="actions", required=True, metavar="ACTION")
    lister = _add(actions, "list", "one line each: when, where, why", _list)
    lister.set_defaults(names=[])
    shower = _add(actions, "show", "everything known about the given ones", _show)
    shower.add_argument("names", nargs="+", metavar="ID", help="event ID or message ID")
    redriver = _add(actions, "redrive", "send reactions back to the queue", _redrive)
    which = redriver.add_mutually_exclusive_group(required=True)
    which.add_argument("names", nargs="*", default=[], metavar="ID", help="event or message ID")
    which.add_argument("--all", action="store_true", help="all that are within --max-age")
    redriver.add_argument(
        "--max-age",
        type=float,
        default=MAX_AGE,
        metavar="HOURS",
        help="leave older ones alone (default: %(default)g)",
    )
    purger = _add(actions, "purge", "delete some permanently", _purge)
    which = purger.add_mutually_exclusive_group(required=True)
    which.add_argument("names", nargs="*", default=[], metavar="ID", help="event or message ID")
    which.add_argument("--poisoned", action="store_true", help="those the receiver did not write")
    which.add_argument("--all", action="store_true", help="all")


def _add(actions: Commands, name: str, help_text: str, run: object) -> argparse.ArgumentParser:
    action = actions.add_parser(name, help=help_text, description=f"Dead letters: {help_text}.")
    action.add_argument("--stack", required=True, metavar="NAME", help="the deployed stack")
    action.set_defaults(command=run, extra="aws")
    return action


def _open(options: argparse.Namespace) -> DeadLetterQueue:
    from toxic_bot.operator.dead_letters import DeadLetterQueue
    from toxic_bot.operator.stack import Deployment, create_session

    return DeadLetterQueue(Deployment.find(options.stack, create_session()))


def _list(options: argparse.Namespace) -> int:
    """Print a line for each dead letter."""
    queue = _open(options)
    with queue.letters() as letters:
        for letter in letters:
            lines = queue.log_lines(letter)
            print(f"{_headline(queue, letter)}: {_why(letter, lines)}", flush=True)
    if not letters:
        print("no dead letters")
    return 0


def _show(options: argparse.Namespace) -> int:
    """Print what is known about dead letters."""
    queue = _open(options)
    with queue.letters() as letters:
        for letter in _chosen(letters, options.names):
            print(_headline(queue, letter))
            print(f"  SQS message {letter.message_id}, {letter.size} bytes")
            lines = queue.log_lines(letter)
            for line in lines:
                print(_log_line(line))
            if not lines:
                print("  nothing in the worker's log: it was deleted, or the worker was killed")
    return 0


def _redrive(options: argparse.Namespace) -> int:
    """Send reactions again."""
    queue = _open(options)
    with queue.letters() as letters:
        chosen = letters if options.all else _chosen(letters, options.names)
        readable = [letter for letter in chosen if letter.gesture]
        young = [one for one in readable if queue.age(one) <= options.max_age * 3600]
        for letter in queue.redrive(young):
            print(f"sent again: {letter.id}", flush=True)
    if unread := len(chosen) - len(readable):
        print(f"left: {unread} not written by the receiver ('purge --poisoned' deletes them)")
    if old := len(readable) - len(young):
        print(f"left: {old} older than {options.max_age:g} hours (--max-age sends them, too)")
    print(f"{len(young)} sent again")
    return 0


def _purge(options: argparse.Namespace) -> int:
    """Delete dead letters."""
    queue = _open(options)
    with queue.letters() as letters:
        chosen = letters if options.all else _chosen(letters, options.names)
        if options.poisoned:
            chosen = [letter for letter in letters if letter.gesture is None]
        for letter in chosen:
            queue.delete(letter)
            print(f"deleted: {letter.id}", flush=True)
    print(f"{len(chosen)} deleted")
    return 0


def _chosen(letters: Sequence[DeadLetter], names: Sequence[str]) -> list[DeadLetter]:
    from toxic_bot.terminal.console import ConsoleError

    for name in names:
        if not any(letter.is_called(name) for letter in letters):
            raise ConsoleError(f"there is no dead letter {name}: 'toxic-bot dlq list' shows them")
    return [letter for letter in letters if any(map(letter.is_called, names))]


def _headline(queue: DeadLetterQueue, letter: DeadLetter) -> str:
    age = _duration(queue.age(letter))
    if letter.gesture is None:
        return f"{letter.id}  {age} ago, not written by the receiver"
    keys = letter.gesture.log_keys()
    place = (("channel", "channel"), ("ts", "message"))
    about = ", ".join(f"{name} {keys[key]}" for key, name in place if key in keys)
    return f"{letter.id}  {age} ago, {about or keys['gesture']}"


def _why(letter: DeadLetter, lines: Sequence[LogLine]) -> str:
    from toxic_bot.terminal.console import one_line

    telling = [line for line in lines if line.level in ("WARNING", "ERROR")]
    if not telling:
        return "nothing in the worker's log" if letter.gesture else "purge it"
    last = telling[-1]
    place = f" at {last.fields['where']}" if "where" in last.fields else ""
    kind = f" ({last.fields['error']}{place})" if "error" in last.fields else ""
    return f"{one_line(last.message)}{kind} [log event {last.event_id}]"


def _log_line(line: LogLine) -> str:
    import time

    from toxic_bot.terminal.console import one_line

    when = time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(line.time))
    fields = "".join(f", {name} {one_line(value)}" for name, value in line.fields.items())
    return (
        f"  {when} {line.level} {one_line(line.message)}{fields}\n"
        f"    log event {line.event_id} in {line.stream}"
    )


def _duration(seconds: float) -> str:
    if seconds < 3600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172800 else f"{seconds / 86400:.0f} days"
