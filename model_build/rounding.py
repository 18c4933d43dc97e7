"""Layers that round to 8 bits as they compute, so that training sees what int8 will do.

Quantization-aware training after Jacob et al. 2018, "Quantization and Training of Neural
Networks for Efficient Integer-Arithmetic-Only Inference": values are rounded on the way
forward, gradients pass as if they were not. What is rounded is what `model_build.quantize`
rounds: the inputs of an encoder's layers with one scale a text, their weights with one scale
an output channel, outlier channels divided before.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch.nn import functional

from model_build import outlier
from model_build.batch import in_order, tokenize
from model_build.checkpoint import Checkpoint

_LAYERS = "layer."
_LEVELS = 255
_LARGEST_WEIGHT = 127


class RoundedLinear(torch.nn.Linear):  # type: ignore[misc]
    """A linear layer that computes in floats what its int8 form would.

    Parameters
    ----------
    linear
        Whose weights it shares.
    scale
        What each input channel is divided by, shape (channels,).
    """

    def __init__(self, linear: torch.nn.Linear, scale: torch.Tensor) -> None:
        super().__init__(linear.in_features, linear.out_features, device="meta")
        self.weight, self.bias = linear.weight, linear.bias
        self.register_buffer("scale", scale, persistent=False)

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        """Return the layer's output for values of shape (texts, tokens, channels)."""
        rounded = rounded_activations(values.float() / self.scale)
        return functional.linear(rounded, rounded_weights(self.weight * self.scale), self.bias)


def rounded_activations(values: torch.Tensor) -> torch.Tensor:
    """Return values on 256 levels between the least and the greatest of each text.

    As ONNX's DynamicQuantizeLinear: unsigned, and zero is one of the levels.
    """
    axes = tuple(range(1, values.dim()))
    with torch.no_grad():
        least = values.amin(axes, keepdim=True).clamp(max=0)
        greatest = values.amax(axes, keepdim=True).clamp(min=0)
        step = ((greatest - least) / _LEVELS).clamp(min=1e-12)
        zero = (-least / step).round()
        moved = ((values / step).round() + zero).clamp(0, _LEVELS).sub(zero).mul(step) - values
    return values + moved


def rounded_weights(weights: torch.Tensor) -> torch.Tensor:
    """Return weights on 255 levels around zero, with a scale for each output channel."""
    with torch.no_grad():
        step = (weights.abs().amax(1, keepdim=True) / _LARGEST_WEIGHT).clamp(min=1e-12)
        moved = (weights / step).round() * step - weights
    return weights + moved


def round_layers(checkpoint: Checkpoint, texts: Sequence[str], most: int) -> None:
    """Replace the linear layers of an encoder by rounding ones, in place.

    Parameters
    ----------
    checkpoint
        Its model keeps its parameters and their names.
    texts
        Normalized texts on which outlier channels are looked for.
    most
        Tokens of a text at the most.
    """
    layers = {
        name: module
        for name, module in checkpoint.model.named_modules()
        if _LAYERS in name and type(module) is torch.nn.Linear
    }
    largest = _largest(checkpoint, list(layers.values()), texts, most)
    for name, layer in layers.items():
        scale = torch.from_numpy(outlier.scale(largest[layer].cpu().numpy()))
        parent, _, child = name.rpartition(".")
        rounded = RoundedLinear(layer, scale.to(layer.weight.device))
        setattr(checkpoint.model.get_submodule(parent), child, rounded)


def _largest(
    checkpoint: Checkpoint, layers: Sequence[torch.nn.Linear], texts: Sequence[str], most: int
) -> dict[torch.nn.Module, torch.Tensor]:
    """Return the largest absolute value of each input channel of each layer."""
    found: dict[torch.nn.Module, torch.Tensor] = {}

    def look(layer: torch.nn.Module, inputs: tuple[torch.Tensor, ...]) -> None:
        here = inputs[0].abs().flatten(0, -2).amax(0)
        found[layer] = torch.maximum(found.get(layer, here), here)

    model = checkpoint.model.eval()
    hooks = [layer.register_forward_pre_hook(look) for layer in layers]
    tokens = tokenize(checkpoint.tokenizer, texts, most, model.config.pad_token_id)
    try:
        with torch.inference_mode():
            for places in in_order(tokens, 1):
                model(**tokens.tensors(places))
    finally:
        for hook in hooks:
            hook.remove()
    return {layer: largest.clone() for layer, largest in found.items()}
