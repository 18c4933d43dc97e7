"""Every step in order."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from model_build.graph import export
from model_build.graph import optimization as optimize
from model_build.graph import quantization as quantize
from model_build.package import folder as package
from model_build.profile import Profile, Training
from model_build.rows import dataset as data
from model_build.training import distillation as distill
from model_build.training import finetuning as train
from model_build.work import MODEL, Work


def run(
    work: Work,
    profile: Profile,
    output: Path,
    *,
    settings: data.Settings | None = None,
    checkpoint: str | None = None,
    training: Training | None = None,
    teaching: distill.Settings | None = None,
    seed: int = 20261121,
    force: bool = False,
) -> Path:
    """Make a model folder from a checkpoint; steps done before are not done again.

    Parameters
    ----------
    work
        Where the steps write.
    profile
        What kind of model is made.
    output
        The model folder to write.
    settings
        Where labelled texts are; None where the checkpoint is served as it is.
    checkpoint, training, seed
        As for `model_build.train.run`.
    teaching
        Who teaches the trained model once more, beside itself; None for nobody.
    force
        Do every step again.
    """
    if settings is not None:
        data.run(work, settings, force=force)
    train.run(work, profile, checkpoint=checkpoint, training=training, seed=seed, force=force)
    if teaching is not None:
        trained = str(work.step("train") / MODEL)
        teachers = (trained, *teaching.teachers)
        taught = dataclasses.replace(teaching, teachers=teachers, student=distill.SAME)
        distill.run(work, profile, taught, seed=seed, force=force)
    export.run(work, source="train" if teaching is None else "distill", force=force)
    optimize.run(work, force=force)
    quantize.run(work, force=force)
    return package.run(work, profile, output, force=force)
