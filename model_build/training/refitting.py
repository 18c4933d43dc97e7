"""Fit the linear layers behind removed heads and neurons again, so that hidden states stay.

Heads and neurons overlap: much of what a removed one gave to the next linear layer, the others can
give. Layer by layer, from the bottom, the weights of those that stay are the least-squares fit of
the hidden states that the whole model has, from the inputs that the pruned one has by then, so that
a layer also makes up for those below it (He et al. 2017, "Channel Pruning for Accelerating Very
Deep Neural Networks", section 3.2; for transformers, Kwon et al. 2022, "A Fast Post-Training
Pruning Framework for Transformers", section 4.3).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from model_build import terminal
from model_build.training.batches import batches_by_length, tokenize
from model_build.training.checkpoint import Checkpoint
from model_build.training.mean_pooling import MeanPooledBert
from model_build.training.slicing import Kept, channels, layers

_BATCH = 32
_RIDGE = 1e-4
"""How hard the weights are held to the former ones, relative to the mean square of an input."""


@dataclass(slots=True)
class _Batch:
    """The hidden states of some texts below the layer in question, shape (texts, tokens, width).

    Parameters
    ----------
    mask
        Whether a token is one of the text, shape (texts, tokens).
    whole, pruned
        In the whole model and in the pruned one.
    """

    mask: torch.Tensor
    whole: torch.Tensor
    pruned: torch.Tensor

    @property
    def bias(self) -> torch.Tensor:
        """What is added to the attention scores, shape (texts, 1, 1, tokens)."""
        bias = torch.zeros(self.mask.shape).masked_fill(~self.mask, torch.finfo().min)
        return bias[:, None, None, :]


def refit(checkpoint: Checkpoint, texts: Sequence[str], max_tokens: int, kept: Kept) -> None:
    """Fit the layers behind heads and neurons to what will be kept, in place.

    Parameters
    ----------
    checkpoint
        A BERT classifier on the CPU that still has the heads and neurons that will go.
    texts
        Normalized texts, over whose tokens the hidden states are compared.
    max_tokens
        Length at which they are truncated.
    kept
        What will be kept; the weights behind the rest become zero.

    Raises
    ------
    CheckpointError
        When the model is not a BERT.
    """
    model = checkpoint.model.eval()
    blocks = layers(model)
    with torch.inference_mode(), terminal.progress() as bar:
        batches = _embedded(checkpoint, texts, max_tokens)
        for number in bar.track(range(len(blocks)), description="layers"):
            block = blocks[number]
            # A head that does not read the mean reads the first token of the last layer alone.
            first_alone = number == len(blocks) - 1 and not isinstance(model, MeanPooledBert)
            attend = functools.partial(_attend, block.attention.self)
            activate = functools.partial(_activate, block.intermediate)
            of_heads = channels(kept.heads[number], block.attention.self.attention_head_size)
            of_neurons = torch.tensor(kept.neurons[number])
            _advance(batches, attend, block.attention.output, of_heads, first_alone=first_alone)
            _advance(batches, activate, block.output, of_neurons, first_alone=first_alone)


def _embedded(checkpoint: Checkpoint, texts: Sequence[str], max_tokens: int) -> list[_Batch]:
    model = checkpoint.model
    tokens = tokenize(checkpoint.tokenizer, list(texts), max_tokens, model.config.pad_token_id)
    batches = []
    for indices in batches_by_length(tokens, _BATCH):
        inputs = tokens.tensors(indices)
        states = model.bert.embeddings(input_ids=inputs["input_ids"])
        batches.append(_Batch(inputs["attention_mask"].bool(), states, states))
    return batches


def _attend(attention: Any, hidden: torch.Tensor, batch: _Batch) -> torch.Tensor:
    context: torch.Tensor = attention(hidden, attention_mask=batch.bias)[0]
    return context


def _activate(intermediate: Any, hidden: torch.Tensor, _batch: _Batch) -> torch.Tensor:
    activated: torch.Tensor = intermediate(hidden)
    return activated


def _advance(
    batches: Iterable[_Batch],
    inputs_of: Callable[[torch.Tensor, _Batch], torch.Tensor],
    output: torch.nn.Module,
    kept: torch.Tensor,
    *,
    first_alone: bool,
) -> None:
    """Fit one linear layer, and let both models compute what follows it.

    Parameters
    ----------
    batches
        The hidden states below, which become those above.
    inputs_of
        Computes the inputs of the linear layer, shape (texts, tokens, channels).
    output
        The linear layer ``dense`` and the normalization of the sum of its outputs and the hidden
        states.
    kept
        The channels that are kept.
    first_alone
        Whether only the first token of each text matters.
    """
    linear, normalize = output.dense, output.LayerNorm
    former = linear.weight.T[kept]
    products = torch.zeros(len(kept) + 1, len(kept) + 1, dtype=torch.float64)
    missing = torch.zeros(len(kept) + 1, former.shape[1], dtype=torch.float64)
    for batch in batches:
        aim = linear(inputs_of(batch.whole, batch)) + batch.whole
        matters = batch.mask.clone()
        if first_alone:
            matters[:, 1:] = False
        rows = inputs_of(batch.pruned, batch)[matters][:, kept]
        lacks = (aim - batch.pruned)[matters] - rows @ former - linear.bias
        rows = torch.cat([rows, rows.new_ones(len(rows), 1)], dim=1)
        products += rows.T @ rows
        missing += rows.T @ lacks
        batch.whole = normalize(aim)
    ridge = _RIDGE * products.diagonal().mean() * torch.eye(len(products), dtype=torch.float64)
    change = torch.linalg.solve(products + ridge, missing)
    linear.weight.zero_()
    linear.weight[:, kept] = (former + change[:-1]).T.to(linear.weight.dtype)
    linear.bias += change[-1]
    # The inputs are computed again, not kept: those of neurons are four times as wide.
    for batch in batches:
        batch.pruned = normalize(linear(inputs_of(batch.pruned, batch)) + batch.pruned)
