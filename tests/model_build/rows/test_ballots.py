from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from model_build.__main__ import main
from model_build.evaluation.approval import approvals
from model_build.rows.ballots import CONFLICTS, CONTRADICTED, EVEN, HELD_OUT
from model_build.rows.dataset import Settings, run
from model_build.work import Work

ROW = {"source": "feedback", "split": "train", "verdict": "toxic", "judged_kinds": "insult"}
OTHERS = [
    {"text": "thanks for the review", "label": 0, "split": "train"},
    {"text": "you stupid clown", "label": 1, "split": "train"},
    {"text": "see you at lunch", "label": 0, "split": "test"},
]


def ballot(text: str, label: int, weight: int = 1) -> dict[str, Any]:
    return ROW | {"text": text, "label": label, "weight": weight}


def rows_of(tmp_path: Path, *ballots: dict[str, Any]) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return the training rows that votes become, and why others do not."""
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "talk.jsonl").write_text("\n".join(map(json.dumps, OTHERS)), "utf-8")
    file = tmp_path / "feedback.jsonl"
    file.write_text("\n".join(map(json.dumps, ballots)), "utf-8")
    settings = Settings(
        (str(texts),), obfuscated_fraction=0, templates=0, written=False, feedback=(str(file),)
    )
    folder = run(Work(tmp_path / "work"), settings)
    lines = (folder / CONFLICTS).read_text("utf-8").splitlines()
    reasons = {row["text"]: row["reason"] for row in map(json.loads, lines)}
    train = pd.read_parquet(folder / "train.parquet")
    return train[train["source"] == "feedback"].set_index("text"), reasons


def test_votes_become_training_rows_and_conflicts_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, reasons = rows_of(
        tmp_path,
        ballot("what a muppet", 0, 3),
        ballot("nobody will miss you", 1),
        ballot("you stupid clown", 0),
        ballot("See you at lunch", 1),
        ballot("who asked you", 1, 2),
        ballot("who asked you", 0, 2),
    )
    assert dict(rows["target"]) == {"what a muppet": 0.0, "nobody will miss you": 1.0}
    assert reasons == {
        "you stupid clown": CONTRADICTED,
        "See you at lunch": HELD_OUT,
        "who asked you": EVEN,
    }
    shown = capsys.readouterr().out
    assert all(f"left out: {reason}" in shown for reason in reasons.values())
    assert "clown" not in shown


def test_votes_on_the_same_text_are_added_up(tmp_path: Path) -> None:
    rows, reasons = rows_of(
        tmp_path,
        ballot("what a muppet", 0, 3),
        ballot("What a  muppet", 1),
        ballot("what a muppet", 0, 2),
        ballot("nobody will miss you", 1),
    )
    assert reasons == {}
    assert rows.loc["what a muppet", "weight"] == 4 * rows["weight"].min()
    assert rows.loc["what a muppet", "target"] == 0


def test_approval_is_weighted_and_told_by_earlier_verdict_and_kind() -> None:
    votes = pd.DataFrame(
        [
            ballot("a", 0, 3),
            ballot("b", 1, 1),
            ballot("c", 1, 2) | {"verdict": "fine", "judged_kinds": None},
        ]
    )
    result = approvals(votes, [False, True, False])
    assert result["all"].votes == 6
    assert result["all"].before == pytest.approx(1 / 6)
    assert result["all"].now == pytest.approx(4 / 6)
    assert (result["called wrong"].texts, result["called wrong"].before) == (2, 0)
    assert result["called right"].now == 1
    assert result["kind: insult"].now == 1
    assert result["kind: none"].now == 0


def test_a_file_of_other_texts_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps({"text": "hello", "label": 0}), "utf-8")
    arguments = ["evaluate", "--feedback", str(file), "--work", str(tmp_path / "work")]
    assert main(arguments) == 1
    assert "toxic-bot feedback export" in capsys.readouterr().err
