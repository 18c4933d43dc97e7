"""Heads after the lower layers, by which a clear text leaves the encoder early.

They are trained together with the last head, after Zhou et al. 2020, "BERT Loses Patience: Fast
and Robust Inference with Early Exit". Which of them are served, and when a text is clear, is
decided later (`model_build.graph.early_exit`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from transformers import PreTrainedModel

EXITS = "exits.safetensors"
_WIDTH = 128


class ExitHeads(torch.nn.Module):  # type: ignore[misc]  # mypy is told to skip torch
    """One head for each layer but the last.

    Parameters
    ----------
    layers
        Layers of the encoder.
    hidden
        Width of the encoder.
    outputs
        Logits of each head: the labels, then the kinds.
    """

    def __init__(self, layers: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.heads = torch.nn.ModuleList(
            torch.nn.Sequential(
                torch.nn.Linear(hidden, _WIDTH), torch.nn.Tanh(), torch.nn.Linear(_WIDTH, outputs)
            )
            for _ in range(layers - 1)
        )

    def forward(self, hidden_states: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Return the logits after each layer but the last.

        Parameters
        ----------
        hidden_states
            The embeddings and the output of each layer, (batch, tokens, hidden) each.
        """
        states = hidden_states[1 : len(self.heads) + 1]
        return [head(state[:, 0]) for head, state in zip(self.heads, states, strict=True)]


def attach(model: PreTrainedModel) -> None:
    """Give a classifier new exit heads, unless it has some."""
    if not hasattr(model, "exits"):
        config = model.config
        model.exits = ExitHeads(config.num_hidden_layers, config.hidden_size, config.num_labels)


def save(model: PreTrainedModel, folder: Path) -> None:
    """Write the exit heads of a classifier, if it has any, into its folder."""
    if hasattr(model, "exits"):
        save_file(model.exits.state_dict(), folder / EXITS)


def restore(model: PreTrainedModel, folder: Path) -> None:
    """Attach the exit heads that a folder holds, if it does and they fit the outputs."""
    if not (folder / EXITS).is_file():
        return
    weights = load_file(folder / EXITS)
    if weights and len(weights["heads.0.2.bias"]) == model.config.num_labels:
        attach(model)
        model.exits.load_state_dict(weights)
