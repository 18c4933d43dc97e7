"""What only the first token needs is computed for it alone."""

from __future__ import annotations

import pytest

pytest.importorskip("onnx", reason="the pipeline needs the 'build' dependencies")

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from model_build.graph.first_token import keep_first_token

WIDTH = 8


def _graph(head: str) -> onnx.ModelProto:
    """Return products and a sum over tokens whose head is a node of some kind."""
    random = np.random.default_rng(1)
    arrays = {
        "one": random.normal(size=(WIDTH, WIDTH)).astype(np.float32),
        "two": random.normal(size=(WIDTH, WIDTH)).astype(np.float32),
        "index": np.array(0, dtype=np.int64),
    }
    nodes = [
        helper.make_node("Softmax", ["x"], ["mixed"], "mixes tokens", axis=1),
        helper.make_node("MatMul", ["mixed", "one"], ["first"], "first"),
        helper.make_node("Add", ["first", "x"], ["sum"], "residual"),
        helper.make_node("MatMul", ["sum", "two"], ["second"], "second"),
        helper.make_node("Gather", ["second", "index"], ["logits"], "head", axis=1)
        if head == "first token"
        else helper.make_node("ReduceMean", ["second"], ["logits"], "head", axes=[1], keepdims=0),
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


def _run(model: onnx.ModelProto, *, also: str | None = None) -> list[NDArray[np.float32]]:
    x = np.random.default_rng(2).normal(size=(3, 5, WIDTH)).astype(np.float32)
    if also:
        model.graph.output.append(helper.make_empty_tensor_value_info(also))
    session = onnxruntime.InferenceSession(model.SerializeToString())
    found: list[NDArray[np.float32]] = session.run(None, {"x": x})
    return found


def test_the_logits_stay_and_the_products_see_one_token() -> None:
    model = _graph("first token")
    [expected] = _run(model)
    assert keep_first_token(model) == 3
    onnx.checker.check_model(model)
    logits, second = _run(model, also="second")
    np.testing.assert_allclose(logits, expected, rtol=1e-6)
    assert second.shape == (3, 1, WIDTH)


def test_a_head_that_reads_every_token_keeps_every_token() -> None:
    model = _graph("mean")
    before = model.SerializeToString()
    assert keep_first_token(model) == 0
    assert model.SerializeToString() == before


def test_a_tensor_that_somebody_else_reads_keeps_every_token() -> None:
    model = _graph("first token")
    model.graph.node.append(helper.make_node("Softmax", ["sum"], ["other"], "reader", axis=1))
    model.graph.output.append(helper.make_empty_tensor_value_info("other"))
    [expected, other] = _run(model)
    assert keep_first_token(model) == 1
    logits, kept = _run(model)
    np.testing.assert_allclose(logits, expected, rtol=1e-6)
    np.testing.assert_allclose(kept, other, rtol=1e-6)
