"""The command line as a user runs it: in a separate process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from simulators import ROOT

PROGRAM = (sys.executable, "-m", "toxic_bot")

SHELL = {
    "AWS_PROFILE": "work",
    "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
    "AWS_ACCESS_KEY_ID": "AKIAWORK",
    "HTTP_PROXY": "http://127.0.0.1:9",
    "http_proxy": "http://127.0.0.1:9",
    "NO_PROXY": "",
}
"""Variables that a user's shell may contain and that must not affect a local stack."""


@contextmanager
def started(
    *arguments: str,
    environment: Mapping[str, str] | None = None,
    stdin: int | IO[bytes] = subprocess.DEVNULL,
    stdout: int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
) -> Iterator[subprocess.Popen[bytes]]:
    """Start a command; end it and its children, however the test ends."""
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
        # SIGTERM first: the command then stops its servers, which have their own sessions.
        for number in (signal.SIGTERM, signal.SIGKILL):
            if process.poll() is None:
                process.send_signal(number)
                try:
                    process.communicate(timeout=60)
                except subprocess.TimeoutExpired:
                    continue
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def run(
    *arguments: str,
    content: bytes | None = None,
    environment: Mapping[str, str] | None = None,
    timeout: float = 180,
) -> subprocess.CompletedProcess[str]:
    """Run a command to completion, with ``content`` on its standard input."""
    stdin = subprocess.DEVNULL if content is None else subprocess.PIPE
    with started(*arguments, environment=environment, stdin=stdin) as process:
        output, errors = process.communicate(content, timeout=timeout)
        return subprocess.CompletedProcess(
            process.args, process.returncode, output.decode(), errors.decode()
        )


def descendants(pid: int) -> list[int]:
    """Return the process ids of a process's children, their children and so on."""
    children = [
        int(child)
        for tasks in Path(f"/proc/{pid}/task").glob("*/children")
        for child in tasks.read_text().split()
    ]
    return children + [pid for child in children for pid in descendants(child)]


def is_alive(pid: int) -> bool:
    """Report whether a process is running; a zombie is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
