"""Rows without a label, which teachers give one."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pandas", reason="the pipeline needs the 'build' dependencies")

import pandas as pd

from model_build.rows import dataset
from model_build.work import Work


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with two languages, in which every fourth row is held out."""
    data = tmp_path / "data"
    data.mkdir()
    for lang, text in (("en", "what they said in the forum, number"), ("de", "das war Nummer")):
        rows = pd.DataFrame({"text": [f"{text} {number}" for number in range(80)]})
        rows["label"] = [0, 1] * 40
        rows["lang"] = lang
        rows["split"] = ["train", "train", "train", "test"] * 20
        rows.to_json(data / f"{lang}.jsonl", orient="records", lines=True)
    return data


def unlabeled(folder: Path, rows: int, most: int | None = 10) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the training rows, at most so many of each label and source, and the unlabeled."""
    work = Work(folder.parent / "work")
    settings = dataset.Settings(
        (str(folder),),
        obfuscated_fraction=0,
        templates=0,
        written=False,
        max_rows=most,
        unlabeled=rows,
        multilingual=True,
    )
    dataset.run(work, settings)
    train, rest = (
        pd.read_parquet(work.require("data", file)) for file in ("train.parquet", dataset.UNLABELED)
    )
    return train, rest


def test_they_are_neither_trained_on_nor_held_out(folder: Path) -> None:
    train, rest = unlabeled(folder, 1000)
    assert len(train) == 40
    assert len(rest) == 80
    assert set(rest["text"]).isdisjoint(train["text"])
    held_out = pd.read_parquet(folder.parent / "work/data/test.parquet")
    assert set(rest["text"]).isdisjoint(held_out["text"])


def test_their_labels_count_for_nothing(folder: Path) -> None:
    _, rest = unlabeled(folder, 1000)
    assert (rest["weight"] == 0).all()
    assert (rest["target"] == 0.5).all()
    assert rest["kind_insult"].isna().all()


def test_half_of_them_are_in_other_languages_if_there_are_as_many(folder: Path) -> None:
    _, rest = unlabeled(folder, 30)
    assert rest["lang"].value_counts().to_dict() == {"en": 15, "de": 15}
    _, rest = unlabeled(folder, 70)
    assert rest["lang"].value_counts().to_dict() == {"en": 35, "de": 35}


def test_rows_made_for_another_run_are_gone(folder: Path) -> None:
    unlabeled(folder, 30)
    work = Work(folder.parent / "work")
    dataset.run(work, dataset.Settings((str(folder),), templates=0, written=False))
    assert not (work.step("data") / dataset.UNLABELED).exists()
