from __future__ import annotations

import json
from pathlib import Path

import pytest

from model_build.rows.dataset import Settings, training_rows
from model_build.rows.reading import DataError, read

ROW = {"text": "that was a joke among friends", "label": 0, "source": "feedback", "split": "train"}


def folder(path: Path, *rows: dict[str, object]) -> Path:
    (path / "feedback.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return path


def test_exported_votes_are_training_rows_that_weigh_as_much_as_their_lead(tmp_path: Path) -> None:
    other = ROW | {"text": "nobody will miss you", "label": 1, "weight": 1, "kinds": "putdown"}
    rows = read([folder(tmp_path, ROW | {"weight": 3}, other)])
    settings = Settings(sources=(str(tmp_path),), templates=0)
    chosen = training_rows(rows, settings)
    mine = chosen[chosen["source"] == "feedback"].set_index("text")
    assert mine.loc["that was a joke among friends", "weight"] == 3 * mine["weight"].min()
    assert mine.loc["nobody will miss you", "target"] == 1.0


@pytest.mark.parametrize("weight", [0, -1, "many"])
def test_a_weight_that_is_none_is_named(tmp_path: Path, weight: object) -> None:
    with pytest.raises(DataError, match="weight"):
        read([folder(tmp_path, ROW | {"weight": weight})])
