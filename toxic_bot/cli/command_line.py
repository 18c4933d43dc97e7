"""The command line: one parser, one way for every command to fail and to end.

Each command is a module of `toxic_bot.cli`, which imports what it runs only when it
runs, so that ``--help``, ``--version`` and ``classify`` stay fast.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from toxic_bot.cli import (
    cases,
    classify,
    compare,
    demo,
    digest,
    dlq,
    doctor,
    down,
    feedback,
    invoke,
    listen,
    model,
    release,
    scan,
    serve,
    sign,
    socket,
    up,
    workspace,
)
from toxic_bot.judge import __version__
from toxic_bot.judge.errors import ToxicBotError
from toxic_bot.terminal.packages import MissingPackageError
from toxic_bot.terminal.signals import Ending, raised

COMMANDS = (
    demo,
    workspace,
    invoke,
    sign,
    classify,
    scan,
    serve,
    compare,
    model,
    socket,
    listen,
    up,
    doctor,
    dlq,
    release,
    feedback,
    digest,
    cases,
    down,
)


class _HelpFormatter(argparse.HelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog)
        # argparse forgets the indentation of commands when it measures their names.
        self._action_max_length = len("    workspace")


def parser() -> argparse.ArgumentParser:
    """Return the parser of ``toxic-bot``."""
    root = argparse.ArgumentParser(
        prog="toxic-bot",
        description="A Slack bot that answers one question: is this message toxic?",
        epilog="'toxic-bot COMMAND --help' explains a command.",
        formatter_class=_HelpFormatter,
    )
    root.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = root.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add(commands)
    return root


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    Parameters
    ----------
    arguments
        The command's name and options; None for those of the process.

    Returns
    -------
    int
        0 if all went well, 1 for an error that is explained in one line, 130 after Ctrl-C.
        Bad usage exits with 2, and SIGTERM with 143.
    """
    options = parser().parse_args(arguments)
    return run(lambda: options.command(options), getattr(options, "extra", None))


def run(command: Callable[[], int], extra: str | None = None) -> int:
    """Run a command until it ends, is interrupted or fails, and return its exit status.

    Parameters
    ----------
    command
        Does the work and returns its exit status.
    extra
        The extra that brings every package that it needs.
    """
    ending = Ending()
    try:
        with raised(ending):
            return command()
    except BrokenPipeError:
        # The reader, such as `head`, closed the pipe. What is flushed at exit goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ending.status or 0
    except ToxicBotError as error:
        if ending.status is None:
            print(f"error: {error}", file=sys.stderr)
        return ending.status or 1
    except ModuleNotFoundError as error:
        missing = MissingPackageError.explaining(error, extra)
        if ending.status is None:
            if missing is None:
                raise
            print(f"error: {missing}", file=sys.stderr)
        return ending.status or 1
    except BaseException:
        # After a signal, whatever is raised is a consequence of it: an extension module whose
        # import is interrupted raises ImportError.
        if ending.status is None:
            raise
        return ending.status
