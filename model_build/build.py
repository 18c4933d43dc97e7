"""The build command: every step in order."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from model_build.evaluation import exit_rules
from model_build.graph import export, kinds_head, optimization, quantization
from model_build.package import folder as package
from model_build.package import second_opinion
from model_build.profile import Profile, Training
from model_build.rows import dataset
from model_build.training import distillation, finetuning
from model_build.work import MODEL, Work
from toxic_bot.judge.config import MULTILINGUAL_FOLDER


def run(
    work: Work,
    profile: Profile,
    output: Path,
    *,
    data: dataset.Settings | None = None,
    checkpoint: str | None = None,
    training: Training | None = None,
    distill: distillation.Settings | None = None,
    as_trained: bool = False,
    max_changed: float = 0.0,
    seed: int = 20261121,
    force: bool = False,
) -> Path:
    """Build a model folder from a checkpoint; steps that are up to date are skipped.

    Parameters
    ----------
    work
        Work folder of the steps.
    profile
        Kind of model.
    output
        Model folder to write.
    data
        Settings of the data step; None to skip it, for a checkpoint that is served as it is.
    checkpoint, training, seed
        See `model_build.training.finetuning.run`.
    distill
        Teachers and specialists for a distill step after training, in which the trained
        model is the first teacher and the student; None to skip it.
    as_trained
        Whether the outputs for the kinds stay as training left them.
    max_changed
        See `model_build.evaluation.exit_rules.run`.
    force
        Run every step even if it is up to date.
    """
    if data is not None:
        dataset.run(work, data, force=force)
    finetuning.run(work, profile, checkpoint=checkpoint, training=training, seed=seed, force=force)
    if distill is not None:
        trained = str(work.step("train") / MODEL)
        teachers = (trained, *distill.teachers)
        settings = dataclasses.replace(distill, teachers=teachers, student=distillation.SAME)
        distillation.run(work, profile, settings, seed=seed, force=force)
    export.run(work, source="train" if distill is None else "distill", force=force)
    optimization.run(work, force=force)
    quantization.run(work, force=force)
    kinds_head.run(work, as_trained=as_trained, force=force)
    exit_rules.run(work, max_changed=max_changed, force=force)
    package.run(work, profile, output, force=force)
    if data is not None and (output / MULTILINGUAL_FOLDER).is_dir():
        second_opinion.run(work, output)
    return output
