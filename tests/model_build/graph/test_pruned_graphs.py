"""A pruned model goes through every step to int8, and back."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the pipeline needs the 'build' dependencies")

import numpy as np
import onnx
import torch
from numpy.typing import NDArray

from model_build.graph import export, optimization, quantization, smoothing
from model_build.graph.parity import PROBES, TOLERANCE, assert_parity, max_difference
from model_build.graph.runner import OnnxGraph, encode
from model_build.rows.kinds import KINDS
from model_build.training import checkpoint as checkpoints
from model_build.training import served, slicing
from model_build.training.slicing import Kept
from model_build.work import GRAPH, write_json

SIZES = ((1, 2), (23, 40))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, tiny_bert: Path) -> Path:
    """Return a folder with a pruned checkpoint and all of its graphs."""
    folder = tmp_path_factory.mktemp("pruned")
    torch.manual_seed(3)
    checkpoint = checkpoints.load(str(tiny_bert), fresh_head=True, kinds=KINDS)
    with torch.no_grad():
        for parameter in checkpoint.model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.05)
    neurons = tuple(range(0, 46, 2)), tuple(range(40))
    slicing.cut(checkpoint.model, Kept(((1,), (0, 1)), neurons))
    checkpoints.save(checkpoint, folder / "checkpoint")
    loaded = checkpoints.load(str(folder / "checkpoint"), fresh_head=False)
    assert export.export(loaded, folder / "export.onnx") < TOLERANCE
    fused = optimization.optimize(
        folder / "export.onnx", folder / "optimized.onnx", folder / "checkpoint"
    )
    assert fused["Attention"] == 2
    texts = encode(checkpoint.tokenizer, smoothing.calibration_texts(), 64)
    quantization.quantize(folder / "optimized.onnx", folder / GRAPH, texts)
    (folder / "tokenizer.json").write_bytes((folder / "checkpoint/tokenizer.json").read_bytes())
    kinds = [{"name": kind, "threshold": 0.5} for kind in KINDS]
    labels = {"labels": list(checkpoints.LABELS), "toxic_labels": ["toxic"], "kinds": kinds}
    write_json(folder / "config.json", labels)
    return folder


def _logits(folder: Path, name: str) -> list[NDArray[np.float32]]:
    checkpoint = checkpoints.load(str(folder / "checkpoint"), fresh_head=False)
    graph = OnnxGraph(folder / name)
    return [graph.run(ids) for ids in encode(checkpoint.tokenizer, PROBES, 64)]


def test_the_fused_graph_of_a_pruned_model_has_its_logits(folder: Path) -> None:
    assert_parity(_logits(folder, "export.onnx"), _logits(folder, "optimized.onnx"), "pruned")


def test_each_fused_attention_has_the_heads_of_its_layer(folder: Path) -> None:
    for name, kind in (("optimized.onnx", "Attention"), (GRAPH, "QAttention")):
        nodes = [n for n in onnx.load(str(folder / name)).graph.node if n.op_type == kind]
        heads = [a.i for node in nodes for a in node.attribute if a.name == "num_heads"]
        assert heads == list(SIZES[0])


def test_int8_changes_the_logits_of_a_pruned_model_little(folder: Path) -> None:
    assert max_difference(_logits(folder, "optimized.onnx"), _logits(folder, GRAPH)) < 0.1


def test_a_served_graph_that_is_pruned_can_be_trained_further(folder: Path) -> None:
    restored = served.restore(folder).model
    assert slicing.layer_sizes(restored) == SIZES
    original = checkpoints.load(str(folder / "checkpoint"), fresh_head=False).model.state_dict()
    for name, value in restored.state_dict().items():
        assert torch.allclose(value, original[name], atol=0.01)


def test_a_served_graph_that_is_not_pruned_is_restored_as_a_plain_bert(
    built: tuple[object, Path],
) -> None:
    assert not slicing.is_pruned(served.restore(built[1]).model.config)
