"""What a teacher says about texts."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from model_build.training import checkpoint as checkpoints
from model_build.training import served
from model_build.training.checkpoint import Checkpoint
from model_build.training.loop import predict_logits
from model_build.work import checksum
from toxic_bot.judge.classifier import softmax

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a teacher says about some rows.

    Parameters
    ----------
    toxic
        Toxic probabilities at the temperature, shape (rows,).
    kinds
        Probabilities of the student's kinds, shape (rows, kinds); None if they are not asked for,
        or the teacher does not tell all of them apart.
    """

    toxic: NDArray[np.float64]
    kinds: NDArray[np.float64] | None


def load(name: str) -> Checkpoint:
    """Load a teacher from a checkpoint, or from a folder that the bot serves."""
    if served.is_served(Path(name)):
        return served.restore(Path(name))
    return checkpoints.load(name, fresh_head=False)


def predict(
    name: str,
    texts: list[str],
    max_tokens: int,
    temperature: float,
    kinds: tuple[str, ...],
    cache: Path,
) -> Prediction:
    """Return what a teacher says.

    Parameters
    ----------
    name
        What `load` takes.
    texts
        Normalized texts.
    max_tokens
        Length at which they are truncated.
    temperature
        Temperature of the toxic probabilities (Hinton et al. 2015).
    kinds
        Names of the student's kinds, if they are taught.
    cache
        Folder where the teacher's logits are kept.
    """
    said = _logits(name, texts, max_tokens, cache)
    labels = len(said.toxic)
    probabilities = softmax(said.logits[:, :labels] / temperature)
    toxic: NDArray[np.float64] = probabilities[:, said.toxic].sum(axis=1)
    if not kinds or not set(kinds) <= set(said.kinds):
        return Prediction(toxic, None)
    columns = [labels + said.kinds.index(kind) for kind in kinds]
    return Prediction(toxic, 1 / (1 + np.exp(-said.logits[:, columns].astype(np.float64))))


@dataclass(frozen=True, slots=True)
class _Logits:
    """A teacher's logits, of shape (rows, labels + kinds), and what they are of."""

    logits: NDArray[np.float32]
    toxic: NDArray[np.bool_]
    kinds: tuple[str, ...]


def _logits(name: str, texts: list[str], max_tokens: int, cache: Path) -> _Logits:
    source = Path(name)
    key = checksum(source)[:16] if source.is_dir() else name.replace("/", "--")
    texts_key = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]
    file = cache / f"logits-{key}-{texts_key}-{max_tokens}.npz"
    if file.exists():
        logger.info("%s: using its cached logits", name)
        cached = np.load(file)
        return _Logits(cached["logits"], cached["toxic"], tuple(map(str, cached["kinds"])))
    checkpoint = load(name)
    logits = predict_logits(checkpoint, texts, max_tokens)
    toxic = np.array([label in checkpoint.toxic_labels for label in checkpoint.labels])
    np.savez(file, logits=logits, toxic=toxic, kinds=np.array(checkpoint.kinds, dtype=str))
    return _Logits(logits, toxic, checkpoint.kinds)
