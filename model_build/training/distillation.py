"""Teach a small model what a larger one, or the mean of several, says of the rows.

Soft targets at a temperature beside the labels, after Hinton, Vinyals and Dean 2015,
"Distilling the Knowledge in a Neural Network"; a student may start from every other layer
of its teacher, after Sanh et al. 2019, "DistilBERT". A model may also be taught by itself, which
holds it where it is while it learns from further rows; and a specialist may speak for the
source that it was trained on (Hinton et al., section 5).
"""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from transformers import AutoModelForSequenceClassification

from judge.classifier import softmax
from model_build.profile import Profile, Training
from model_build.training import checkpoint as checkpoints
from model_build.training.checkpoint import Checkpoint
from model_build.training.loop import Teaching, fit, logits
from model_build.training.pretrained import fetch
from model_build.training.vocabulary import prune
from model_build.work import MODEL, StepError, Work, checksum, lineage

logger = logging.getLogger(__name__)
EVERY_OTHER = "every-other"
SAME = "same"
_LAYER = re.compile(r"(?<=\.layer\.)\d+(?=\.)")


@dataclass(frozen=True, slots=True)
class Settings:
    """How a student is taught.

    Parameters
    ----------
    teachers
        Folders or hub ids of fine-tuned checkpoints; the mean of their probabilities teaches.
    student
        A checkpoint to start from, ``every-other`` for every other layer of the first
        teacher, ``same`` for the whole of it, or None for the profile's checkpoint.
    specialists
        Pairs of a source and the checkpoint whose word alone counts for its rows.
    rows
        Most rows to learn from, drawn at random; None for all.
    share
        Of the loss that comes from the teachers.
    temperature
        At which student and teachers are compared.
    """

    teachers: tuple[str, ...]
    student: str | None = None
    share: float = 0.7
    temperature: float = 2.0
    specialists: tuple[tuple[str, str], ...] = ()
    rows: int | None = None


def run(
    work: Work,
    profile: Profile,
    settings: Settings,
    *,
    training: Training | None = None,
    seed: int = 20261121,
    force: bool = False,
) -> Path:
    """Do the step: write ``distill/model``, a Hugging Face folder.

    Parameters
    ----------
    work
        Holds the data step's rows.
    profile
        What the student is.
    settings
        Who teaches and how.
    training
        Settings of the loop other than the profile's.
    seed
        Of everything random.
    force
        Do it again even if it was done with these settings.

    Raises
    ------
    StepError
        When no teacher is named.
    """
    if not settings.teachers:
        raise StepError("name at least one teacher: --teacher FOLDER")
    training = training or usual(profile, settings)
    names = [*settings.teachers, *(name for _, name in settings.specialists)]
    folders = [Path(name) for name in names if Path(name).is_dir()]
    # Checkpoints share one name, so their checksums go among the settings.
    asked = {"teaching": _named(settings), "training": training, "seed": seed}
    asked |= {"checkpoints": [checksum(folder) for folder in folders]}
    rows = work.needed("data", "train.parquet")
    held = work.needed("data", "validation.parquet")

    def action(folder: Path) -> Mapping[str, Any]:
        torch.manual_seed(seed)
        train = pd.read_parquet(rows)
        if settings.rows is not None:
            train = train.sample(min(settings.rows, len(train)), random_state=seed)
        student = _student(work, profile, settings)
        found = fit(
            student,
            train,
            pd.read_parquet(held),
            training,
            folder,
            seed=seed,
            teaching=teaching(settings, train, training, folder),
        )
        checkpoints.save(student, folder / MODEL)
        results = {"checkpoint": profile.checkpoint, "labels": student.labels}
        return results | dataclasses.asdict(found) | {"earlier": lineage(folders)}

    return work.run("distill", asked, [rows, held], action, force=force)


def usual(profile: Profile, settings: Settings) -> Training:
    """Return the profile's settings of the loop, which are gentler for a whole teacher."""
    return profile.refining if settings.student == SAME else profile.training


def _named(settings: Settings) -> Settings:
    """Return the settings as they are noted: without the folders that checkpoints lie in."""
    return dataclasses.replace(
        settings,
        teachers=tuple(Path(name).name for name in settings.teachers),
        specialists=tuple((source, Path(name).name) for source, name in settings.specialists),
    )


def teaching(settings: Settings, train: pd.DataFrame, training: Training, folder: Path) -> Teaching:
    """Return what teachers and specialists say of rows.

    Parameters
    ----------
    settings
        Who teaches what.
    train
        Columns text and source.
    training
        Tells how many tokens of a text are read.
    folder
        Where logits are kept.

    Raises
    ------
    StepError
        When a specialist's source is not among the rows.
    """

    def said(teacher: str, rows: pd.DataFrame) -> NDArray[np.float64]:
        return _said(teacher, list(rows["text"]), training, settings.temperature, folder)

    taught = np.mean([said(teacher, train) for teacher in settings.teachers], axis=0)
    shares = np.full(len(train), settings.share, dtype=np.float32)
    for source, specialist in settings.specialists:
        own = (train["source"] == source).to_numpy()
        if not own.any():
            raise StepError(f"no row to learn from is of the source {source}")
        taught[own] = said(specialist, train[own])
        shares[own] = 1
    return Teaching(taught.astype(np.float32), shares, settings.temperature)


def _said(
    teacher: str, texts: list[str], training: Training, temperature: float, folder: Path
) -> NDArray[np.float64]:
    """Return a teacher's toxic probabilities; its logits are kept on disk."""
    source = Path(teacher)
    key = checksum(source)[:16] if source.is_dir() else teacher.replace("/", "--")
    of = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]
    file = folder / f"teacher-{key}-{of}-{training.tokens}.npz"
    if file.exists():
        logger.info("%s: its logits were kept", teacher)
        kept = np.load(file)
        found, toxic = kept["logits"], kept["toxic"]
    else:
        loaded = checkpoints.load(teacher, fresh_head=False)
        found = logits(loaded, texts, training.tokens)
        toxic = np.array([label in loaded.toxic_labels for label in loaded.labels])
        np.savez(file, logits=found, toxic=toxic)
    probabilities: NDArray[np.float64] = softmax(found / temperature)[:, toxic].sum(axis=1)
    return probabilities


def _student(work: Work, profile: Profile, settings: Settings) -> Checkpoint:
    if settings.student == SAME:
        return checkpoints.load(settings.teachers[0], fresh_head=False)
    if settings.student == EVERY_OTHER:
        return every_other(checkpoints.load(settings.teachers[0], fresh_head=False))
    name = fetch(settings.student or profile.checkpoint, work.step("encoder"))
    start = checkpoints.load(name, fresh_head=True)
    return prune(start) if profile.pruned else start


def every_other(teacher: Checkpoint) -> Checkpoint:
    """Return a model with the first, third, fifth... layer of another.

    Parameters
    ----------
    teacher
        Of the BERT or RoBERTa family; it stays as it is.

    Returns
    -------
    Checkpoint
        Half as deep, with the same embeddings, head, tokenizer and labels.

    Raises
    ------
    StepError
        When the teacher has no layers to leave out.
    """
    config = copy.deepcopy(teacher.model.config)
    if config.num_hidden_layers < 2:
        raise StepError("a teacher of one layer has no layers to leave out")
    config.num_hidden_layers = (config.num_hidden_layers + 1) // 2
    student = AutoModelForSequenceClassification.from_config(config)
    theirs = teacher.model.state_dict()
    ours = {
        name: theirs[_LAYER.sub(lambda layer: str(2 * int(layer.group())), name)]
        for name in student.state_dict()
    }
    student.load_state_dict(ours)
    student.eval()
    return Checkpoint(student, teacher.tokenizer, teacher.labels, teacher.toxic_labels)
