"""Rows that were read tell, in each language, how a model folder judges."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pandas", reason="the pipeline needs the 'build' dependencies")

import pandas as pd

from model_build.evaluation import read_rows
from model_build.evaluation.scores import judge_texts
from model_build.rows import read_labels
from model_build.rows.read_labels import text_hash
from model_build.rows.reading import DataError
from toxic_bot.judge.config import EMBEDDED_MODEL, MULTILINGUAL_FOLDER
from toxic_bot.judge.verdict import Verdict

ROWS = (
    ("du bist so ein dummes Arschloch", 1, "de"),
    ("danke für die schnelle Hilfe", 0, "de"),
    ("eres un idiota inútil", 1, "es"),
    ("gracias por la ayuda", 0, "es"),
    ("merci beaucoup", 0, "fr"),
)


@pytest.mark.slow
def test_the_figures_stand_by_language_where_a_language_has_both_labels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = pd.DataFrame(ROWS, columns=["text", "label", "lang"]).assign(split="test")
    frame.to_csv(tmp_path / "public.csv", index=False)
    lines = [f"{text_hash(text)},{label},{'insult' * label},1" for text, label, _ in ROWS]
    labels = tmp_path / "labels.txt"
    labels.write_text("text,label,kinds,readings\n" + "\n".join(lines) + "\n")
    monkeypatch.setattr(read_labels, "LABELS", labels)
    model = EMBEDDED_MODEL / MULTILINGUAL_FOLDER
    read_rows.run(model, [tmp_path], "test")
    shown = [line.split() for line in capsys.readouterr().out.splitlines() if "│" in line]
    table = {cells[1]: cells[3::2] for cells in shown}
    assert table["de"] == table["es"] == ["2", "1", "1.000", "1.000", "100.0%", "0.0%"]
    assert table["all"][:2] == ["5", "2"]
    assert "fr" not in table


@pytest.mark.parametrize("folder", [EMBEDDED_MODEL, EMBEDDED_MODEL / MULTILINGUAL_FOLDER])
def test_letters_keep_their_marks_where_a_model_reads_them(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [("du bist so dämlich", 1, "de"), ("schöne Grüße", 0, "de")]
    pd.DataFrame(rows, columns=["text", "label", "lang"]).assign(split="test").to_csv(
        tmp_path / "public.csv", index=False
    )
    labels = tmp_path / "labels.txt"
    lines = [f"{text_hash(text)},{label},,1" for text, label, _ in rows]
    labels.write_text("text,label,kinds,readings\n" + "\n".join(lines) + "\n")
    monkeypatch.setattr(read_labels, "LABELS", labels)
    judged: list[str] = []

    def judge(model: Path, texts: list[str], languages: list[str]) -> list[Verdict]:
        judged.extend(texts)
        return judge_texts(model, texts, languages)

    monkeypatch.setattr(read_rows, "judge_texts", judge)
    read_rows.run(folder, [tmp_path], "test")
    assert set(judged) == {text for text, _, _ in rows}


def test_without_rows_that_were_read_the_public_data_sets_are_asked_for(tmp_path: Path) -> None:
    frame = pd.DataFrame({"text": ["a new text", "another"], "label": [1, 0], "split": "test"})
    frame.to_csv(tmp_path / "public.csv", index=False)
    with pytest.raises(DataError, match="give the public data sets"):
        read_rows.run(EMBEDDED_MODEL, [tmp_path], "test")
