"""Peers judge the same texts once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("rich", reason="the pipeline needs the 'build' dependencies")

import numpy as np
from numpy.typing import NDArray

from model_build.evaluation import baselines as peer


def test_a_peer_judges_the_same_texts_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Sequence[str]] = []

    def judge(texts: Sequence[str]) -> NDArray[np.float64]:
        asked.append(texts)
        return np.array([float("idiot" in text) for text in texts])

    # Stands for a package that is installed here; the peers are not.
    monkeypatch.setattr(peer, "peers", lambda: {"numpy": judge})
    for _ in range(2):
        found = peer.scores_of_peers(["you idiot", "thanks"], tmp_path)
        assert list(found["numpy"]) == [1, 0]
    assert len(asked) == 1
    peer.scores_of_peers(["thanks"], tmp_path)
    assert len(asked) == 2
