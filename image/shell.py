"""Running other programs, with their errors in one line."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from image import CrashError, ImageError, UnavailableError

_GO_PANIC = re.compile(r"^panic: .*^goroutine \d+ ", re.MULTILINE | re.DOTALL)


def run(
    command: Sequence[str], *, folder: Path | None = None, log: Path | None = None, timeout: float
) -> str:
    """Run a command at low priority, wait until it exits, and return its output.

    Parameters
    ----------
    command
        Program and arguments.
    folder
        Its working directory.
    log
        File to which its output is appended.
    timeout
        Seconds after which it and its child processes are killed.

    Raises
    ------
    ImageError
        If the program fails or times out.
    CrashError
        If it is one of Go's and panicked.
    UnavailableError
        If it is not installed.
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
        output, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        raise ImageError(f"{command[0]} took longer than {timeout:.0f} seconds") from None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if log is not None:
        with log.open("a", encoding="utf-8") as file:
            file.write(f"$ {' '.join(command)}\n{output}\n")
    if process.returncode and _GO_PANIC.search(output):
        raise CrashError(f"{command[0]} crashed: {failure_reason(output)}")
    if process.returncode:
        raise ImageError(f"{command[0]} failed: {failure_reason(output)}")
    return output.rstrip("\n")


def failure_reason(output: str) -> str:
    """Return the line of a failed program's output that explains the failure.

    Parameters
    ----------
    output
        All that the program printed. A build step that stops prints a line that starts
        with ``error:``; builders may prefix it with the step's number and the time, and
        they also echo the step's commands.
    """
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = []
    for line in lines:
        before, found, after = line.partition("error: ")
        # In an echoed command, "echo" and a quotation mark come before the message.
        if found and "echo" not in before and '"' not in before:
            errors.append(after)
    return (errors or lines or ["it printed nothing"])[-1][:500]
