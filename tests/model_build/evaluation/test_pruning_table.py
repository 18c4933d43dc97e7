"""The table compares every share with the whole model, and makes no graph twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the pipeline needs the 'build' dependencies")

from model_build.evaluation import latency, pruning_table
from model_build.work import StepError, Work
from tests.model_build.tiny import TINY_BERT

BRIEF = latency.Settings(tokens=(12,), threads=(1,), rounds=1, seconds=0.01)


@pytest.mark.slow
@pytest.mark.long
def test_each_share_has_a_row_with_time_size_and_quality(
    built: tuple[Work, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    (tmp_path / "data").symlink_to(built[0].step("data").resolve(), target_is_directory=True)
    work, source = Work(tmp_path), str(built[1])
    settings = pruning_table.Settings((0.5,), rows=60, tuned_steps=2, tuned_shares=(0.5,))
    folder = pruning_table.run(work, TINY_BERT, settings, BRIEF, checkpoint=source)
    rows = json.loads((folder / "table.json").read_text())["rows"]
    assert list(rows) == ["nothing", "heads 50%", "neurons 50%", "heads 50%, neurons 50%"]
    assert rows["nothing"]["shapes"]["12 tokens, batch 1, 1 threads"]["ratio"] == 1
    assert all(0 <= row["AUC"] <= 1 and 0 <= row["macro-F1"] <= 1 for row in rows.values())
    assert [name for name, row in rows.items() if "tuned" in row] == ["heads 50%, neurons 50%"]
    sizes = [(folder / name / "quantize/model.onnx").stat().st_size for name in _folders(folder)]
    assert min(sizes) < max(sizes)
    assert "not run" in capsys.readouterr().out
    with caplog.at_level("INFO"):
        pruning_table.run(work, TINY_BERT, settings, BRIEF, checkpoint=source)
    assert "finished" not in caplog.text


def _folders(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.is_dir()]


def test_the_table_asks_for_rows(tmp_path: Path) -> None:
    with pytest.raises(StepError, match="model_build data"):
        pruning_table.run(Work(tmp_path), TINY_BERT, pruning_table.Settings(), BRIEF)
