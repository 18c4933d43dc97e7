"""The command line explains itself, and explains itself fast."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from judge import __version__
from toxic_bot.command_line import COMMANDS, main

HEAVY = ("samtranslator", "httpx", "moto", "boto3", "slack_sdk", "starlette", "uvicorn")


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["classify", "thanks"]])
def test_what_has_to_be_fast_imports_nothing_heavy(arguments: list[str]) -> None:
    script = f"""
import sys
from toxic_bot.command_line import main
try:
    main({arguments!r})
except SystemExit:
    pass
print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stderr.strip() == "[]"


def test_help_lists_every_command_on_a_line_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--help"])
    assert left.value.code == 0
    printed = capsys.readouterr().out
    for command in COMMANDS:
        name = command.__name__.rpartition(".")[2]
        assert re.search(rf"^    {name} +\w", printed, re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_describes_itself(
    command: object, capsys: pytest.CaptureFixture[str]
) -> None:
    name = getattr(command, "__name__", "").rpartition(".")[2]
    with pytest.raises(SystemExit) as left:
        main([name, "--help"])
    assert left.value.code == 0
    assert len(capsys.readouterr().out.splitlines()) > 5


def test_the_version_is_the_packages(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"toxic-bot {__version__}\n"
