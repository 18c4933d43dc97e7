"""Which weights of a training are the best."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the pipeline needs the 'build' dependencies")

import numpy as np
import pandas as pd

from model_build.rows.kinds import COLUMNS, KINDS
from model_build.training import checkpoint as checkpoints
from model_build.training.checkpoint import LABELS, Checkpoint
from model_build.training.rating import Rating, kinds_precision

THREAT = len(LABELS) + KINDS.index("threat")


def test_votes_tip_the_scales_between_weights_but_cost_little_of_the_held_out_rows() -> None:
    assert Rating(0.95, approval=0.9).score > Rating(0.95, approval=0.1).score
    assert Rating(0.95, approval=1.0).score > Rating(0.96, approval=0.0).score
    assert Rating(0.95, approval=1.0).score < Rating(0.98, approval=0.0).score


def test_better_kinds_tip_the_scales_between_weights_but_not_against_better_verdicts() -> None:
    assert Rating(0.95, kinds=0.9).score > Rating(0.951, kinds=0.8).score
    assert Rating(0.95, kinds=0.9).score < Rating(0.97, kinds=0.8).score


@pytest.fixture(scope="module")
def checkpoint(tiny_bert: Path) -> Checkpoint:
    """Return a model with outputs for the kinds."""
    return checkpoints.load(str(tiny_bert), fresh_head=True, kinds=KINDS)


def _rows(count: int, *, read: bool) -> pd.DataFrame:
    """Return toxic rows, of which every other one threatens."""
    rows = pd.DataFrame({"strict": [1] * count, "read": read})
    rows = rows.assign(**dict.fromkeys(COLUMNS, 0.0))
    rows.loc[::2, "kind_threat"] = 1.0
    return rows


def _logits(rows: pd.DataFrame, right: pd.Series) -> np.ndarray:
    """Return logits that rank threats first among some rows, and last among the others."""
    logits = np.zeros((len(rows), len(LABELS) + len(KINDS)), np.float32)
    logits[:, THREAT] = np.where(rows["kind_threat"] == right.astype(float), 1, -1)
    return logits


def test_kinds_are_rated_by_the_rows_that_were_read(checkpoint: Checkpoint) -> None:
    rows = pd.concat([_rows(400, read=True), _rows(4000, read=False)], ignore_index=True)
    assert kinds_precision(checkpoint, rows, _logits(rows, rows["read"])) == 1
    assert kinds_precision(checkpoint, rows, _logits(rows, ~rows["read"])) == pytest.approx(0.5)


def test_kinds_are_rated_by_all_rows_where_few_were_read(checkpoint: Checkpoint) -> None:
    rows = pd.concat([_rows(40, read=True), _rows(4000, read=False)], ignore_index=True)
    assert kinds_precision(checkpoint, rows, _logits(rows, ~rows["read"])) > 0.95


def test_rows_whose_kinds_nobody_knows_do_not_rate(checkpoint: Checkpoint) -> None:
    unknown = _rows(400, read=True).assign(**dict.fromkeys(COLUMNS, np.nan))
    logits = np.zeros((400, len(LABELS) + len(KINDS)), np.float32)
    assert kinds_precision(checkpoint, unknown, logits) == 0
