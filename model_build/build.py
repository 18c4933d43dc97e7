"""Every step in order."""

from __future__ import annotations

from pathlib import Path

from model_build import data, export, optimize, package, quantize, train
from model_build.profile import Profile, Training
from model_build.work import Work


def run(
    work: Work,
    profile: Profile,
    output: Path,
    *,
    settings: data.Settings | None = None,
    checkpoint: str | None = None,
    training: Training | None = None,
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
    force
        Do every step again.
    """
    if settings is not None:
        data.run(work, settings, force=force)
    train.run(work, profile, checkpoint=checkpoint, training=training, seed=seed, force=force)
    export.run(work, force=force)
    optimize.run(work, force=force)
    quantize.run(work, force=force)
    return package.run(work, profile, output, force=force)
