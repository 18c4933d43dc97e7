"""The command line documents itself and starts fast."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from toxic_bot.cli.command_line import COMMANDS, main
from toxic_bot.judge import __version__

HEAVY = (
    "samtranslator",
    "fastapi",
    "pydantic",
    "httpx",
    "moto",
    "boto3",
    "slack_sdk",
    "starlette",
    "uvicorn",
)


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["classify", "thanks"]])
@pytest.mark.slow
def test_fast_commands_import_no_heavy_package(arguments: list[str]) -> None:
    script = f"""
import sys
from toxic_bot.cli.command_line import main
try:
    main({arguments!r})
except SystemExit:
    pass
print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)
"""
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert result.stderr.strip() == "[]"


def test_help_lists_every_command_on_its_own_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exited:
        main(["--help"])
    assert exited.value.code == 0
    printed = capsys.readouterr().out
    for command in COMMANDS:
        name = command.__name__.rpartition(".")[2]
        assert re.search(rf"^    {name} +\w", printed, re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_help_text(command: object, capsys: pytest.CaptureFixture[str]) -> None:
    name = getattr(command, "__name__", "").rpartition(".")[2]
    with pytest.raises(SystemExit) as exited:
        main([name, "--help"])
    assert exited.value.code == 0
    assert len(capsys.readouterr().out.splitlines()) > 5


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"toxic-bot {__version__}\n"
