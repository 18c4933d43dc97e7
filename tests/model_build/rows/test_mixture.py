"""A source's label is worth what reading some of its rows has shown."""

from __future__ import annotations

import pytest

pytest.importorskip("pandas", reason="the pipeline needs the 'build' dependencies")

import pandas as pd

from model_build.rows.dataset import Settings, training_rows
from model_build.rows.kinds import COLUMNS
from model_build.rows.mixture import WEAK, unread_targets, worth


def rows_of(source: str, stated: str, labels: list[int], split: str, *, read: bool) -> pd.DataFrame:
    texts = [
        f"{source} says {stated}, in {split}, number {n} of these" for n, _ in enumerate(labels)
    ]
    rows = pd.DataFrame({"text": texts, "label": labels, "strict": labels, "stated": stated})
    rows = rows.assign(source=source, split=split, read=read, lang="en", votes=1.0)
    rows[list(COLUMNS)] = float("nan")
    return rows.astype({"strict": "Int8"})


@pytest.fixture
def rows() -> pd.DataFrame:
    parts = [
        # Of twenty rows that this source calls toxic, ten are; of twenty others, none is.
        rows_of("strict", "1", [1] * 10 + [0] * 10, "validation", read=True),
        rows_of("strict", "0", [0] * 20, "validation", read=True),
        rows_of("strict", "1", [1] * 30, "train", read=False),
        rows_of("strict", "0", [0] * 30, "train", read=False),
        rows_of("strict", "1", [0] * 5, "train", read=True),
        # Nobody has read a row of this one.
        rows_of("unread", "1", [1] * 10, "train", read=False),
        rows_of("unread", "0", [0] * 10, "train", read=False),
        rows_of("unread", WEAK, [1] * 10, "train", read=False),
    ]
    return pd.concat(parts, ignore_index=True)


def test_a_label_is_worth_the_share_that_was_found_toxic(rows: pd.DataFrame) -> None:
    shares = worth(rows)
    assert shares["strict", "1"] == pytest.approx((10 + 4) / (20 + 4))
    assert shares["strict", "0"] == 0
    assert ("unread", "1") not in shares


def test_where_nothing_was_read_a_label_is_believed_unless_it_is_weak(rows: pd.DataFrame) -> None:
    unread = rows[rows["source"] == "unread"]
    targets = unread_targets(unread, worth(rows)).groupby(unread["stated"]).agg(["min", "max"])
    assert list(targets.loc["0"]) == [0, 0]
    assert list(targets.loc["1"]) == [1, 1]
    assert targets.loc[WEAK].isna().all()


def test_rows_whose_label_tells_little_are_left_out_unless_they_were_read(
    rows: pd.DataFrame,
) -> None:
    settings = Settings(("folder",), obfuscated_fraction=0, templates=0, written=False)
    chosen = training_rows(rows, settings)
    strict = chosen[chosen["source"] == "strict"]
    assert strict["read"].sum() == 5
    assert (strict.loc[strict["read"], "target"] == 0).all()
    assert (strict.loc[~strict["read"], "target"] == 0).all()
    assert len(strict) == 35
    assert len(chosen[chosen["source"] == "unread"]) == 20


def test_sources_that_bar_commercial_use_are_never_trained_on(rows: pd.DataFrame) -> None:
    barred = rows_of("de_rpmod", "1", [1] * 9, "train", read=False)
    settings = Settings(("folder",), obfuscated_fraction=0, templates=0, written=False)
    chosen = training_rows(pd.concat([rows, barred], ignore_index=True), settings)
    assert "de_rpmod" not in set(chosen["source"])
