"""What the card of a model shows of its scores."""

from __future__ import annotations

import pytest

pytest.importorskip("pandas", reason="the pipeline needs the 'build' dependencies")

import numpy as np
import pandas as pd

from model_build.package.card import _score_bars
from model_build.package.folder import toxic_by_score


def test_a_bar_is_as_full_as_the_rows_of_its_scores_are_toxic() -> None:
    card = _score_bars(
        [{"from": 0.0, "rows": 1200, "toxic": 36}, {"from": 0.9, "rows": 40, "toxic": 39}]
    )
    lines = card.splitlines()
    assert lines[2] == "| 0.0 to 0.1 | 1,200 | 3% | `█░░░░░░░░░░░░░░░░░░░` |"
    assert lines[3].startswith("| 0.9 to 1.0 | 40 | 98% | `████████████████████` |")


def test_only_rows_that_were_read_tell_what_a_score_means() -> None:
    rows = pd.DataFrame({"read": [True, True, True, False], "strict": [1, 0, 1, 0]})
    assert toxic_by_score(rows, np.array([1.0, 0.95, 0.05, 0.5])) == [
        {"from": 0.0, "rows": 1, "toxic": 1},
        {"from": 0.9, "rows": 2, "toxic": 1},
    ]


def test_without_rows_that_were_read_the_card_says_so() -> None:
    assert "no test rows" in _score_bars([])
