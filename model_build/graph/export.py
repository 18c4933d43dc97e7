"""Turn a PyTorch checkpoint into an ONNX graph that answers the same."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from transformers import PreTrainedModel
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

from model_build.graph.parity import PROBES, assert_parity
from model_build.graph.runner import OnnxGraph, encode
from model_build.training import checkpoint as checkpoints
from model_build.training.checkpoint import Checkpoint
from model_build.work import GRAPH, MODEL, Work

OPSET = 17
ATTENTION = "exported"
_MASKED = -10000.0


class _Logits(torch.nn.Module):  # type: ignore[misc]  # mypy is told to skip torch
    """The model with its positions and mask written plainly, so that fusion knows them.

    Padding, if there is any, is on the right.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        super().__init__()
        self.model = model
        self.extras = _arguments(model)
        self.first = 0
        # RoBERTa and MPNet count positions from the padding id on.
        if model.config.model_type not in ("bert", "distilbert"):
            self.first = int(model.config.pad_token_id) + 1
        self.eval()

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        mask = (1.0 - attention_mask[:, None, None, :].to(torch.float32)) * _MASKED
        inputs = {"input_ids": input_ids, "attention_mask": mask}
        if "position_ids" in self.extras:
            inputs["position_ids"] = (
                torch.arange(input_ids.shape[1], device=input_ids.device)[None] + self.first
            )
        if "token_type_ids" in self.extras:
            inputs["token_type_ids"] = torch.zeros_like(input_ids)
        logits: torch.Tensor = self.model(**inputs).logits
        return logits


def _attention(
    _module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor,
    scaling: float,
    **_settings: object,
) -> tuple[torch.Tensor, None]:
    # Written as the fusion of the next step knows it: scores divided, then masked.
    scores = torch.matmul(query, key.transpose(2, 3)) / (1.0 / scaling) + attention_mask
    found = torch.matmul(torch.softmax(scores, dim=-1), value)
    return found.transpose(1, 2).contiguous(), None


def run(work: Work, *, source: str = "train", force: bool = False) -> Path:
    """Do the step: write ``export/model.onnx``.

    Parameters
    ----------
    work
        Holds the checkpoint that the ``source`` step wrote.
    source
        ``train`` or ``distill``.
    force
        Do it again even if it was done with these settings.
    """
    model = work.needed(source, MODEL)

    def action(folder: Path) -> Mapping[str, Any]:
        checkpoint = checkpoints.load(str(model), fresh_head=False)
        parity = export(checkpoint, folder / GRAPH)
        return {
            "parity": parity,
            "labels": checkpoint.labels,
            "toxic_labels": checkpoint.toxic_labels,
        }

    return work.run("export", {"source": source, "opset": OPSET}, [model], action, force=force)


def export(checkpoint: Checkpoint, path: Path) -> float:
    """Write a checkpoint as ONNX and prove that it answers the same.

    Parameters
    ----------
    checkpoint
        In evaluation mode, on the CPU.
    path
        The file to write: int64 inputs ``input_ids`` and ``attention_mask`` of shape
        (batch, tokens), both dynamic; float32 output ``logits`` of shape (batch, labels).

    Returns
    -------
    float
        Largest absolute difference of logits to PyTorch.

    Raises
    ------
    ParityError
        When that is not under 1e-4.
    """
    model = checkpoint.model
    ALL_ATTENTION_FUNCTIONS.register(ATTENTION, _attention)
    before = model.config._attn_implementation
    model.config._attn_implementation = ATTENTION
    example = torch.arange(16).reshape(2, 8) % model.config.vocab_size
    names = ["input_ids", "attention_mask"]
    dynamic = {name: {0: "batch", 1: "tokens"} for name in names} | {"logits": {0: "batch"}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            _Logits(model),
            (example, torch.ones_like(example)),
            str(path),
            input_names=names,
            output_names=["logits"],
            dynamic_axes=dynamic,
            opset_version=OPSET,
            do_constant_folding=True,
            dynamo=False,
        )
    model.config._attn_implementation = before
    probes = encode(checkpoint.tokenizer, PROBES, _longest(model))
    with torch.inference_mode():
        expected = [
            model(
                input_ids=(ids := torch.from_numpy(p)), attention_mask=torch.ones_like(ids)
            ).logits.numpy()
            for p in probes
        ]
    graph = OnnxGraph(path)
    return assert_parity(expected, [graph.run(p) for p in probes], "ONNX against PyTorch")


def _arguments(model: torch.nn.Module) -> set[str]:
    return set(inspect.signature(model.forward).parameters)


def _longest(model: torch.nn.Module) -> int:
    return min(256, int(model.config.max_position_embeddings) - 2)
