"""How a model folder judges rows that were read, by this project's own notion of toxic."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from model_build import metrics
from model_build.evaluation.scores import judge_texts, scores_of
from model_build.rows.kinds import KINDS
from model_build.rows.reading import DataError, read
from model_build.terminal import show
from toxic_bot.judge.config import MULTILINGUAL_FOLDER, ModelConfig
from toxic_bot.judge.verdict import Verdict

LIMITS = (0.5, 0.8, 0.9)
"""Scores from which on the share of toxic rows is shown."""


def run(model: Path, folders: list[Path], split: str) -> None:
    """Judge the rows of a split that were read, and show what the model makes of them.

    Parameters
    ----------
    model
        Model folder.
    folders
        Labeled texts, as `model_build.rows.reading.read` reads them.
    split
        ``train``, ``validation`` or ``test``.

    Raises
    ------
    DataError
        When there are no such rows.
    """
    if not folders:
        raise DataError("no labeled texts: give --data FOLDER")
    # Where both models are, the English one drops the marks itself.
    keeps_marks = ModelConfig.read(model / "config.json").multilingual
    keeps_marks |= (model / MULTILINGUAL_FOLDER).is_dir()
    rows = read(folders, marks=keeps_marks)
    rows = rows[rows["read"] & (rows["split"] == split)]
    labels = rows["label"].to_numpy()
    if not 0 < labels.sum() < len(labels):
        raise DataError(f"no rows of the split {split} that were read: give the public data sets")
    verdicts = judge_texts(model, list(rows["text"]), list(rows["lang"]))
    scores = scores_of(verdicts)
    show(
        f"{split} rows that were read",
        ["language", "rows", "toxic", "AUC", "macro-F1", "found", "false alarms"],
        [
            [lang, *_quality(labels[chosen], scores[chosen])]
            for lang, chosen in _languages(rows["lang"].to_numpy(str), labels).items()
        ],
    )
    show(
        "what a score means",
        ["scored from", "rows", "of them toxic", "of all toxic rows"],
        [_meaning(labels, scores, limit) for limit in LIMITS],
    )
    shown = rows[[f"kind_{kind}" for kind in KINDS]].to_numpy() == 1
    show(
        "kinds",
        ["kind", "rows", "named", "of them right", "of its rows found, named so"],
        [_kind(kind, shown[:, number], verdicts) for number, kind in enumerate(KINDS)],
    )


def _languages(langs: NDArray[np.str_], labels: metrics.Labels) -> dict[str, NDArray[np.bool_]]:
    """Return which rows are in each language with both labels, and last, all rows."""
    every = {str(lang): langs == lang for lang in np.unique(langs)}
    both = {lang: chosen for lang, chosen in every.items() if len(set(labels[chosen])) == 2}
    return both | {"all": np.ones(len(langs), dtype=bool)}


def _quality(labels: metrics.Labels, scores: metrics.Scores) -> list[str]:
    return [
        f"{len(labels):,}",
        f"{labels.sum():,}",
        f"{metrics.auc(labels, scores, 0.5):.3f}",
        f"{metrics.macro_f1(labels, scores, 0.5):.3f}",
        f"{metrics.recall(labels, scores, 0.5):.1%}",
        f"{metrics.false_positives(labels, scores, 0.5):.1%}",
    ]


def _meaning(labels: metrics.Labels, scores: metrics.Scores, limit: float) -> list[str]:
    return [
        f"{limit}",
        f"{(scores >= limit).sum():,}",
        f"{metrics.precision(labels, scores, limit):.1%}",
        f"{metrics.recall(labels, scores, limit):.1%}",
    ]


def _kind(kind: str, has: NDArray[np.bool_], verdicts: list[Verdict]) -> list[str]:
    found = np.array([verdict.toxic for verdict in verdicts])
    named = np.array([kind in verdict.kinds for verdict in verdicts])
    right, among = (has & named).sum(), (has & found).sum()
    return [
        kind,
        f"{has.sum():,}",
        f"{named.sum():,}",
        f"{right / max(1, named.sum()):.1%}",
        f"{right / max(1, among):.1%}",
    ]
