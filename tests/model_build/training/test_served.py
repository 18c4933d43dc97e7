"""A served multilingual model can be trained further."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="the pipeline needs the 'build' dependencies")

from model_build.graph.runner import OnnxGraph
from model_build.training import checkpoint as checkpoints
from model_build.training import served
from model_build.training.loop import predict_logits
from model_build.training.mean_pooling import MeanPooledBert
from model_build.work import GRAPH
from toxic_bot.judge.config import EMBEDDED_MODEL

TEXTS = ("ich bringe dich um, du idiot", "guten morgen zusammen", "merci pour la revue", "cretino")


@pytest.mark.long
@pytest.mark.slow
def test_the_embedded_multilingual_model_is_restored_with_its_logits(tmp_path: Path) -> None:
    folder = EMBEDDED_MODEL / "multilingual"
    restored = served.restore(folder)
    assert isinstance(restored.model, MeanPooledBert)
    checkpoints.save(restored, tmp_path)
    restored = checkpoints.load(str(tmp_path), fresh_head=False)
    logits = predict_logits(restored, list(TEXTS), 128)
    graph = OnnxGraph(folder / GRAPH)
    for text, one in zip(TEXTS, logits, strict=True):
        [expected] = graph.run(np.array([restored.tokenizer.encode(text).ids]))
        margins = one[1] - one[0], expected[1] - expected[0]
        assert abs(margins[0] - margins[1]) < 0.5
