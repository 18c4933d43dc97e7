"""The command line explains itself, and reports errors in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from model_build.__main__ import main


@pytest.mark.parametrize(
    "command",
    ["data", "train", "prune", "prune-table", "export", "optimize", "quantize", "package"],
)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main([command, "--help"])
    assert raised.value.code == 0
    assert "--profile" in capsys.readouterr().out


def test_a_teacher_is_trained_but_not_served(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["package", "--profile", "mpnet"])
    assert raised.value.code == 2
    assert "mpnet" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["train", "--help"])
    assert "mpnet" in capsys.readouterr().out


def test_an_unknown_command_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["conjure"])
    assert raised.value.code == 2
    assert "conjure" in capsys.readouterr().err


def test_missing_data_is_reported_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pandas", reason="the pipeline needs the 'build' dependencies")
    assert main(["data", "--work", str(tmp_path / "work"), "--data", str(tmp_path / "none")]) == 1
    error = capsys.readouterr().err.strip()
    assert error.startswith("error: ")
    assert "\n" not in error
    assert "none" in error


def test_a_build_asks_for_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pandas", reason="the pipeline needs the 'build' dependencies")
    assert main(["build", "--work", str(tmp_path)]) == 1
    assert "--data" in capsys.readouterr().err


def test_a_share_that_is_none_is_reported_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch", reason="the pipeline needs the 'build' dependencies")
    assert main(["prune", "--work", str(tmp_path), "--heads", "1"]) == 1
    error = capsys.readouterr().err.strip()
    assert error.startswith("error: --heads 1 is not a share")
    assert "\n" not in error


@pytest.mark.parametrize(
    ("option", "value", "reason"),
    [
        ("--minutes", "0", "above 0"),
        ("--minutes", "soon", "above 0"),
        ("--patience", "0", "1 or more"),
        ("--frozen", "1.5", "0 or more"),
        ("--layer-dropout", "2", "from 0 to 1"),
    ],
)
def test_a_number_that_makes_no_sense_is_a_usage_error(
    option: str, value: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["train", f"{option}={value}"])
    assert reason in capsys.readouterr().err
