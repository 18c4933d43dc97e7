"""Fine-tune a checkpoint on the training rows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import torch

from model_build.profile import Profile, Training
from model_build.rows.dataset import WORDS
from model_build.rows.kinds import KINDS
from model_build.training import checkpoint as checkpoints
from model_build.training import mean_pooling, served
from model_build.training.data_parallel import Processes, join
from model_build.training.loop import train_model
from model_build.training.pretrained import fetch
from model_build.training.vocabulary import prune, prune_unigram
from model_build.work import MODEL, Work, as_record, lineage


def run(
    work: Work,
    profile: Profile,
    *,
    checkpoint: str | None = None,
    training: Training | None = None,
    seed: int = 20261121,
    force: bool = False,
) -> Path:
    """Run the step: write ``train/model``, a Hugging Face folder.

    Parameters
    ----------
    work
        Work folder with the output of the data step.
    profile
        Kind of model; the checkpoint of a profile that is not trained is only fetched.
    checkpoint
        Folder or hub id of the initial checkpoint, or a model folder that the bot serves; None
        for the profile's.
    training
        Hyperparameters; None for the profile's.
    seed
        Random seed.
    force
        Run the step even if it is up to date.
    """
    source = checkpoint or profile.checkpoint
    training = training or profile.training
    settings = {"checkpoint": Path(source).name, "training": training, "seed": seed}
    settings |= {"trained": profile.trained, "ascii_vocabulary": profile.ascii_vocabulary}
    inputs = [Path(source)] if Path(source).is_dir() else []
    if profile.trained:
        inputs += [work.require("data", name) for name in ("train.parquet", "validation.parquet")]

    def action(folder: Path) -> Mapping[str, Any]:
        with join() as processes:
            return train(folder, processes)

    def train(folder: Path, processes: Processes) -> Mapping[str, Any]:
        name = processes.from_first(lambda: encoder_folder(source, work))
        torch.manual_seed(seed)  # for the new head
        model = initial(name, work, profile, training, seed, fresh_head=profile.trained)
        results: dict[str, Any] = {"checkpoint": source, "labels": model.labels}
        results["earlier"] = lineage([Path(source)])
        if served.is_served(Path(source)):
            results |= served.provenance(Path(source))
        if profile.trained:
            rows = pd.read_parquet(work.require("data", "train.parquet"))
            validation = pd.read_parquet(work.require("data", "validation.parquet"))
            result = train_model(
                model, rows, validation, training, folder, seed=seed, processes=processes
            )
            results |= as_record(result)
        if processes.first:
            checkpoints.save(model, folder / MODEL)
        return results

    return work.run("train", settings, inputs, action, force=force)


def initial(
    name: str,
    work: Work,
    profile: Profile,
    training: Training,
    seed: int,
    *,
    fresh_head: bool = True,
) -> checkpoints.Checkpoint:
    """Return a checkpoint as training starts from it, with a head and the profile's vocabulary.

    Parameters
    ----------
    name
        What `encoder_folder` returned.
    work
        Work folder with the output of the data step.
    profile, training, seed
        See `run`.
    fresh_head
        See `model_build.training.checkpoint.load`.
    """
    model = checkpoints.load(
        name, fresh_head=fresh_head, kinds=KINDS, mean_pooling=profile.multilingual
    )
    if profile.ascii_vocabulary:
        model = prune(model)
    # A checkpoint whose vocabulary has been cut has its head, too.
    if profile.multilingual and model.tokenizer.get_vocab_size() > profile.vocabulary:
        words = pd.read_parquet(work.require("data", WORDS))["word"]
        rows = pd.read_parquet(work.require("data", "train.parquet"))
        model = prune_unigram(model, words, profile.vocabulary)
        mean_pooling.initialize(model, rows, training.max_tokens, seed)
    return model


def encoder_folder(source: str, work: Work) -> str:
    """Fetch a checkpoint, or restore a served model, and return its folder or hub id."""
    if not served.is_served(Path(source)):
        return fetch(source, work.step("encoder"))
    folder = work.step("encoder") / "served"
    checkpoints.save(served.restore(Path(source)), folder)
    return str(folder)
