"""Sequence classifiers and their tokenizers, as transformers keeps them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer
from transformers import AutoModelForSequenceClassification, AutoTokenizer, PreTrainedModel
from transformers.utils import logging as transformers_logging

from model_build.training.pretrained import CheckpointError

LABELS = ("not toxic", "toxic")
# What public checkpoints call the labels that count as toxic.
_TOXIC_NAMES = {"toxic", "hate", "hateful", "offensive", "abusive", "hate speech", "1"}
_NOT_TOXIC_NAMES = {"not toxic", "neither", "neutral", "normal", "0", "non-hate", "none", "clean"}


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A model and its tokenizer.

    Parameters
    ----------
    model
        Gives logits of shape (batch, labels).
    tokenizer
        Without padding or truncation.
    labels
        Names of the labels, in the order of the logits.
    toxic_labels
        Those of them that mean toxic.
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
        Whether to put a new head of two labels on an encoder, for training.

    Returns
    -------
    Checkpoint
        Its model is in evaluation mode, in 32-bit floats, on the CPU.

    Raises
    ------
    CheckpointError
        When it cannot be loaded, or its labels do not tell which mean toxic.
    """
    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    settings = {"num_labels": 2, "ignore_mismatched_sizes": True} if fresh_head else {}
    try:
        tokenizer = AutoTokenizer.from_pretrained(name).backend_tokenizer
        model = AutoModelForSequenceClassification.from_pretrained(
            name, dtype=torch.float32, **settings
        )
    except Exception as error:  # transformers raises classes of many libraries
        reason = " ".join(str(error).split())[:160]
        raise CheckpointError(
            f"{name} is no checkpoint that can be loaded ({reason}): give a Hugging Face folder"
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
        When the names do not tell.
    """
    plain = [label.lower().replace("_", " ").removeprefix("label ").strip() for label in labels]
    toxic = tuple(
        label
        for label, name in zip(labels, plain, strict=True)
        if name in _TOXIC_NAMES or (name not in _NOT_TOXIC_NAMES and _has_toxic_word(name))
    )
    if not toxic or len(toxic) == len(labels):
        raise CheckpointError(
            f"labels {', '.join(labels)} do not tell which mean toxic: "
            "name them in the checkpoint's id2label"
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
