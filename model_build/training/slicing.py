"""BERT classifiers whose layers have different numbers of attention heads and neurons.

The slicing is done here: transformers 5 no longer prunes heads, and torch-pruning, which traces
what hangs together, would be one more dependency for six linear layers that are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from transformers import BertConfig, BertForSequenceClassification, PreTrainedModel
from transformers.pytorch_utils import prune_linear_layer

from model_build.training.mean_pooling import MeanPooledBert
from model_build.training.pretrained import CheckpointError

Indices = tuple[tuple[int, ...], ...]
"""Heads or neurons of each layer, in ascending order."""


class PrunedBert(BertForSequenceClassification):  # type: ignore[misc]  # mypy is told to skip torch
    """A BERT classifier whose layers have the sizes that its configuration lists.

    Parameters
    ----------
    config
        ``heads_per_layer`` and ``neurons_per_layer`` hold what is left in each layer;
        ``num_attention_heads`` and ``intermediate_size`` what was there before.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__(config)
        _slice_as_configured(self)


class PrunedMeanPooledBert(MeanPooledBert):
    """The same, of one that reads the mean over the tokens.

    Parameters
    ----------
    config
        See `PrunedBert`.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__(config)
        _slice_as_configured(self)


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of a model.

    Parameters
    ----------
    heads, neurons
        The attention heads and the intermediate neurons.
    """

    heads: Indices
    neurons: Indices


def is_pruned(config: object) -> bool:
    """Report whether a model with this configuration lost heads or neurons."""
    return hasattr(config, "heads_per_layer")


def bert_class(config: BertConfig, *, mean_pooled: bool) -> type[PreTrainedModel]:
    """Return the class of a BERT classifier with this configuration."""
    if mean_pooled:
        return PrunedMeanPooledBert if is_pruned(config) else MeanPooledBert
    return PrunedBert if is_pruned(config) else BertForSequenceClassification


def cut(model: PreTrainedModel, kept: Kept) -> PreTrainedModel:
    """Return a model without the heads and neurons that are not kept.

    Parameters
    ----------
    model
        A BERT classifier, which is changed.
    kept
        What to keep; everything for the model as it is.
    """
    sizes = tuple(len(heads) for heads in kept.heads), tuple(len(n) for n in kept.neurons)
    if sizes == layer_sizes(model):
        return model
    _slice(model, kept.heads, kept.neurons)
    model.config.heads_per_layer, model.config.neurons_per_layer = map(list, sizes)
    model.__class__ = bert_class(model.config, mean_pooled=isinstance(model, MeanPooledBert))
    model.config.architectures = [model.__class__.__name__]
    return model


def layers(model: PreTrainedModel) -> list[torch.nn.Module]:
    """Return the layers of a BERT classifier.

    Raises
    ------
    CheckpointError
        When it is another kind of model.
    """
    if not isinstance(model, BertForSequenceClassification | MeanPooledBert):
        raise CheckpointError(f"a {type(model).__name__} cannot be pruned: only BERT can")
    return list(model.bert.encoder.layer)


def layer_sizes(model: PreTrainedModel) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the number of heads, and of intermediate neurons, in each layer."""
    return (
        tuple(layer.attention.self.num_attention_heads for layer in layers(model)),
        tuple(layer.intermediate.dense.out_features for layer in layers(model)),
    )


def channels(heads: Sequence[int], size: int) -> torch.Tensor:
    """Return the channels of some attention heads, each of a size."""
    return torch.tensor([head * size + n for head in heads for n in range(size)])


def _slice_as_configured(model: PreTrainedModel) -> None:
    _slice(
        model,
        [range(heads) for heads in model.config.heads_per_layer],
        [range(neurons) for neurons in model.config.neurons_per_layer],
    )


def _slice(
    model: PreTrainedModel, heads: Sequence[Sequence[int]], neurons: Sequence[Sequence[int]]
) -> None:
    """Cut each layer to some of its heads and neurons, in place."""
    for layer, kept_heads, kept_neurons in zip(layers(model), heads, neurons, strict=True):
        attention = layer.attention.self
        size = attention.attention_head_size
        kept_channels = channels(kept_heads, size)
        for name in ("query", "key", "value"):
            setattr(attention, name, prune_linear_layer(getattr(attention, name), kept_channels))
        output = layer.attention.output
        output.dense = prune_linear_layer(output.dense, kept_channels, dim=1)
        attention.num_attention_heads = len(kept_heads)
        attention.all_head_size = len(kept_channels)
        rows = torch.tensor(list(kept_neurons))
        layer.intermediate.dense = prune_linear_layer(layer.intermediate.dense, rows)
        layer.output.dense = prune_linear_layer(layer.output.dense, rows, dim=1)
