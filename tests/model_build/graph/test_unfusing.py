"""An int8 graph runs the parts of a fused operator where they are faster on a CPU."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("onnx", reason="the pipeline needs the 'build' dependencies")

import numpy as np
import onnx
import onnxruntime
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper, numpy_helper

from model_build.graph.unfusing import unfuse
from toxic_bot.judge.config import EMBEDDED_MODEL, MULTILINGUAL_FOLDER

CHANNELS = 8
FUSED = {"SkipLayerNormalization", "BiasGelu"}


def _fused(*, biased: bool) -> onnx.ModelProto:
    """Return a graph: a matrix product, GELU, and another that is added and normalized."""
    random = np.random.default_rng(3)
    arrays = {
        name: random.normal(size=shape).astype(np.float32)
        for name, shape in (
            ("up", (CHANNELS, CHANNELS)),
            ("down", (CHANNELS, CHANNELS)),
            ("up_bias", CHANNELS),
            ("down_bias", CHANNELS),
            ("weight", CHANNELS),
            ("shift", CHANNELS),
        )
    }
    bias = ["down_bias"] if biased else []
    graph = helper.make_graph(
        [
            helper.make_node("MatMul", ["x", "up"], ["upper"], "up"),
            helper.make_node(
                "BiasGelu", ["upper", "up_bias"], ["active"], "gelu", domain="com.microsoft"
            ),
            helper.make_node("MatMul", ["active", "down"], ["lower"], "down"),
            helper.make_node(
                "SkipLayerNormalization",
                ["lower", "x", "weight", "shift", *bias],
                ["logits"],
                "normalize",
                domain="com.microsoft",
                epsilon=1e-6,
            ),
        ],
        "layer",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, (1, "tokens", CHANNELS))],
        [helper.make_tensor_value_info("logits", onnx.TensorProto.FLOAT, None)],
        [numpy_helper.from_array(array, name) for name, array in arrays.items()],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


@given(tokens=st.integers(1, 5), seed=st.integers(0, 99), biased=st.booleans())
def test_the_parts_compute_what_the_operators_do(tokens: int, seed: int, biased: bool) -> None:
    fused = _fused(biased=biased)
    parts = onnx.ModelProto()
    parts.CopyFrom(fused)
    assert unfuse(parts) == 2
    assert not FUSED & {node.op_type for node in parts.graph.node}
    x = np.random.default_rng(seed).normal(size=(1, tokens, CHANNELS)).astype(np.float32)
    expected, actual = (
        onnxruntime.InferenceSession(
            model.SerializeToString(), providers=["CPUExecutionProvider"]
        ).run(None, {"x": x})[0]
        for model in (fused, parts)
    )
    np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "folder", [EMBEDDED_MODEL, EMBEDDED_MODEL / MULTILINGUAL_FOLDER], ids=["English", "others"]
)
def test_onnx_runtime_does_not_fuse_the_served_graphs_again(folder: Path, tmp_path: Path) -> None:
    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath = str(tmp_path / "optimized.onnx")
    options.log_severity_level = 3
    onnxruntime.InferenceSession(
        str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
    )
    assert not FUSED & _operators(onnx.load(tmp_path / "optimized.onnx").graph)


def _operators(graph: onnx.GraphProto) -> set[str]:
    branches = [
        attribute.g
        for node in graph.node
        for attribute in node.attribute
        if attribute.type == onnx.AttributeProto.GRAPH
    ]
    return {node.op_type for node in graph.node}.union(*map(_operators, branches))
