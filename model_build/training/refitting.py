"""Fit the linear layers behind removed heads and neurons again, so that their outputs stay.

Heads and neurons overlap: much of what a removed one gave to the next linear layer, the others can
give. The weights of those that stay are the least-squares fit of the layer's former outputs (He
et al. 2017, "Channel Pruning for Accelerating Very Deep Neural Networks"; for transformers, Kwon et
al. 2022, "A Fast Post-Training Pruning Framework for Transformers", section 4.3).
"""

from __future__ import annotations

from collections.abc import Sequence
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


@dataclass(frozen=True, slots=True)
class Products:
    """Inner products of the inputs of linear layers, over the tokens of some texts.

    Parameters
    ----------
    heads, neurons
        One tensor for each layer, of shape (channels + 1, channels + 1), the last channel a
        constant 1: for the layer behind the attention heads, and for that behind the neurons.
    """

    heads: tuple[torch.Tensor, ...]
    neurons: tuple[torch.Tensor, ...]


def observe(checkpoint: Checkpoint, texts: Sequence[str], max_tokens: int) -> Products:
    """Return the inner products over the tokens of some texts that reach the logits.

    Parameters
    ----------
    checkpoint
        A BERT classifier, on the CPU.
    texts
        Normalized texts.
    max_tokens
        Length at which they are truncated.

    Raises
    ------
    CheckpointError
        When the model is not a BERT.
    """
    model = checkpoint.model.eval()
    blocks = layers(model)
    tokens = tokenize(checkpoint.tokenizer, list(texts), max_tokens, model.config.pad_token_id)
    observed = [
        [_Observer(block.attention.output.dense) for block in blocks],
        [_Observer(block.output.dense) for block in blocks],
    ]
    with torch.inference_mode(), terminal.progress() as bar:
        for indices in bar.track(batches_by_length(tokens, _BATCH), description="inputs"):
            inputs = tokens.tensors(indices)
            mask = inputs["attention_mask"].bool()
            for observers in observed:
                for observer in observers:
                    observer.mask = mask
                if not isinstance(model, MeanPooledBert):
                    # The head reads the first token of the last layer alone.
                    observers[-1].mask = torch.zeros_like(mask)
                    observers[-1].mask[:, 0] = True
            model(**inputs)
    heads, neurons = (tuple(each.finish() for each in observers) for observers in observed)
    return Products(heads, neurons)


class _Observer:
    """Sums up the inner products of the inputs of a linear layer, at the tokens of a mask."""

    def __init__(self, linear: torch.nn.Linear) -> None:
        self.mask = torch.zeros(0, dtype=torch.bool)
        width = linear.in_features + 1
        self._sum = torch.zeros(width, width, dtype=torch.float64)
        self._hook = linear.register_forward_pre_hook(self._add)

    def _add(self, _module: torch.nn.Module, inputs: tuple[Any, ...]) -> None:
        rows = inputs[0][self.mask]
        rows = torch.cat([rows, rows.new_ones(len(rows), 1)], dim=1)
        self._sum += rows.T @ rows

    def finish(self) -> torch.Tensor:
        """Return the sum, and observe no more."""
        self._hook.remove()
        return self._sum


def refit(checkpoint: Checkpoint, products: Products, kept: Kept) -> None:
    """Fit the layers behind heads and neurons to what will be kept, in place.

    Parameters
    ----------
    checkpoint
        A BERT classifier that still has all its heads and neurons.
    products
        What `observe` returned for it.
    kept
        What will be kept; the weights of the rest become zero.
    """
    blocks = layers(checkpoint.model)
    for number, block in enumerate(blocks):
        size = block.attention.self.attention_head_size
        of_heads = channels(kept.heads[number], size)
        _refit(block.attention.output.dense, products.heads[number], of_heads)
        _refit(block.output.dense, products.neurons[number], torch.tensor(kept.neurons[number]))


def _refit(linear: torch.nn.Linear, products: torch.Tensor, kept: torch.Tensor) -> None:
    if len(kept) == linear.in_features:
        return
    kept = torch.cat([kept, torch.tensor([linear.in_features])])
    former = torch.cat([linear.weight.detach().T, linear.bias.detach()[None]]).double()
    among_kept = products[kept][:, kept]
    missing = products[kept] @ former - among_kept @ former[kept]
    ridge = _RIDGE * among_kept.diagonal().mean() * torch.eye(len(kept), dtype=torch.float64)
    fitted = torch.zeros_like(former)
    fitted[kept] = former[kept] + torch.linalg.solve(among_kept + ridge, missing)
    with torch.no_grad():
        linear.weight.copy_(fitted[:-1].T)
        linear.bias.copy_(fitted[-1])
