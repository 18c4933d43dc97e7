"""The commands speak in one line when something is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from model_build.__main__ import main


@pytest.mark.parametrize("command", ["data", "train", "export", "optimize", "quantize", "package"])
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main([command, "--help"])
    assert left.value.code == 0
    assert "--profile" in capsys.readouterr().out


def test_a_teacher_is_trained_and_never_served(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["package", "--profile", "mpnet"])
    assert left.value.code == 2
    assert "mpnet" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["train", "--help"])
    assert "mpnet" in capsys.readouterr().out


def test_an_unknown_command_is_bad_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["conjure"])
    assert left.value.code == 2
    assert "conjure" in capsys.readouterr().err


def test_missing_data_is_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pandas", reason="the pipeline needs the 'build' dependencies")
    assert main(["data", "--work", str(tmp_path / "work"), "--data", str(tmp_path / "none")]) == 1
    error = capsys.readouterr().err.strip()
    assert error.startswith("error: ")
    assert "\n" not in error
    assert "none" in error


def test_data_has_to_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pandas", reason="as above")
    assert main(["build", "--work", str(tmp_path)]) == 1
    assert "--data" in capsys.readouterr().err
