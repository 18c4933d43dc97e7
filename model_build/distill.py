"""Teach a small model what a larger one, or the mean of several, says of the rows.

Soft targets at a temperature beside the labels, after Hinton, Vinyals and Dean 2015,
"Distilling the Knowledge in a Neural Network"; a student may start from every other layer
of its teacher, after Sanh et al. 2019, "DistilBERT".
"""

from __future__ import annotations

import copy
import dataclasses
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

from handler.classifier import softmax
from model_build import checkpoint as checkpoints
from model_build.checkpoint import Checkpoint
from model_build.encoder import fetch
from model_build.errors import StepError
from model_build.fit import Teaching, fit, logits
from model_build.profile import Profile, Training
from model_build.vocabulary import prune
from model_build.work import MODEL, Work, checksum

logger = logging.getLogger(__name__)
EVERY_OTHER = "every-other"
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
        teacher, or None for the profile's checkpoint.
    share
        Of the loss that comes from the teachers.
    temperature
        At which student and teachers are compared.
    """

    teachers: tuple[str, ...]
    student: str | None = None
    share: float = 0.7
    temperature: float = 2.0


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
    training = training or profile.training
    asked = {"teaching": settings, "training": training, "seed": seed}
    asked["teaching"] = dataclasses.replace(
        settings, teachers=tuple(Path(teacher).name for teacher in settings.teachers)
    )
    rows = work.needed("data", "train.parquet")
    held = work.needed("data", "validation.parquet")
    inputs = [Path(name) for name in settings.teachers if Path(name).is_dir()]

    def action(folder: Path) -> Mapping[str, Any]:
        torch.manual_seed(seed)
        train = pd.read_parquet(rows)
        taught = np.mean(
            [
                _said(teacher, train, rows, training, settings.temperature, folder)
                for teacher in settings.teachers
            ],
            axis=0,
        )
        student = _student(work, profile, settings)
        teaching = Teaching(taught.astype(np.float32), settings.share, settings.temperature)
        found = fit(
            student,
            train,
            pd.read_parquet(held),
            training,
            folder,
            seed=seed,
            teaching=teaching,
        )
        checkpoints.save(student, folder / MODEL)
        return {"labels": student.labels, **dataclasses.asdict(found)}

    named = list({path.name: path for path in [*inputs, rows, held]}.values())
    return work.run("distill", asked, named, action, force=force)


def _said(
    teacher: str,
    train: pd.DataFrame,
    rows: Path,
    training: Training,
    temperature: float,
    folder: Path,
) -> NDArray[np.float64]:
    """Return a teacher's toxic probabilities; its logits are kept on disk."""
    source = Path(teacher)
    key = checksum(source)[:16] if source.is_dir() else teacher.replace("/", "--")
    file = folder / f"teacher-{key}-{checksum(rows)[:16]}-{training.tokens}.npz"
    if file.exists():
        logger.info("%s: its logits were kept", teacher)
        kept = np.load(file)
        found, toxic = kept["logits"], kept["toxic"]
    else:
        loaded = checkpoints.load(teacher, fresh_head=False)
        found = logits(loaded, list(train["text"]), training.tokens)
        toxic = np.array([label in loaded.toxic_labels for label in loaded.labels])
        np.savez(file, logits=found, toxic=toxic)
    probabilities: NDArray[np.float64] = softmax(found / temperature)[:, toxic].sum(axis=1)
    return probabilities


def _student(work: Work, profile: Profile, settings: Settings) -> Checkpoint:
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
