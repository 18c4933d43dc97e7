"""Commands of other programs, with their errors in one line."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from image.errors import ImageError


def run(
    command: Sequence[str], *, folder: Path | None = None, log: Path | None = None, limit: float
) -> str:
    """Run a command to its end and return what it printed, without the last line's end.

    Parameters
    ----------
    command
        Program and arguments; run at the lowest priority.
    folder
        Its working directory.
    log
        Takes all that it prints, after what is there already.
    limit
        Seconds after which it is ended.

    Raises
    ------
    ImageError
        When it fails or takes longer. Its own last line that starts with ``error:`` is
        the message, or else its last line.
    """
    if shutil.which(command[0]) is None:
        raise ImageError(f"{command[0]} is missing: install it ('apt-get install {command[0]}')")
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            cwd=folder,
            timeout=limit,
            check=False,
            preexec_fn=lambda: os.nice(10),
        )
    except subprocess.TimeoutExpired as error:
        raise ImageError(f"{command[0]} took longer than {limit:.0f} seconds") from error
    if log is not None:
        with log.open("a", encoding="utf-8") as file:
            file.write(f"$ {' '.join(command)}\n{done.stdout}\n")
    if done.returncode:
        raise ImageError(_reason(done.stdout, command))
    return done.stdout.rstrip("\n")


def _reason(printed: str, command: Sequence[str]) -> str:
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    # A builder may show a line of the Dockerfile, or put a step's number before a line.
    said = [line.partition("error: ")[2] for line in lines if "error: " in line]
    own = [line for line in said if not line.startswith(("building at", "exit status"))]
    ours = [line for line in own if not line.endswith(('"; exit 1; }', "\\"))]
    last = (ours or own or lines or ["it printed nothing"])[0 if ours else -1]
    return f"{command[0]} {command[1] if len(command) > 1 else ''} failed: {last}"
