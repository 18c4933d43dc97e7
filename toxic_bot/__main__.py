"""``toxic-bot``, and ``python -m toxic_bot``: signals first, imports second.

Until the first command runs, and again after the last one has ended, there is nothing to
clean up, so Ctrl-C ends the process at once and without a traceback.
"""

from __future__ import annotations

import os
import signal
import sys


def main() -> int:
    """Run the command line and return its exit status."""
    # Where SIGINT is ignored, as it is for a script's background processes, it stays ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _exit_at_once)
    from toxic_bot.cli.command_line import main as run

    return run()


def _exit_at_once(number: int, frame: object) -> None:  # noqa: ARG001 - a signal handler's arguments
    os._exit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
