"""What training makes small."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the pipeline needs the 'build' dependencies")

import numpy as np
import pandas as pd
import torch

from model_build.rows.kinds import COLUMNS, KINDS
from model_build.training import checkpoint as checkpoints
from model_build.training.checkpoint import LABELS, Checkpoint
from model_build.training.data_parallel import Share
from model_build.training.objective import Objective, SoftTargets

TOXIC, BENIGN, UNKNOWN = ROWS = [0, 1, 2]


@pytest.fixture(scope="module")
def checkpoint(tiny_bert: Path) -> Checkpoint:
    """Return a model with outputs for the kinds."""
    return checkpoints.load(str(tiny_bert), fresh_head=True, kinds=KINDS)


def _pulls(checkpoint: Checkpoint, kinds_weight: float) -> torch.Tensor:
    """Return how strongly the loss pulls at each row's output for threats."""
    rows = pd.DataFrame({"target": [1.0, 0.0, 1.0], "weight": 1.0})
    rows = rows.assign(**dict.fromkeys(COLUMNS, np.array([0.0, 0.0, np.nan])))
    logits = torch.zeros((3, len(LABELS) + len(KINDS)), requires_grad=True)
    objective = Objective(checkpoint, rows, 0.0, None, kinds_weight)
    loss = objective.loss(logits, Share(ROWS, 1.0), ROWS)
    (pulls,) = torch.autograd.grad(loss, logits)
    return pulls[:, len(LABELS) + KINDS.index("threat")].abs()


def test_kinds_are_learned_from_toxic_rows_above_all(checkpoint: Checkpoint) -> None:
    pulls = _pulls(checkpoint, kinds_weight=1.0)
    assert float(pulls[TOXIC]) == pytest.approx(10 * float(pulls[BENIGN]))
    assert float(pulls[BENIGN]) > 0
    assert float(pulls[UNKNOWN]) == 0


def test_kinds_pull_as_strongly_as_they_weigh(checkpoint: Checkpoint) -> None:
    once, thrice = (_pulls(checkpoint, weight) for weight in (0.5, 1.5))
    torch.testing.assert_close(thrice, 3 * once)


def test_kinds_that_no_row_tells_are_learned_from_the_teachers(checkpoint: Checkpoint) -> None:
    rows = pd.DataFrame({"target": [1.0, 0.0, 0.5, 0.5], "weight": [1.0, 1.0, 0.0, 0.0]})
    rows = rows.assign(**dict.fromkeys(COLUMNS, np.array([0.0, 0.0, np.nan, np.nan])))
    probabilities, taught = np.array([0.9, 0.1, 0.9, 0.1], np.float32), np.float32(0.8)
    targets = SoftTargets(
        probabilities,
        np.full(4, 0.5, np.float32),
        2.0,
        kinds=np.full((4, len(KINDS)), taught),
    )
    logits = torch.zeros((4, len(LABELS) + len(KINDS)), requires_grad=True)
    objective = Objective(checkpoint, rows, 0.0, targets, 1.0)
    loss = objective.loss(logits, Share([0, 1, 2, 3], 1.0), [0, 1, 2, 3])
    (pulls,) = torch.autograd.grad(loss, logits)
    label_half, benign, unknown_toxic, unknown_benign = pulls[:, len(LABELS)].tolist()
    # Toward the mean of label and teacher, 0.4, where the row tells the kinds, and else toward 0.8.
    assert label_half > 0
    assert unknown_toxic == pytest.approx(-3 * label_half)
    assert benign == pytest.approx(label_half / 10)
    assert unknown_benign == pytest.approx(unknown_toxic / 10)


def test_log_odds_hold_a_student_where_probabilities_hardly_differ() -> None:
    sure, surer = torch.tensor([6.0]), torch.tensor([8.0], requires_grad=True)
    taught = torch.sigmoid(sure / 2).numpy()
    pulls = {}
    for as_log_odds in (False, True):
        targets = SoftTargets(taught, np.ones(1, np.float32), 2.0, as_log_odds)
        (pulls[as_log_odds],) = torch.autograd.grad(targets.loss(surer, [0]).sum(), surer)
    assert 0 < float(pulls[False]) < 0.1
    assert float(pulls[True]) == pytest.approx(1)
