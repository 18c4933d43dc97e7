"""The messages of some written files count more often, beside a sample of all other rows."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pandas", reason="the pipeline needs the 'build' dependencies")

import pandas as pd

from model_build.__main__ import main
from model_build.graph.kinds_head import training_file
from model_build.rows import dataset, reading
from model_build.rows.emphasis import parse
from model_build.rows.reading import DataError
from model_build.work import Work


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of other people's rows, beside two files of written messages."""
    written, data = tmp_path / "written", tmp_path / "data"
    for file, text in (
        (written / "doors.jsonl", "mind the green door, number"),
        (written / "rooms.jsonl", "the room upstairs is free, number"),
        (data / "forum.jsonl", "what they said in the forum, number"),
    ):
        file.parent.mkdir(exist_ok=True)
        texts = [f"{text} {number}" for number in range(20)]
        rows = pd.DataFrame({"text": texts, "label": [0, 1] * 10, "split": "train"})
        rows.to_json(file, orient="records", lines=True)
    for module in (dataset, reading):
        monkeypatch.setattr(module, "WRITTEN", written)
    return data


def rows_of(folder: Path, others: int | None = None, **emphasis: int) -> pd.Series[int]:
    """Return how often each text is in the training rows."""
    work = Work(folder.parent / "work")
    settings = dataset.Settings(
        (str(folder),), obfuscated_fraction=0, templates=0, emphasis=emphasis, others=others
    )
    dataset.run(work, settings)
    return pd.read_parquet(work.require("data", "train.parquet"))["text"].value_counts()


def test_the_messages_of_a_file_count_as_often_as_asked_and_the_others_once(folder: Path) -> None:
    counts = rows_of(folder, doors=3)
    assert len(counts) == 60
    assert (counts[counts.index.str.contains("door")] == 3).all()
    assert (counts[~counts.index.str.contains("door")] == 1).all()


def test_the_others_are_a_sample_of_the_size_asked_for(folder: Path) -> None:
    counts = rows_of(folder, doors=2, rooms=1, others=16)
    assert counts.index.str.contains("door|room").sum() == 40
    assert counts.index.str.contains("forum").sum() == 16


def test_english_gets_half_of_the_sample_where_there_are_other_languages(folder: Path) -> None:
    texts = [f"das war die Nummer {number}" for number in range(50)]
    german = pd.DataFrame({"text": texts, "label": 0, "split": "train", "lang": "de"})
    german.to_csv(folder / "german.csv", index=False)
    counts = rows_of(folder, doors=1, rooms=1, others=16)
    assert counts.index.str.contains("forum").sum() == 8
    assert counts.index.str.contains("Nummer").sum() == 8


def test_the_kinds_are_learned_from_all_rows_all_the_same(folder: Path) -> None:
    counts = rows_of(folder, doors=3, others=4)
    work = Work(folder.parent / "work")
    everything = pd.read_parquet(training_file(work))["text"]
    assert len(counts) < everything.nunique() == 60
    rows_of(folder)
    assert training_file(work).name == "train.parquet"


def test_a_file_that_does_not_exist_is_an_error_that_says_where_to_look(folder: Path) -> None:
    with pytest.raises(DataError, match=r"named windows\.jsonl: see model_build/rows/written"):
        rows_of(folder, windows=2)


@pytest.mark.parametrize("text", ["doors", "doors=", "=2", "doors=0", "doors=many", "doors=-1"])
def test_an_emphasis_that_is_no_number_is_an_error_that_shows_one(text: str) -> None:
    with pytest.raises(DataError, match="objections=3"):
        parse([text])


@pytest.mark.parametrize("options", [["--others", "9"], ["--others=-1", "--emphasis", "doors=2"]])
def test_how_many_others_means_nothing_alone_or_below_none(
    folder: Path, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    work = str(folder.parent / "work")
    assert main(["data", "--data", str(folder), "--work", work, *options]) == 1
    assert "needs --emphasis NAME=TIMES" in capsys.readouterr().err
