"""Export a PyTorch checkpoint to an ONNX graph with the same logits."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from transformers import PreTrainedModel
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

from model_build.graph.early_exit import FINAL, output_name
from model_build.graph.parity import PROBES, assert_parity, max_probe_tokens
from model_build.graph.runner import OnnxGraph, encode
from model_build.training.checkpoint import Checkpoint
from model_build.training.checkpoint import load as load_checkpoint
from model_build.work import GRAPH, MODEL, Work

OPSET = 17
_ATTENTION = "exported"
_MASK_BIAS = -10000.0


class _ExportModule(torch.nn.Module):  # type: ignore[misc]  # mypy is told to skip torch
    """A model with explicit positions and attention mask, in a form that fusion recognizes.

    Padding, if any, must be on the right.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        super().__init__()
        self.model = model
        self.parameter_names = _forward_parameters(model)
        self.first_position = 0
        # RoBERTa and MPNet number positions from the padding ID up.
        if model.config.model_type not in ("bert", "distilbert"):
            self.first_position = int(model.config.pad_token_id) + 1
        self.eval()

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        mask = (1.0 - attention_mask[:, None, None, :].to(torch.float32)) * _MASK_BIAS
        inputs = {"input_ids": input_ids, "attention_mask": mask}
        if "position_ids" in self.parameter_names:
            inputs["position_ids"] = (
                torch.arange(input_ids.shape[1], device=input_ids.device)[None]
                + self.first_position
            )
        if "token_type_ids" in self.parameter_names:
            inputs["token_type_ids"] = torch.zeros_like(input_ids)
        return all_logits(self.model, inputs)


def all_logits(model: PreTrainedModel, inputs: Mapping[str, Any]) -> tuple[torch.Tensor, ...]:
    """Return the logits of the last head, then those of the exit heads from the lowest up."""
    if not hasattr(model, "exits"):
        return (model(**inputs).logits,)
    output = model(**inputs, output_hidden_states=True)
    return (output.logits, *model.exits(output.hidden_states))


def _attention(
    _module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor,
    scaling: float,
    **_settings: object,
) -> tuple[torch.Tensor, None]:
    # The optimizer fuses attention only in this form: divide the scores, then mask them.
    scores = torch.matmul(query, key.transpose(2, 3)) / (1.0 / scaling) + attention_mask
    context = torch.matmul(torch.softmax(scores, dim=-1), value)
    return context.transpose(1, 2).contiguous(), None


def run(work: Work, *, source: str = "train", force: bool = False) -> Path:
    """Run the step: write ``export/model.onnx``.

    Parameters
    ----------
    work
        Work folder that holds the checkpoint written by the ``source`` step.
    source
        Step whose checkpoint is exported: ``train``, ``distill``, ``average`` or
        ``prune``.
    force
        Run the step even if it is up to date.
    """
    model = work.require(source, MODEL)

    def action(folder: Path) -> Mapping[str, Any]:
        checkpoint = load_checkpoint(str(model), fresh_head=False)
        parity = export(checkpoint, folder / GRAPH)
        return {
            "parity": parity,
            "labels": checkpoint.labels,
            "toxic_labels": checkpoint.toxic_labels,
            "kinds": checkpoint.kinds,
        }

    return work.run("export", {"source": source, "opset": OPSET}, [model], action, force=force)


def export(checkpoint: Checkpoint, path: Path) -> float:
    """Write a checkpoint as an ONNX graph and verify that its logits match PyTorch's.

    Parameters
    ----------
    checkpoint
        In evaluation mode, on the CPU.
    path
        The file to write: int64 inputs ``input_ids`` and ``attention_mask`` of shape
        (batch, tokens), both dynamic; float32 output ``logits`` of shape (batch, labels), and
        one of the same shape for each exit head, named by `early_exit.output_name`.

    Returns
    -------
    float
        Largest absolute difference between the graph's logits and PyTorch's.

    Raises
    ------
    ParityError
        When that difference is not below 1e-4.
    """
    model = checkpoint.model
    ALL_ATTENTION_FUNCTIONS.register(_ATTENTION, _attention)
    original_attention = model.config._attn_implementation
    model.config._attn_implementation = _ATTENTION
    example = torch.arange(16).reshape(2, 8) % model.config.vocab_size
    input_names = ["input_ids", "attention_mask"]
    heads = model.exits.heads if hasattr(model, "exits") else ()
    output_names = [FINAL, *(output_name(layer) for layer in range(1, len(heads) + 1))]
    dynamic_axes = {name: {0: "batch", 1: "tokens"} for name in input_names}
    dynamic_axes |= {name: {0: "batch"} for name in output_names}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            _ExportModule(model),
            (example, torch.ones_like(example)),
            str(path),
            input_names=input_names,
            output_names=output_names,
            dynamic_axes=dynamic_axes,
            opset_version=OPSET,
            do_constant_folding=True,
            dynamo=False,
        )
    model.config._attn_implementation = original_attention
    max_tokens = max_probe_tokens(int(model.config.max_position_embeddings))
    probes = encode(checkpoint.tokenizer, PROBES, max_tokens)
    with torch.inference_mode():
        expected = [
            torch.cat(
                all_logits(model, {"input_ids": ids, "attention_mask": torch.ones_like(ids)}), dim=1
            ).numpy()
            for ids in map(torch.from_numpy, probes)
        ]
    graph = OnnxGraph(path)
    actual = [graph.run_all_heads(probe) for probe in probes]
    return assert_parity(expected, actual, "ONNX against PyTorch")


def _forward_parameters(model: torch.nn.Module) -> set[str]:
    return set(inspect.signature(model.forward).parameters)
