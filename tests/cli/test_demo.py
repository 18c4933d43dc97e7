"""The demo's table fits the terminal."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from simulators import ROOT
from simulators.demo import WIDTH_WITH_KINDS, Row, verdict_table
from simulators.samples import SAMPLES


def rows(verdict: str | None = None) -> list[Row]:
    return [
        Row(
            sample,
            verdict or str(sample.expected),
            ("threat",) if sample.kind else ("identity", "obscene"),
            0.987,
            2850.0 * (n == 0) + 9,
            1,
        )
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
    kinds = ["kinds"] if width >= WIDTH_WITH_KINDS else []
    assert header == ["message", "verdict", *kinds, "score", "ms", "sent", "answers"]
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


def test_a_verdict_without_the_expected_kind_is_not_as_expected() -> None:
    [sample, *_] = [one for one in SAMPLES if one.kind == "threat"]
    named = Row(sample, "toxic", ("threat", "insult"), 0.987, 9.0, 1)
    unnamed = Row(sample, "toxic", ("insult",), 0.987, 9.0, 1)
    assert named.as_expected
    assert not unnamed.as_expected
    console = Console(file=io.StringIO(), width=80)
    console.print(verdict_table([unnamed], 80))
    assert "(no threat)" in console.file.getvalue()  # type: ignore[attr-defined] # a StringIO


def test_the_demo_ends_with_messages_that_are_toxic() -> None:
    assert sum(sample.expected == "toxic" for sample in SAMPLES[-4:]) >= 3


def test_the_guide_says_how_many_messages_the_demo_has() -> None:
    guide = (ROOT / "docs/local.md").read_text("utf-8")
    assert len(SAMPLES) == 18
    assert "reacts to eighteen sample messages" in guide
