"""Remove the attention heads and intermediate neurons that matter least.

What goes is chosen by importance (`model_build.training.importance`) over all layers at once, so
some layers lose more than others. What is left is fitted to make up for it
(`model_build.training.refitting`). The pruned checkpoint can be exported as it is, or trained
further by `train --checkpoint` or `distill --student` first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from model_build.profile import Profile
from model_build.training import checkpoint as checkpoints
from model_build.training import importance, refitting, served, slicing
from model_build.training.finetuning import encoder_folder
from model_build.training.importance import Importance
from model_build.training.slicing import Indices, Kept
from model_build.work import MODEL, StepError, Work, as_record, lineage
from toxic_bot.judge.config import EMBEDDED_MODEL

_IMPORTANCE = "importance"
_SCORES = "scores.npz"


@dataclass(frozen=True, slots=True)
class Settings:
    """What is removed.

    Parameters
    ----------
    heads, neurons
        Share of all attention heads and of all intermediate neurons to remove.
    rows
        Number of training rows on which importance is measured and what stays is fitted.
    block
        Neurons go in blocks of so many of a layer, those that matter least together: matrix
        kernels compute tiles, and a tile that is not full takes as long as one that is.
    """

    heads: float = 0.0
    neurons: float = 0.0
    rows: int = 2000
    block: int = 1


def run(
    work: Work,
    profile: Profile,
    settings: Settings,
    *,
    checkpoint: str = str(EMBEDDED_MODEL),
    force: bool = False,
) -> Path:
    """Run the step: write ``prune/model``, a Hugging Face folder.

    Parameters
    ----------
    work
        Work folder with the output of the data step.
    profile
        Kind of model; texts are truncated as in its training.
    settings
        What is removed.
    checkpoint
        A model folder that the bot serves, or a fine-tuned checkpoint.
    force
        Run the step even if it is up to date.

    Raises
    ------
    StepError
        When a share is not one, or there are no rows to measure importance on.
    CheckpointError
        When the model is not a BERT classifier of this project's labels.
    """
    for name, share in (("heads", settings.heads), ("neurons", settings.neurons)):
        if not 0 <= share < 1:
            raise StepError(f"--{name} {share:g} is not a share to remove: give one such as 0.25")
    for name, count in (("rows", settings.rows), ("block", settings.block)):
        if count < 1:
            raise StepError(f"--{name} {count} is too few: give at least one")
    source = Path(checkpoint)
    if not source.is_dir():
        raise StepError(f"{source} is not a folder: give a checkpoint on this machine")
    scores = _measure(work, profile, settings, source, force=force)

    def action(folder: Path) -> Mapping[str, Any]:
        loaded = checkpoints.load(encoder_folder(checkpoint, work), fresh_head=False)
        before = loaded.model.num_parameters()
        with np.load(scores) as arrays:
            measured = _unpacked(arrays)
        kept = Kept(
            keep_most_important(_by_layer(measured.heads), settings.heads),
            keep_most_important(measured.neurons, settings.neurons, settings.block),
        )
        if settings.heads or settings.neurons:
            texts = list(_sample(work, settings.rows)["text"])
            refitting.refit(loaded, texts, profile.training.max_tokens, kept)
        slicing.cut(loaded.model, kept)
        checkpoints.save(loaded, folder / MODEL)
        heads, neurons = slicing.layer_sizes(loaded.model)
        results = {"checkpoint": checkpoint, "labels": loaded.labels, "earlier": lineage([source])}
        if served.is_served(source):
            results |= served.provenance(source)
        return results | {
            "heads": heads,
            "neurons": neurons,
            "parameters": {"before": before, "after": loaded.model.num_parameters()},
        }

    # The code is an input too: when it changes, the step runs again.
    code = [Path(__file__), Path(slicing.__file__), Path(refitting.__file__)]
    inputs = [source, scores, *code]
    return work.run("prune", as_record(settings), inputs, action, force=force)


def _measure(
    work: Work, profile: Profile, settings: Settings, source: Path, *, force: bool
) -> Path:
    """Measure importance, unless it has been, and return the file that holds it."""
    training = work.require("data", "train.parquet")
    max_tokens = profile.training.max_tokens

    def action(folder: Path) -> Mapping[str, Any]:
        rows = _sample(work, settings.rows)
        loaded = checkpoints.load(encoder_folder(str(source), work), fresh_head=False)
        if loaded.labels != checkpoints.LABELS:
            raise StepError(f"{source} has other labels: train it first")
        measured = importance.estimate(loaded, rows, max_tokens)
        arrays = {f"heads {n}": scores for n, scores in enumerate(measured.heads)}
        arrays |= {f"neurons {n}": scores for n, scores in enumerate(measured.neurons)}
        np.savez(folder / _SCORES, **arrays)  # type: ignore[arg-type]
        return {"rows": len(rows), "heads": [scores.round(5) for scores in measured.heads]}

    options = {"rows": settings.rows, "tokens": max_tokens}
    inputs = [source, training, Path(importance.__file__)]
    return work.run(_IMPORTANCE, options, inputs, action, force=force) / _SCORES


def _sample(work: Work, count: int) -> pd.DataFrame:
    rows = pd.read_parquet(work.require("data", "train.parquet"))
    return rows.sample(min(count, len(rows)), random_state=1)


def _unpacked(arrays: Mapping[str, NDArray[np.float64]]) -> Importance:
    count = len(arrays) // 2
    return Importance(
        tuple(arrays[f"heads {n}"] for n in range(count)),
        tuple(arrays[f"neurons {n}"] for n in range(count)),
    )


def _by_layer(scores: Sequence[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
    """Return scores relative to those of their layer, as Michel et al. compare heads.

    Neurons are compared as they are, after Molchanov et al. What either costs is in docs/model.md.
    """
    return [layer / (np.linalg.norm(layer) or 1.0) for layer in scores]


def keep_most_important(
    scores: Sequence[NDArray[np.float64]], share: float, block: int = 1
) -> Indices:
    """Return the indices in each layer that are kept if a share of all goes.

    Parameters
    ----------
    scores
        Importance by layer. All layers are compared with one another.
    share
        Share of all heads or neurons to remove, at least 0 and below 1. Each layer keeps at least
        its most important block.
    block
        How many of a layer go or stay together; the share is met to the nearest block.

    Returns
    -------
    tuple of tuple of int
        By layer, in ascending order.
    """
    kept = [_blocks(layer_scores, block) for layer_scores in scores]
    ranked = sorted(
        (float(scores[layer][indices].mean()), layer)
        for layer, blocks in enumerate(kept)
        for indices in blocks[1:]
    )
    for _, layer in ranked[: round(share * sum(map(len, scores)) / block)]:
        kept[layer].pop()
    return tuple(tuple(sorted(np.concatenate(blocks).tolist())) for blocks in kept)


def _blocks(scores: NDArray[np.float64], size: int) -> list[NDArray[np.intp]]:
    """Return the indices of a layer in blocks, from the most important ones on."""
    order = np.argsort(-scores, kind="stable")
    return [order[start : start + size] for start in range(0, len(order), size)]
