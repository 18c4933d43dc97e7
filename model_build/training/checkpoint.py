"""Sequence classifiers with their tokenizers, as Hugging Face checkpoints."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer
from transformers import (
    AutoConfig,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    PreTrainedModel,
)
from transformers.utils import logging as transformers_logging

from model_build.training import exits
from model_build.training.pretrained import CheckpointError
from model_build.training.slicing import bert_class, is_pruned

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
        Returns logits of shape (batch, labels + kinds).
    tokenizer
        Neither pads nor truncates.
    labels
        Names of the labels, in the order of the logits.
    toxic_labels
        The labels that mean toxic.
    kinds
        Names of the kinds of toxicity that the model tells apart, in the order of the logits
        that follow those of the labels.
    """

    model: PreTrainedModel
    tokenizer: Tokenizer
    labels: tuple[str, ...]
    toxic_labels: tuple[str, ...]
    kinds: tuple[str, ...] = ()


def load(
    name: str, *, fresh_head: bool, kinds: tuple[str, ...] = (), mean_pooling: bool = False
) -> Checkpoint:
    """Load a checkpoint.

    Parameters
    ----------
    name
        A folder or a hub id.
    fresh_head
        Whether the model gets a head with two labels and the kinds, for training. A head that
        has these labels already is kept, with new outputs for the kinds that it lacks.
    kinds
        Names of the kinds of such a head.
    mean_pooling
        Whether a fresh head reads the mean over the tokens of a BERT encoder; a head that has been
        trained says so itself.

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
    try:
        tokenizer = AutoTokenizer.from_pretrained(name).backend_tokenizer
        config = AutoConfig.from_pretrained(name)
        is_ours = config.num_labels == len(LABELS) + len(getattr(config, "kinds", ()))
        keeps_head = is_ours and tuple(config.id2label.values())[: len(LABELS)] == LABELS
        if fresh_head and not keeps_head:
            config.num_labels, config.kinds = len(LABELS), []
        mean_pooled = mean_pooling or getattr(config, "pooling", None) == "mean"
        kind = AutoModelForSequenceClassification
        if mean_pooled or is_pruned(config):
            kind = bert_class(config, mean_pooled=mean_pooled)
        model = kind.from_pretrained(
            name, config=config, dtype=torch.float32, ignore_mismatched_sizes=fresh_head
        )
    except Exception as error:  # transformers raises exceptions of many libraries
        reason = " ".join(str(error).split())[:160]
        raise CheckpointError(
            f"cannot load checkpoint {name} ({reason}): give a Hugging Face folder or hub id"
        ) from error
    if fresh_head:
        _add_kinds(model, kinds)
    exits.restore(model, Path(name))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    model.eval()
    names = tuple(str(model.config.id2label[n]) for n in range(model.config.num_labels))
    shown = tuple(getattr(model.config, "kinds", ()))
    labels = names[: len(names) - len(shown)]
    return Checkpoint(model, tokenizer, labels, toxic_labels(labels), shown)


def _add_kinds(model: PreTrainedModel, kinds: tuple[str, ...]) -> None:
    """Give the head outputs for kinds, keeping those that it has."""
    names = (*LABELS, *kinds)
    old = dict(model.config.label2id) if getattr(model.config, "kinds", ()) else {}
    old |= {label: number for number, label in enumerate(LABELS)}
    head = _last_linear(model)
    grown = torch.nn.Linear(head.in_features, len(names))
    with torch.no_grad():
        torch.nn.init.normal_(grown.weight, std=0.02)
        torch.nn.init.zeros_(grown.bias)
        for number, name in enumerate(names):
            if name in old:
                grown.weight[number] = head.weight[old[name]]
                grown.bias[number] = head.bias[old[name]]
    head.weight, head.bias, head.out_features = grown.weight, grown.bias, len(names)
    model.num_labels = model.config.num_labels = len(names)
    model.config.id2label = dict(enumerate(names))
    model.config.label2id = {label: number for number, label in enumerate(names)}
    model.config.kinds = list(kinds)


def _last_linear(model: PreTrainedModel) -> torch.nn.Linear:
    """Return the layer that computes the logits."""
    layers = [m for m in model.modules() if isinstance(m, torch.nn.Linear)]
    return next(m for m in reversed(layers) if m.out_features == model.config.num_labels)


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
    weights = checkpoint.model.state_dict()
    weights = {name: value for name, value in weights.items() if not name.startswith("exits.")}
    checkpoint.model.save_pretrained(folder, state_dict=weights)
    exits.save(checkpoint.model, folder)
    checkpoint.tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(
        '{"tokenizer_class": "PreTrainedTokenizerFast"}\n', encoding="utf-8"
    )
