"""Labels made by reading replace those of the sources, and hold nobody's text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("pandas", reason="the pipeline needs the 'build' dependencies")

import pandas as pd

from model_build.rows import read_labels
from model_build.rows.read_labels import LABELS, text_hash
from model_build.rows.reading import own_labels, read

TEXT = "Whoever wrote this should find another trade."
UNSURE = "ez"


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    labels = tmp_path / "labels.csv"
    lines = [f"{text_hash(TEXT)},1,putdown,1", f"{text_hash(UNSURE)},?,,2"]
    labels.write_text("text,label,kinds,readings\n" + "\n".join(lines) + "\n")
    monkeypatch.setattr(read_labels, "LABELS", labels)
    folder = tmp_path / "texts"
    folder.mkdir()
    texts = [TEXT.upper().replace(" ", "  "), UNSURE, "Thank you so much for the quick review."]
    frame = pd.DataFrame({"text": texts, "label": 0, "split": "train"})
    frame.to_csv(folder / "public.csv", index=False)
    return folder


def test_a_label_that_was_read_replaces_the_sources_whatever_the_case_and_spacing(
    rows: Path,
) -> None:
    found = read([rows]).set_index("read")
    assert found.loc[True, "label"] == 1
    assert found.loc[True, "strict"] == 1
    assert found.loc[True, "kind_putdown"] == 1
    assert found.loc[True, "kind_insult"] == 0
    assert found.loc[False, "label"] == 0


def test_what_readers_are_unsure_about_is_left_out(rows: Path) -> None:
    assert not read([rows])["text"].str.contains(UNSURE).any()


def test_the_labels_of_the_sources_can_be_kept(rows: Path) -> None:
    kept = read([rows], own_reading=False)
    assert len(kept) == 3
    assert (kept["label"] == 0).all()
    assert not kept["read"].any()


def test_the_file_holds_hashes_labels_and_kinds_and_no_text() -> None:
    header, *lines = LABELS.read_text("utf-8").splitlines()
    assert header == "text,label,kinds,readings"
    assert len(lines) > 21_000
    assert len({line.partition(",")[0] for line in lines}) == len(lines)
    kinds = r"(?:threat|sexual|identity|insult|obscene|putdown)"
    shape = re.compile(rf"[0-9a-f]{{16}},(?:1,(?:{kinds}(?:\+{kinds})*)?|[0?],),[12]")
    assert not [line for line in lines if not shape.fullmatch(line)]


@pytest.mark.parametrize(("rows_read", "rows_used"), [(9, 40), (10, 20)])
def test_a_handful_of_rows_that_were_read_does_not_stand_for_all(
    rows_read: int, rows_used: int
) -> None:
    rows = pd.DataFrame({"source": "talk", "strict": [0, 1] * 20, "read": False})
    rows.loc[: 2 * rows_read - 1, "read"] = True
    assert own_labels(rows).sum() == rows_used
