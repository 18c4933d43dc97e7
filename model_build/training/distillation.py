"""Train a student on the predictions of one or more teachers.

Soft targets at a temperature are learned alongside the labels, after Hinton, Vinyals and Dean
2015, "Distilling the Knowledge in a Neural Network". A student may start from every other
layer of its teacher, after Sanh et al. 2019, "DistilBERT". A model may also be its own
teacher, which keeps it close to what it was while it learns from more rows. A specialist
replaces the teachers on the source that it was trained on (Hinton et al., section 5).
"""

from __future__ import annotations

import copy
import dataclasses
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from transformers import AutoModelForSequenceClassification

from model_build.profile import Profile, Training
from model_build.rows import kinds
from model_build.rows.dataset import UNLABELED
from model_build.rows.reading import read_or_written
from model_build.training import checkpoint as checkpoints
from model_build.training import served, teachers
from model_build.training.checkpoint import Checkpoint
from model_build.training.finetuning import encoder_folder, initial
from model_build.training.loop import train_model
from model_build.training.objective import SoftTargets
from model_build.training.slicing import is_pruned
from model_build.training.teachers import Prediction
from model_build.work import MODEL, StepError, Work, as_record, checksum, lineage

logger = logging.getLogger(__name__)
EVERY_OTHER = "every-other"
SAME = "same"
_LAYER = re.compile(r"(?<=\.layer\.)\d+(?=\.)")


@dataclass(frozen=True, slots=True)
class Settings:
    """Teachers, student and loss of the distillation.

    Parameters
    ----------
    teachers
        Folders or hub ids of fine-tuned checkpoints, or folders that the bot serves; the student
        learns the mean of their probabilities.
    student
        Initial checkpoint of the student: ``every-other`` for every other layer of the first
        teacher, ``same`` for all of it, any other value for a folder or hub id; None for the
        profile's checkpoint.
    alpha
        Weight of the distillation loss; the loss on the labels has the rest.
    temperature
        Temperature of the soft targets.
    specialists
        Pairs of a source and the checkpoint that alone teaches its rows.
    max_rows
        Maximum number of training rows, sampled at random; None for all.
    max_rows_without_kinds
        Maximum number of training rows that show no kind of toxicity, or none that is known,
        likewise: kinds are told apart among the others.
    in_language
        Pairs of a language and a checkpoint that joins the teachers on the rows in it.
    trusts_labels
        Whether a row with a label of this project's own, on which the teachers err, is learned
        from the label alone.
    matches_log_odds
        Whether the student is held to the teachers' log-odds instead of their probabilities.
    teaches_kinds
        Whether the teachers that tell the student's kinds apart teach these too.
    """

    teachers: tuple[str, ...]
    student: str | None = None
    alpha: float = field(default=0.7, metadata={"key": "share"})
    temperature: float = 2.0
    specialists: tuple[tuple[str, str], ...] = ()
    max_rows: int | None = field(default=None, metadata={"key": "rows"})
    in_language: tuple[tuple[str, str], ...] = ()
    trusts_labels: bool = field(default=False, metadata={"key": "own_labels"})
    max_rows_without_kinds: int | None = field(default=None, metadata={"key": "without_kinds"})
    matches_log_odds: bool = field(default=False, metadata={"key": "log_odds"})
    teaches_kinds: bool = field(default=False, metadata={"key": "kinds_too"})


def run(
    work: Work,
    profile: Profile,
    settings: Settings,
    *,
    training: Training | None = None,
    seed: int = 20261121,
    force: bool = False,
) -> Path:
    """Run the step: write ``distill/model``, a Hugging Face folder.

    Parameters
    ----------
    work
        Work folder with the output of the data step.
    profile
        Kind of model of the student.
    settings
        Teachers, student and loss.
    training
        Hyperparameters; None for those of `default_training`.
    seed
        Random seed.
    force
        Run the step even if it is up to date.

    Raises
    ------
    StepError
        When there is no teacher.
    """
    if not settings.teachers:
        raise StepError("no teacher to learn from: give one with --teacher FOLDER")
    training = training or default_training(profile, settings)
    pairs = [*settings.specialists, *settings.in_language]
    names = [*settings.teachers, *(name for _, name in pairs)]
    names += [settings.student] if settings.student else []
    folders = [Path(name) for name in names if Path(name).is_dir()]
    # Checkpoint folders often share a name, so their checksums are settings, not inputs.
    options = {"teaching": _without_folders(settings), "training": training, "seed": seed}
    options |= {"checkpoints": [checksum(folder) for folder in folders]}
    train_file = work.require("data", "train.parquet")
    validation_file = work.require("data", "validation.parquet")
    unlabeled_file = work.step("data") / UNLABELED
    inputs = [train_file, validation_file, *([unlabeled_file] if unlabeled_file.exists() else [])]

    def action(folder: Path) -> Mapping[str, Any]:
        torch.manual_seed(seed)
        rows = pd.read_parquet(train_file)
        if unlabeled_file.exists():
            rows = pd.concat([rows, pd.read_parquet(unlabeled_file)], ignore_index=True)
        rows = sample(rows, settings, seed)
        student = _load_student(work, profile, settings, training, seed)
        result = train_model(
            student,
            rows,
            pd.read_parquet(validation_file),
            training,
            folder,
            seed=seed,
            soft_targets=compute_soft_targets(settings, rows, training, folder, student.kinds),
        )
        checkpoints.save(student, folder / MODEL)
        results: dict[str, Any] = {"checkpoint": profile.checkpoint, "earlier": []}
        initial_folder = settings.teachers[0] if settings.student == SAME else settings.student
        if initial_folder and served.is_served(Path(initial_folder)):
            results |= served.provenance(Path(initial_folder))
        results["earlier"] += [one for one in lineage(folders) if one not in results["earlier"]]
        return results | {"labels": student.labels} | as_record(result)

    return work.run("distill", options, inputs, action, force=force)


def sample(rows: pd.DataFrame, settings: Settings, seed: int) -> pd.DataFrame:
    """Return the rows to learn from, sampled at random as far as the settings limit them.

    Parameters
    ----------
    rows
        Columns for the kinds, if rows without kinds are limited.
    settings
        ``max_rows`` and ``max_rows_without_kinds``.
    seed
        Random seed.

    Raises
    ------
    StepError
        When rows without kinds are limited, and there are no others.
    """
    if settings.max_rows_without_kinds is not None:
        known = [column for column in kinds.COLUMNS if column in rows]
        show_kinds = rows[known].eq(1).any(axis=1)
        if not show_kinds.any():
            raise StepError("no training row shows a kind of toxicity: leave out --without-kinds")
        others = rows[~show_kinds]
        count = min(settings.max_rows_without_kinds, len(others))
        others = others.sample(count, random_state=seed)
        rows = pd.concat([rows[show_kinds], others], ignore_index=True)
    if settings.max_rows is not None:
        rows = rows.sample(min(settings.max_rows, len(rows)), random_state=seed)
    return rows


def default_training(profile: Profile, settings: Settings) -> Training:
    """Return the profile's hyperparameters, gentler ones if the student is the teacher itself."""
    return profile.continued_training if settings.student == SAME else profile.training


def _without_folders(settings: Settings) -> Settings:
    """Return the settings with the names of checkpoints, without the folders they are in."""
    return dataclasses.replace(
        settings,
        teachers=tuple(Path(name).name for name in settings.teachers),
        student=settings.student and Path(settings.student).name,
        specialists=tuple((source, Path(name).name) for source, name in settings.specialists),
        in_language=tuple((lang, Path(name).name) for lang, name in settings.in_language),
    )


def compute_soft_targets(
    settings: Settings,
    rows: pd.DataFrame,
    training: Training,
    folder: Path,
    kinds: tuple[str, ...] = (),
) -> SoftTargets:
    """Return the predictions of teachers and specialists for training rows.

    Parameters
    ----------
    settings
        Teachers, specialists, alpha and temperature.
    rows
        Columns text and source, lang if some teachers read one language only, and target and
        optionally read if labels are trusted.
    training
        Its ``max_tokens`` is the length at which texts are truncated.
    folder
        Folder where logits are cached.
    kinds
        Names of the student's kinds.

    Raises
    ------
    StepError
        When the source of a specialist, or the language of a teacher, is not among the rows, or
        kinds are to be taught and no teacher of all rows tells them apart.
    """

    def predict(teacher: str, rows: pd.DataFrame) -> Prediction:
        texts, taught = list(rows["text"]), kinds if settings.teaches_kinds else ()
        return teachers.predict(
            teacher, texts, training.max_tokens, settings.temperature, taught, folder
        )

    toxic, shown = _Mean(len(rows)), _Mean(len(rows), len(kinds))
    everywhere = np.ones(len(rows), dtype=bool)
    readers = [(everywhere, teacher) for teacher in settings.teachers]
    for lang, teacher in settings.in_language:
        in_lang = (rows["lang"] == lang).to_numpy()
        if not in_lang.any():
            raise StepError(f"no training row is in {lang}: name a language of the data step")
        readers.append((in_lang, teacher))
    specialists = []
    for source, specialist in settings.specialists:
        in_source = (rows["source"] == source).to_numpy()
        if not in_source.any():
            raise StepError(f"no training row is from {source}: name a source of the data step")
        specialists.append((in_source, specialist))
    if settings.teaches_kinds:
        _require_kinds(readers, kinds)
    for where, teacher in readers:
        prediction = predict(teacher, rows[where])
        toxic.add(where, prediction.toxic)
        if prediction.kinds is not None:
            shown.add(where, prediction.kinds)
    probabilities = toxic.values()
    alpha = np.full(len(rows), settings.alpha, dtype=np.float32)
    for in_source, specialist in specialists:
        probabilities[in_source] = predict(specialist, rows[in_source]).toxic
        alpha[in_source] = 1
    if settings.trusts_labels:
        ours = read_or_written(rows)
        err = (probabilities > 0.5) != (rows["target"].to_numpy() > 0.5)
        alpha[ours & err] = 0
        logger.info(
            "rows of our own on which the teachers err: %d of %d", err[ours].sum(), ours.sum()
        )
    return SoftTargets(
        probabilities.astype(np.float32),
        alpha,
        settings.temperature,
        as_log_odds=settings.matches_log_odds,
        kinds=shown.values().astype(np.float32) if settings.teaches_kinds else None,
    )


def _require_kinds(
    readers: Sequence[tuple[NDArray[np.bool_], str]], kinds: tuple[str, ...]
) -> None:
    """Require a teacher of the kinds for each row, before any has spent hours on predictions."""
    taught = np.zeros_like(readers[0][0])
    for where, name in readers:
        if kinds and set(kinds) <= set(teachers.load(name).kinds):
            taught |= where
        if taught.all():
            return
    raise StepError(f"no teacher of all rows tells these kinds apart: {', '.join(kinds) or 'none'}")


class _Mean:
    """The mean of what some teachers say about each row."""

    def __init__(self, rows: int, *shape: int) -> None:
        self._total = np.zeros((rows, *shape))
        self.count = np.zeros(rows, dtype=int)

    def add(self, where: NDArray[np.bool_], values: NDArray[np.float64]) -> None:
        self._total[where] += values
        self.count[where] += 1

    def values(self) -> NDArray[np.float64]:
        count = self.count.reshape(-1, *[1] * (self._total.ndim - 1))
        return self._total / count


def _load_student(
    work: Work, profile: Profile, settings: Settings, training: Training, seed: int
) -> Checkpoint:
    if settings.student == SAME:
        return teachers.load(settings.teachers[0])
    if settings.student == EVERY_OTHER:
        return every_other_layer(teachers.load(settings.teachers[0]))
    name = encoder_folder(settings.student or profile.checkpoint, work)
    return initial(name, work, profile, training, seed)


def every_other_layer(teacher: Checkpoint) -> Checkpoint:
    """Return a model made of the first, third, fifth... layer of another.

    Parameters
    ----------
    teacher
        A model of the BERT or RoBERTa family, which is not changed.

    Returns
    -------
    Checkpoint
        Half as deep, with the same embeddings, head, tokenizer and labels.

    Raises
    ------
    StepError
        When the teacher has only one layer, or is pruned.
    """
    config = copy.deepcopy(teacher.model.config)
    if is_pruned(config):
        raise StepError("the teacher is pruned: every-other needs layers of one size")
    if config.num_hidden_layers < 2:
        raise StepError("the teacher has only one layer: every-other needs at least two")
    config.num_hidden_layers = (config.num_hidden_layers + 1) // 2
    student = AutoModelForSequenceClassification.from_config(config)
    teacher_state = teacher.model.state_dict()
    student_state = {
        name: teacher_state[_LAYER.sub(lambda layer: str(2 * int(layer.group())), name)]
        for name in student.state_dict()
    }
    student.load_state_dict(student_state)
    student.eval()
    return dataclasses.replace(teacher, model=student)
