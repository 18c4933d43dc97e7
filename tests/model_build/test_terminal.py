"""Long work shows its progress where there is no terminal."""

from __future__ import annotations

import pytest

pytest.importorskip("rich", reason="the pipeline needs the 'build' dependencies")

from model_build import terminal


@pytest.fixture(autouse=True)
def no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)


def track(count: int) -> list[int]:
    with terminal.progress() as bar:
        return list(bar.track(iter(range(count)), total=count, description="scoring"))


def test_without_a_terminal_progress_is_logged(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(terminal, "LOG_SECONDS", 0)
    with caplog.at_level("INFO", logger="model_build"):
        assert track(3) == [0, 1, 2]
    assert caplog.messages[1].startswith("scoring: 1 of 3")
    assert caplog.messages[-1] == "scoring: 3 of 3, 0:00:00 left"
    assert capsys.readouterr().out == ""


def test_progress_is_logged_only_now_and_then(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", logger="model_build"):
        track(1000)
    assert caplog.messages == []


def test_a_terminal_shows_a_bar_instead_of_log_lines(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(terminal, "LOG_SECONDS", 0)
    with caplog.at_level("INFO", logger="model_build"):
        track(3)
    assert caplog.messages == []
    assert "3/3" in capsys.readouterr().err
