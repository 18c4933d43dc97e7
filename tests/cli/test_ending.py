"""However a command is ended, it leaves no traceback and no process behind."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from simulators import ROOT
from tests.cli.command import PROGRAM, descendants, is_alive, run, started

pytestmark = pytest.mark.slow

TIMEOUT = 120


def end(process: subprocess.Popen[bytes], number: int) -> tuple[str, list[int]]:
    """Send a signal; return what the command printed and which of its children survived."""
    pids = descendants(process.pid)
    process.send_signal(number)
    output, errors = process.communicate(timeout=TIMEOUT)
    return (output + errors).decode(), [pid for pid in pids if is_alive(pid)]


@pytest.mark.parametrize(
    "seconds", [0.8, *(pytest.param(at, marks=pytest.mark.long) for at in (0.4, 1.5, 3, 5))]
)
def test_ctrl_c_ends_the_demo_cleanly_at_any_moment(model_folder: Path, seconds: float) -> None:
    with started("demo", "--model", str(model_folder)) as process:
        time.sleep(seconds)
        printed, survivors = end(process, signal.SIGINT)
        assert process.returncode == 130
    assert "Traceback" not in printed
    assert survivors == []


@pytest.mark.parametrize("arguments", [("classify", "--jsonl"), ("classify", "text"), ("doctor",)])
@pytest.mark.parametrize("seconds", [0.3, 0.45, 0.6])
def test_ctrl_c_during_imports_prints_no_traceback(
    arguments: tuple[str, ...], seconds: float
) -> None:
    # Interrupting the import of an extension module raises ImportError there.
    with started(*arguments, stdin=subprocess.PIPE) as process:
        time.sleep(seconds)
        printed, _ = end(process, signal.SIGINT)
        # A command that is about to exit may finish first, or be killed by the signal.
        assert process.returncode in (130, -signal.SIGINT, 0, 1)
    assert "Traceback" not in printed


def run_module(name: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", name],
        env=os.environ | {"PYTHONPATH": f"{folder}:{ROOT}"},
        capture_output=True,
        timeout=TIMEOUT,
    )


def test_ctrl_c_inside_generated_code_exits_with_130(tmp_path: Path) -> None:
    # dataclasses, for one, execute source text while a module is imported.
    (tmp_path / "generated.py").write_text(
        "import sys\n"
        "from toxic_bot.cli.command_line import run\n"
        "source = 'import os, signal; os.kill(os.getpid(), signal.SIGINT)'\n"
        "sys.exit(run(lambda: exec(source)))\n"
    )
    finished = run_module("generated", tmp_path)
    assert (finished.returncode, finished.stderr) == (130, b"")


def test_ctrl_c_waits_for_the_end_of_an_import(tmp_path: Path) -> None:
    # An extension module that imports others prints whatever is raised meanwhile.
    (tmp_path / "slow.py").write_text(
        "import os, signal\n"
        "os.kill(os.getpid(), signal.SIGINT)\n"
        "os.kill(os.getpid(), signal.SIGINT)\n"
        "print('imported', flush=True)\n"
    )
    (tmp_path / "importer.py").write_text(
        "import sys, time\n"
        "from toxic_bot.cli.command_line import run\n"
        "sys.exit(run(lambda: (__import__('slow'), time.sleep(20), print('too late'))))\n"
    )
    finished = run_module("importer", tmp_path)
    assert (finished.returncode, finished.stdout, finished.stderr) == (130, b"imported\n", b"")


@pytest.mark.long
def test_ctrl_c_ends_the_workspace_cleanly_while_its_page_is_open(model_folder: Path) -> None:
    with started("workspace", "--model", str(model_folder)) as process:
        assert process.stdout is not None
        line = process.stdout.readline().decode()
        [address] = re.findall(r"http://127\.0\.0\.1:\d+", line)
        with httpx.stream("GET", f"{address}/client/feed", timeout=TIMEOUT) as feed:
            assert next(feed.iter_text())
            printed, survivors = end(process, signal.SIGINT)
        assert process.returncode == 0
    assert "Traceback" not in printed
    assert "ASGI" not in printed
    assert survivors == []


@pytest.mark.long
@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_the_workspace_and_its_servers(
    model_folder: Path, number: int, status: int
) -> None:
    with started("workspace", "--model", str(model_folder)) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        assert len(descendants(process.pid)) >= 3
        printed, survivors = end(process, number)
        assert process.returncode == status
    assert "Traceback" not in printed
    assert survivors == []


def test_ctrl_c_quietly_ends_reading_json_lines_from_a_terminal() -> None:
    controller, terminal = pty.openpty()
    try:
        with (
            os.fdopen(terminal, "rb+", buffering=0) as stdin,
            started("classify", "--jsonl", stdin=stdin) as process,
        ):
            assert process.stderr is not None
            assert b"Reading JSON lines from the terminal" in process.stderr.readline()
            os.write(controller, b'{"id": 1, "text": "thanks"}\n')
            assert process.stdout is not None
            assert process.stdout.readline().startswith(b'{"id": 1')
            printed, _ = end(process, signal.SIGINT)
            assert process.returncode == 130
        assert printed == ""
    finally:
        os.close(controller)


def test_a_closed_output_pipe_ends_the_command_quietly() -> None:
    line = b'{"id": 1, "text": "thanks"}\n'
    with started("classify", "--jsonl", stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(line * 20)
        process.stdin.flush()
        assert process.stdout.readline()
        process.stdout.close()
        process.stdin.write(line * 400)
        process.stdin.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.wait(TIMEOUT) == 0


def test_ctrl_c_stays_ignored_where_the_parent_ignores_it() -> None:
    # A shell starts the background processes of a script like this.
    script = 'trap "" INT; exec "$@"'
    process = subprocess.Popen(
        ["sh", "-c", script, "sh", *PROGRAM, "classify", "--jsonl"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        for number in range(2):
            process.stdin.write(b'{"id": %d, "text": "thanks"}\n' % number)
            process.stdin.flush()
            assert process.stdout.readline()
            process.send_signal(signal.SIGINT)
        process.stdin.close()
        assert process.wait(TIMEOUT) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_bad_usage_exits_with_status_2() -> None:
    for arguments in ([], ["nonsense"], ["demo", "--port", "99999"], ["invoke"]):
        assert run(*arguments).returncode == 2
