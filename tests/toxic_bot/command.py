"""The command line as a person runs it: in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from local import ROOT

PROGRAM = (sys.executable, "-m", "toxic_bot")

SHELL = {
    "AWS_PROFILE": "work",
    "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
    "AWS_ACCESS_KEY_ID": "AKIAWORK",
    "HTTP_PROXY": "http://127.0.0.1:9",
    "http_proxy": "http://127.0.0.1:9",
    "NO_PROXY": "",
}
"""Variables that a person's shell may contain, and that must not matter to a local stack."""


@contextmanager
def started(
    *arguments: str,
    environment: Mapping[str, str] | None = None,
    stdin: int | IO[bytes] = subprocess.DEVNULL,
    stdout: int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
) -> Iterator[subprocess.Popen[bytes]]:
    """Start a command, and end it and its children however the test ends."""
    process = subprocess.Popen(
        [*PROGRAM, *arguments],
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        cwd=ROOT,
        env=os.environ | SHELL if environment is None else environment,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        # SIGTERM first: a command ends its own servers, which are in sessions of their own.
        for number in (signal.SIGTERM, signal.SIGKILL):
            if process.poll() is None:
                process.send_signal(number)
                try:
                    process.communicate(timeout=15)
                except subprocess.TimeoutExpired:
                    continue
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def run(
    *arguments: str,
    lines: bytes | None = None,
    environment: Mapping[str, str] | None = None,
    seconds: float = 180,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    stdin = subprocess.DEVNULL if lines is None else subprocess.PIPE
    with started(*arguments, environment=environment, stdin=stdin) as process:
        output, errors = process.communicate(lines, timeout=seconds)
        return subprocess.CompletedProcess(
            process.args, process.returncode, output.decode(), errors.decode()
        )


def children(pid: int) -> list[int]:
    """Return the processes that a process has started, and those that they have."""
    direct = [
        int(child)
        for tasks in Path(f"/proc/{pid}/task").glob("*/children")
        for child in tasks.read_text().split()
    ]
    return direct + [below for child in direct for below in children(child)]


def is_alive(pid: int) -> bool:
    """Report whether a process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
