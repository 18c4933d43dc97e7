"""Operations after the last attention are computed for the first token only."""

from __future__ import annotations

import pytest

pytest.importorskip("onnx", reason="the pipeline needs the 'build' dependencies")

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from model_build.graph.first_token import hoist_first_token

WIDTH = 8


def _graph(head: str) -> onnx.ModelProto:
    """Return a small encoder whose head reads the first token or the mean of all tokens."""
    random = np.random.default_rng(1)
    arrays = {
        "weight 1": random.normal(size=(WIDTH, WIDTH)).astype(np.float32),
        "weight 2": random.normal(size=(WIDTH, WIDTH)).astype(np.float32),
        "index": np.array(0, dtype=np.int64),
    }
    nodes = [
        helper.make_node("Softmax", ["x"], ["mixed"], "mix tokens", axis=1),
        helper.make_node("MatMul", ["mixed", "weight 1"], ["product 1"], "product 1"),
        helper.make_node("Add", ["product 1", "x"], ["sum"], "residual"),
        helper.make_node("MatMul", ["sum", "weight 2"], ["product 2"], "product 2"),
        helper.make_node("Gather", ["product 2", "index"], ["logits"], "head", axis=1)
        if head == "first token"
        else helper.make_node(
            "ReduceMean", ["product 2"], ["logits"], "head", axes=[1], keepdims=0
        ),
    ]
    float_ = onnx.TensorProto.FLOAT
    graph = helper.make_graph(
        nodes,
        "tokens",
        [helper.make_tensor_value_info("x", float_, ("texts", "tokens", WIDTH))],
        [helper.make_tensor_value_info("logits", float_, ("texts", WIDTH))],
        [numpy_helper.from_array(array, name) for name, array in arrays.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)


def _run(model: onnx.ModelProto, *, extra_output: str | None = None) -> list[NDArray[np.float32]]:
    x = np.random.default_rng(2).normal(size=(3, 5, WIDTH)).astype(np.float32)
    if extra_output:
        model.graph.output.append(helper.make_empty_tensor_value_info(extra_output))
    session = onnxruntime.InferenceSession(model.SerializeToString())
    outputs: list[NDArray[np.float32]] = session.run(None, {"x": x})
    return outputs


def test_logits_stay_the_same_while_products_see_only_the_first_token() -> None:
    model = _graph("first token")
    [expected] = _run(model)
    assert hoist_first_token(model) == 3
    onnx.checker.check_model(model)
    logits, product = _run(model, extra_output="product 2")
    np.testing.assert_allclose(logits, expected, rtol=1e-6)
    assert product.shape == (3, 1, WIDTH)


def test_a_graph_whose_head_reads_every_token_is_left_alone() -> None:
    model = _graph("mean")
    before = model.SerializeToString()
    assert hoist_first_token(model) == 0
    assert model.SerializeToString() == before


def test_a_tensor_with_another_consumer_keeps_every_token() -> None:
    model = _graph("first token")
    model.graph.node.append(helper.make_node("Softmax", ["sum"], ["other"], "consumer", axis=1))
    model.graph.output.append(helper.make_empty_tensor_value_info("other"))
    [expected, expected_other] = _run(model)
    assert hoist_first_token(model) == 1
    logits, other = _run(model)
    np.testing.assert_allclose(logits, expected, rtol=1e-6)
    np.testing.assert_allclose(other, expected_other, rtol=1e-6)
