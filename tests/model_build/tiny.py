"""A build that takes seconds: two layers, few texts."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from model_build import build
from model_build.profile import MINILM, Training
from model_build.rows import dataset
from model_build.training import distillation
from model_build.work import Work

TRAINING = Training(learning_rate=3e-3, layer_decay=1.0, epochs=6, batch_size=32, max_tokens=32)
TINY_BERT = dataclasses.replace(MINILM, window=64)


def build_tiny(
    work: Work,
    output: Path,
    texts: Path,
    checkpoint: Path,
    distill: distillation.Settings | None = None,
    training: Training = TRAINING,
    feedback: tuple[str, ...] = (),
    as_trained: bool = False,
) -> Path:
    """Build a model folder from a tiny checkpoint and a folder of texts."""
    return build.run(
        work,
        TINY_BERT,
        output,
        data=dataset.Settings((str(texts),), templates=0, written=False, feedback=feedback),
        checkpoint=str(checkpoint),
        training=training,
        distill=distill,
        as_trained=as_trained,
    )
