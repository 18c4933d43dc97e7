"""Sequence classifiers with their tokenizers, as Hugging Face checkpoints."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer
from transformers import AutoModelForSequenceClassification, AutoTokenizer, PreTrainedModel
from transformers.utils import logging as transformers_logging

from model_build.training.pretrained import CheckpointError

LABELS = ("not toxic", "toxic")
# Names that public checkpoints give to their labels.
_TOXIC_NAMES = {"toxic", "hate", "hateful", "offensive", "abusive", "hate speech", "1"}
_NOT_TOXIC_NAMES = {"not toxic", "neither", "neutral", "normal", "0", "non-hate", "none", "clean"}


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A model and its tokenizer.

    Parameters
    ----------
    model
        Returns logits of shape (batch, labels).
    tokenizer
        Neither pads nor truncates.
    labels
        Names of the labels, in the order of the logits.
    toxic_labels
        The labels that mean toxic.
    """

    model: PreTrainedModel
    tokenizer: Tokenizer
    labels: tuple[str, ...]
    toxic_labels: tuple[str, ...]


def load(name: str, *, fresh_head: bool) -> Checkpoint:
    """Load a checkpoint.

    Parameters
    ----------
    name
        A folder or a hub id.
    fresh_head
        Whether to add a new classification head with two labels, for training.

    Returns
    -------
    Checkpoint
        With the model in evaluation mode, in fp32, on the CPU.

    Raises
    ------
    CheckpointError
        When the checkpoint cannot be loaded or it is unclear which labels mean toxic.
    """
    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    settings = {"num_labels": 2, "ignore_mismatched_sizes": True} if fresh_head else {}
    try:
        tokenizer = AutoTokenizer.from_pretrained(name).backend_tokenizer
        model = AutoModelForSequenceClassification.from_pretrained(
            name, dtype=torch.float32, **settings
        )
    except Exception as error:  # transformers raises exceptions of many libraries
        reason = " ".join(str(error).split())[:160]
        raise CheckpointError(
            f"cannot load checkpoint {name} ({reason}): give a Hugging Face folder or hub id"
        ) from error
    if fresh_head:
        model.config.id2label = dict(enumerate(LABELS))
        model.config.label2id = {label: number for number, label in enumerate(LABELS)}
    tokenizer.no_padding()
    tokenizer.no_truncation()
    model.eval()
    names = tuple(str(model.config.id2label[n]) for n in range(model.config.num_labels))
    return Checkpoint(model, tokenizer, names, toxic_labels(names))


def toxic_labels(labels: tuple[str, ...]) -> tuple[str, ...]:
    """Return the labels that mean toxic.

    Raises
    ------
    CheckpointError
        When the names do not make that clear.
    """
    names = [label.lower().replace("_", " ").removeprefix("label ").strip() for label in labels]
    toxic = tuple(
        label
        for label, name in zip(labels, names, strict=True)
        if name in _TOXIC_NAMES or (name not in _NOT_TOXIC_NAMES and _has_toxic_word(name))
    )
    if not toxic or len(toxic) == len(labels):
        raise CheckpointError(
            f"unclear which of the labels {', '.join(labels)} mean toxic: "
            "rename them in the checkpoint's id2label"
        )
    return toxic


def _has_toxic_word(name: str) -> bool:
    words = set(name.replace("-", " ").split())
    return bool(words & _TOXIC_NAMES) and not words & {"not", "no", "non"}


def save(checkpoint: Checkpoint, folder: Path) -> None:
    """Write a checkpoint as a Hugging Face folder."""
    folder.mkdir(parents=True, exist_ok=True)
    checkpoint.model.save_pretrained(folder)
    checkpoint.tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(
        '{"tokenizer_class": "PreTrainedTokenizerFast"}\n', encoding="utf-8"
    )
