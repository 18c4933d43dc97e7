"""The layers of an encoder: which of them learn, and how fast."""

from __future__ import annotations

from typing import Any

import torch

from model_build.profile import Training


def _layer(name: str) -> int | None:
    """Return the layer of a parameter: -1 for the embeddings, None for the head."""
    if "encoder.layer." in name or "transformer.layer." in name:
        return int(name.split("layer.")[1].split(".")[0])
    below = "embeddings" in name or "relative_attention_bias" in name
    return -1 if below else None


def freeze(model: torch.nn.Module, frozen_layers: int) -> None:
    """Let only the layers from ``frozen_layers`` up learn; 0 lets the embeddings learn, too."""
    for name, parameter in model.named_parameters():
        layer = _layer(name)
        parameter.requires_grad_(frozen_layers == 0 or layer is None or layer >= frozen_layers)


def parameter_groups(model: torch.nn.Module, training: Training) -> list[dict[str, Any]]:
    """Return the optimizer's groups, in which the learning rate decays layer by layer."""
    layers = int(model.config.num_hidden_layers)
    groups: dict[int, list[torch.nn.Parameter]] = {}
    for name, parameter in model.named_parameters():
        layer = _layer(name)
        depth = 0 if layer is None else layers - layer
        if parameter.requires_grad:
            groups.setdefault(depth, []).append(parameter)
    return [
        {"params": parameters, "lr": training.learning_rate * training.layer_decay**depth}
        for depth, parameters in sorted(groups.items())
    ]
