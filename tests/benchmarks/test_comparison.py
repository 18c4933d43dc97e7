"""Two commits are measured in turns."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from benchmarks.__main__ import main, parser
from benchmarks.comparison import Compared, compare, comparison_table
from simulators import ROOT
from toxic_bot.judge.errors import ToxicBotError


def git(*arguments: str) -> str:
    return subprocess.check_output(["git", "-C", ROOT, *arguments], text=True)


@pytest.fixture
def commit() -> str:
    try:
        return git("rev-parse", "--short", "HEAD").strip()
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("there is no commit to compare with: the tests run outside a Git clone")


@pytest.mark.slow
def test_both_are_measured_in_turns_after_a_round_that_does_not_count(commit: str) -> None:
    measured: list[Path] = []

    def measure(tree: Path, cold: int, warm: int) -> dict[str, float]:
        measured.append(tree)
        assert (tree / "handler" / "worker.py").is_file()
        counts = (cold, warm) == (3, 5)
        assert counts == (len(measured) > 2)
        return {"cold": float(len(measured)), **({} if tree == ROOT else {"gone": 1.0})}

    [cold] = compare(commit, rounds=3, cold=3, warm=5, measure=measure)
    before = measured[0]
    assert before != ROOT
    assert measured == [before, ROOT, before, ROOT, ROOT, before, before, ROOT]
    assert (cold.before, cold.here) == ((3, 6, 7), (4, 5, 8))
    assert not before.exists()
    assert str(before) not in git("worktree", "list")


def test_the_ratio_is_that_of_each_round_and_not_of_a_machine_that_drifts() -> None:
    one = Compared("cold", (100, 200, 400), (90, 180, 360))
    assert one.ratios == (0.9, 0.9, 0.9)
    table = comparison_table("abc1234", [one])
    row = [cell for column in table.columns for cell in column.cells]
    assert row == ["cold", "200.0", "180.0", "0.900", "0.900 to 0.900"]


@pytest.mark.usefixtures("commit")
def test_a_commit_that_does_not_exist_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["answer", "--against", "no-such-commit"]) == 1
    assert re.fullmatch(r"error: git worktree failed: .*no-such-commit\n", capsys.readouterr().err)


@pytest.mark.slow
def test_a_failed_measurement_leaves_no_tree_behind(commit: str) -> None:
    trees: list[Path] = []

    def measure(tree: Path, *_: int) -> dict[str, float]:
        trees.append(tree)
        raise ToxicBotError("no")

    with pytest.raises(ToxicBotError):
        compare(commit, rounds=1, cold=2, warm=2, measure=measure)
    assert not trees[0].exists()


def test_a_comparison_has_rounds() -> None:
    options = parser().parse_args(["answer", "--against", "abc1234"])
    assert (options.against, options.rounds) == ("abc1234", 5)


@pytest.mark.long
@pytest.mark.slow
def test_a_commit_is_as_fast_as_itself(commit: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["answer", "--against", commit, "--rounds", "1", "--cold", "2", "--warm", "2"]
    assert main(arguments) == 0
    assert commit in capsys.readouterr().out
