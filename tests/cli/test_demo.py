"""The demo's table fits the terminal."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from simulators import ROOT
from simulators.demo import Row, verdict_table
from simulators.samples import SAMPLES


def rows(verdict: str | None = None) -> list[Row]:
    return [
        Row(sample, verdict or str(sample.expected), 0.987, 2850.0 * (n == 0) + 9, 1)
        for n, sample in enumerate(SAMPLES)
    ]


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
@pytest.mark.parametrize("verdict", [None, "fine"])
def test_the_table_fits_the_terminal_with_all_its_columns(width: int, verdict: str | None) -> None:
    console = Console(file=io.StringIO(), width=width)
    console.print(verdict_table(rows(verdict), width))
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined] # a StringIO
    assert all(len(line) <= width for line in lines)
    [header] = [line.split() for line in lines if "verdict" in line]
    assert header == ["message", "verdict", "score", "ms", "sent", "answers"]
    # Nothing is cut off: an ellipsis appears only in the middle of a message.
    assert not any("…" in cell for line in lines for cell in line.split() if len(cell) > 1)
    body = [line for line in lines if "0.987" in line]
    assert len(body) == len(SAMPLES)


def test_the_table_shows_emoji_as_such_and_says_what_it_counts() -> None:
    console = Console(file=io.StringIO(), width=120)
    console.print(verdict_table(rows(), 120))
    table = console.file.getvalue()  # type: ignore[attr-defined] # a StringIO
    assert "🎉" in table
    assert "tada" not in table
    assert "how often Slack delivered the reaction" in table


def test_the_demo_ends_with_messages_that_are_toxic() -> None:
    assert sum(sample.expected == "toxic" for sample in SAMPLES[-4:]) >= 3


def test_the_guide_says_how_many_messages_the_demo_has() -> None:
    guide = (ROOT / "docs/local.md").read_text("utf-8")
    assert len(SAMPLES) == 17
    assert "reacts to seventeen sample messages" in guide
