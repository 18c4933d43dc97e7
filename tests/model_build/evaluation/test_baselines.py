"""Baselines score the same texts only once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("rich", reason="the pipeline needs the 'build' dependencies")

import numpy as np
from numpy.typing import NDArray

from model_build.evaluation import baselines


def test_a_baseline_scores_the_same_texts_only_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Sequence[str]] = []

    def score(texts: Sequence[str]) -> NDArray[np.float64]:
        calls.append(texts)
        return np.array([float("idiot" in text) for text in texts])

    # Named after an installed package, because its version is part of the cache key.
    monkeypatch.setattr(baselines, "installed_baselines", lambda: {"numpy": score})
    for _ in range(2):
        scores = baselines.baseline_scores(["you idiot", "thanks"], tmp_path)
        assert list(scores["numpy"]) == [1, 0]
    assert len(calls) == 1
    baselines.baseline_scores(["thanks"], tmp_path)
    assert len(calls) == 2
