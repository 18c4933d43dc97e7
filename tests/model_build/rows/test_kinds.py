"""The kinds that a row shows are known of what was read, written or stated, and else unknown."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

pytest.importorskip("pandas", reason="the pipeline needs the 'build' dependencies")

import pandas as pd

from model_build.rows import dataset
from model_build.rows.kinds import COLUMNS, KINDS, complete
from model_build.rows.reading import WRITTEN_SOURCE, read
from model_build.work import Work


@pytest.fixture
def rows(tmp_path: Path) -> pd.DataFrame:
    texts = {
        "you should find another trade": (1, "insult,sarcasm"),
        "what a mess you made of it": (1, None),
        "what a mess the garden is": (0, "insult"),
    }
    frame = pd.DataFrame(
        {"text": list(texts), "label": [v[0] for v in texts.values()]}
        | {"kinds": [v[1] for v in texts.values()], "split": "train"}
    )
    frame.to_csv(tmp_path / "stated.csv", index=False)
    return read([tmp_path]).set_index("text")


def test_a_toxic_row_shows_what_its_file_states_and_nothing_else(rows: pd.DataFrame) -> None:
    shown = rows.loc["you should find another trade", list(COLUMNS)]
    assert list(shown) == list(complete(["insult", "putdown"]).values())


def test_of_a_toxic_row_that_states_nothing_no_kind_is_known(rows: pd.DataFrame) -> None:
    assert all(map(math.isnan, rows.loc["what a mess you made of it", list(COLUMNS)]))


def test_a_row_that_is_not_toxic_shows_no_kind(rows: pd.DataFrame) -> None:
    assert not rows.loc["what a mess the garden is", list(COLUMNS)].any()


def test_a_copy_of_a_message_of_the_projects_own_does_not_hide_its_kinds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, copies = tmp_path / "own", tmp_path / "copies"
    texts = {"you should find another trade": 1, "what a mess the garden is": 0}
    rows = pd.DataFrame({"text": list(texts), "label": list(texts.values()), "split": "train"})
    for folder, shown in ((own, rows.assign(kinds=[["putdown"], []])), (copies, rows)):
        folder.mkdir()
        shown.to_json(folder / f"{WRITTEN_SOURCE}.jsonl", orient="records", lines=True)
    monkeypatch.setattr(dataset, "WRITTEN", own)
    work = Work(tmp_path / "work")
    dataset.run(work, dataset.Settings((str(copies),), obfuscated_fraction=0, templates=0))
    train = pd.read_parquet(work.require("data", "train.parquet"))
    assert (train["kind_putdown"] == train["label"]).all()


def test_other_names_of_a_kind_mean_the_same() -> None:
    assert complete(["exclusion", "profanity", "frustration"]) == dict.fromkeys(KINDS, 0.0) | {
        "putdown": 1.0,
        "obscene": 1.0,
    }
