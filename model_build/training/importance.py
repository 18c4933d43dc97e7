"""How much each attention head and each intermediate neuron matters to the loss.

The first-order Taylor score: if the output of a unit were multiplied by a mask, how would the
loss of a row change with that mask? The mean of the absolute values over many rows is the
importance (Michel et al. 2019, "Are Sixteen Heads Really Better than One?", for heads; Molchanov
et al. 2019, "Importance Estimation for Neural Network Pruning", for channels). A batch needs one
forward and one backward pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch.nn import functional

from model_build import terminal
from model_build.training.batches import batches_by_length, tokenize
from model_build.training.checkpoint import Checkpoint
from model_build.training.slicing import layers

_BATCH = 32


@dataclass(frozen=True, slots=True)
class Importance:
    """The importance of the units of each layer.

    Parameters
    ----------
    heads, neurons
        One array for each layer, of shape (heads,) and (neurons,).
    """

    heads: tuple[NDArray[np.float64], ...]
    neurons: tuple[NDArray[np.float64], ...]


class Masks:
    """A mask of ones for each row on all heads and neurons, which collects their gradients."""

    def __init__(self, model: torch.nn.Module) -> None:
        self.layers = layers(model)
        self.heads: list[torch.Tensor] = []
        self.neurons: list[torch.Tensor] = []

    @contextmanager
    def attached(self) -> Iterator[None]:
        """Multiply the outputs of heads and neurons by the masks."""
        hooks = []
        for layer in self.layers:
            count = layer.attention.self.num_attention_heads
            hooks += [
                layer.attention.output.dense.register_forward_pre_hook(_mask(self.heads, count)),
                layer.output.dense.register_forward_pre_hook(_mask(self.neurons, None)),
            ]
        try:
            yield
        finally:
            for hook in hooks:
                hook.remove()

    def clear(self) -> None:
        """Forget the masks of the last batch."""
        self.heads.clear()
        self.neurons.clear()


def _mask(masks: list[torch.Tensor], units: int | None) -> Any:
    """Return a hook that multiplies an input of shape (rows, tokens, channels) by a new mask."""

    def multiply(_module: torch.nn.Module, inputs: tuple[torch.Tensor, ...]) -> torch.Tensor:
        rows, _, channels = inputs[0].shape
        count = units or channels
        mask = torch.ones(rows, 1, count, requires_grad=True)
        masks.append(mask)
        return inputs[0] * mask.repeat_interleave(channels // count, dim=2)

    return multiply


def estimate(checkpoint: Checkpoint, rows: pd.DataFrame, max_tokens: int) -> Importance:
    """Return the importance of all heads and neurons on some rows.

    Parameters
    ----------
    checkpoint
        A BERT classifier with the labels of this project, on the CPU.
    rows
        Columns text and target, and optionally one for each kind, in which NaN means unknown.
    max_tokens
        Length at which texts are truncated.

    Raises
    ------
    CheckpointError
        When the model is not a BERT.
    """
    model = checkpoint.model.eval()
    masks = Masks(model)
    tokens = tokenize(
        checkpoint.tokenizer, list(rows["text"]), max_tokens, model.config.pad_token_id
    )
    columns = [f"kind_{kind}" for kind in checkpoint.kinds]
    targets = torch.tensor(rows["target"].to_numpy(np.float32))
    kinds = torch.tensor(rows.reindex(columns=columns).to_numpy(np.float32))
    sums: list[torch.Tensor] = []
    with masks.attached(), terminal.progress() as bar:
        batches = batches_by_length(tokens, _BATCH)
        for indices in bar.track(batches, description="importance"):
            logits = model(**tokens.tensors(indices)).logits
            loss = _loss(logits, targets[indices], kinds[indices])
            all_masks = [*masks.heads, *masks.neurons]
            gradients = torch.autograd.grad(loss, all_masks)
            # Summed over the rows of the batch; the loss is a sum too, so rows do not mix.
            changes = [gradient.abs().sum(dim=(0, 1)).double() for gradient in gradients]
            sums = [a + b for a, b in zip(sums, changes, strict=True)] if sums else changes
            masks.clear()
    means = [(total / len(rows)).numpy() for total in sums]
    count = len(masks.layers)
    return Importance(tuple(means[:count]), tuple(means[count:]))


def _loss(logits: torch.Tensor, targets: torch.Tensor, kinds: torch.Tensor) -> torch.Tensor:
    """Return the loss of the verdicts and of the kinds that are known, summed over the rows."""
    verdicts = functional.binary_cross_entropy_with_logits(
        logits[:, 1] - logits[:, 0], targets, reduction="none"
    )
    known = ~kinds.isnan()
    told = functional.binary_cross_entropy_with_logits(
        logits[:, logits.shape[1] - kinds.shape[1] :], kinds.nan_to_num(), reduction="none"
    )
    return verdicts.sum() + ((told * known).sum(dim=1) / known.sum(dim=1).clamp(min=1)).sum()
