"""Commands of other programs, with their errors in one line."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from image import ImageError, UnavailableError


def run(
    command: Sequence[str], *, folder: Path | None = None, log: Path | None = None, limit: float
) -> str:
    """Run a command at a low priority to its end, and return what it printed.

    Parameters
    ----------
    command
        Program and arguments.
    folder
        Its working directory.
    log
        Takes all that it prints, after what is there already.
    limit
        Seconds after which it and all that it started are ended.

    Raises
    ------
    ImageError
        When the program fails or takes longer.
    UnavailableError
        When it is missing.
    """
    if shutil.which(command[0]) is None:
        raise UnavailableError(
            f"{command[0]} is missing: install it ('apt-get install {command[0]}')"
        )
    process = subprocess.Popen(
        ["nice", *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        cwd=folder,
        start_new_session=True,
    )
    try:
        printed, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        raise ImageError(f"{command[0]} took longer than {limit:.0f} seconds") from None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if log is not None:
        with log.open("a", encoding="utf-8") as file:
            file.write(f"$ {' '.join(command)}\n{printed}\n")
    if process.returncode:
        raise ImageError(f"{command[0]} failed: {reason(printed)}")
    return printed.rstrip("\n")


def reason(printed: str) -> str:
    """Return the line of a failed program's output that says why it failed.

    Parameters
    ----------
    printed
        All of it. A step of a build that stops says so in a line that starts with
        ``error:``; a builder may put the step's number and the time before it, and
        shows the step's own words too.
    """
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    said = []
    for line in lines:
        before, found, after = line.partition("error: ")
        # In the words of the step, an echo and a quotation mark stand before it.
        if found and "echo" not in before and '"' not in before:
            said.append(after)
    return (said or lines or ["it printed nothing"])[-1][:500]
