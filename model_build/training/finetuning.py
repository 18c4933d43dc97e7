"""Fine-tune a checkpoint on the training rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import torch

from model_build.profile import Profile, Training
from model_build.training import checkpoint as checkpoints
from model_build.training.loop import fit
from model_build.training.pretrained import fetch
from model_build.training.vocabulary import prune
from model_build.work import MODEL, Work, lineage


def run(
    work: Work,
    profile: Profile,
    *,
    checkpoint: str | None = None,
    training: Training | None = None,
    seed: int = 20261121,
    force: bool = False,
) -> Path:
    """Do the step: write ``train/model``, a Hugging Face folder.

    Parameters
    ----------
    work
        Holds the data step's rows.
    profile
        What is trained; one that is not trained is only fetched.
    checkpoint
        Start from this folder or hub id rather than from the profile's.
    training
        Settings other than the profile's.
    seed
        Of everything random.
    force
        Do it again even if it was done with these settings.
    """
    source = checkpoint or profile.checkpoint
    training = training or profile.training
    settings = {"checkpoint": Path(source).name, "training": training, "seed": seed}
    settings |= {"trained": profile.trained, "pruned": profile.pruned}
    inputs = [Path(source)] if Path(source).is_dir() else []
    if profile.trained:
        inputs += [work.needed("data", name) for name in ("train.parquet", "validation.parquet")]

    def action(folder: Path) -> Mapping[str, Any]:
        name = fetch(source, work.step("encoder"))
        torch.manual_seed(seed)  # of the fresh head
        start = checkpoints.load(name, fresh_head=profile.trained)
        if profile.pruned:
            start = prune(start)
        results: dict[str, Any] = {"checkpoint": source, "labels": start.labels}
        if profile.trained:
            rows = pd.read_parquet(work.needed("data", "train.parquet"))
            held = pd.read_parquet(work.needed("data", "validation.parquet"))
            results |= dataclasses.asdict(fit(start, rows, held, training, folder, seed=seed))
        results["earlier"] = lineage([Path(source)])
        checkpoints.save(start, folder / MODEL)
        return results

    return work.run("train", settings, inputs, action, force=force)
