"""Bias correction removes the mean quantization error from the logits."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("onnx", reason="the pipeline needs the 'build' dependencies")

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from model_build.graph.quantization import correct_bias, quantize
from model_build.graph.runner import OnnxGraph

CHANNELS = 48
VOCABULARY = 60


def _write_graph(path: Path, *, bias: float) -> None:
    """Write a graph: token IDs -> embedding -> mean -> logits of two labels."""
    random = np.random.default_rng(5)
    arrays = {
        "table": random.normal(size=(VOCABULARY, CHANNELS)).astype(np.float32),
        "scale": np.linspace(0.1, 1, CHANNELS, dtype=np.float32),
        "weight": random.normal(scale=0.2, size=(CHANNELS, 2)).astype(np.float32),
        "bias": np.array([0, bias], dtype=np.float32),
    }
    graph = helper.make_graph(
        [
            helper.make_node("Gather", ["table", "input_ids"], ["embedded"], "embed"),
            helper.make_node("Mul", ["embedded", "scale"], ["scaled"], "scale"),
            helper.make_node("ReduceMean", ["scaled"], ["text"], "mean", axes=[1], keepdims=0),
            helper.make_node("MatMul", ["text", "weight"], ["product"], "product"),
            helper.make_node("Add", ["product", "bias"], ["logits"], "add"),
        ],
        "texts",
        [helper.make_tensor_value_info("input_ids", onnx.TensorProto.INT64, (1, "tokens"))],
        [helper.make_tensor_value_info("logits", onnx.TensorProto.FLOAT, (1, 2))],
        [numpy_helper.from_array(array, name) for name, array in arrays.items()],
    )
    opsets = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), path)


def _texts() -> list[NDArray[np.int64]]:
    random = np.random.default_rng(6)
    return [random.integers(0, VOCABULARY, (1, 6)) for _ in range(200)]


def _mean_error(folder: Path) -> NDArray[np.float32]:
    fp32, int8 = OnnxGraph(folder / "fp32.onnx"), OnnxGraph(folder / "int8.onnx")
    error: NDArray[np.float32] = np.mean(
        [int8.run(ids) - fp32.run(ids) for ids in _texts()], axis=(0, 1)
    )
    return error


def test_the_mean_error_on_uncertain_texts_is_removed(tmp_path: Path) -> None:
    _write_graph(tmp_path / "fp32.onnx", bias=0)
    quantize(tmp_path / "fp32.onnx", tmp_path / "int8.onnx", _texts())
    before = _mean_error(tmp_path)
    expected = OnnxGraph(tmp_path / "fp32.onnx").run_each(_texts())
    correction = correct_bias(tmp_path / "int8.onnx", _texts(), expected, 2)
    assert correction == pytest.approx(-before, abs=1e-4)
    assert np.abs(before).max() > 1e-4
    assert np.abs(_mean_error(tmp_path)).max() < 1e-4


def test_nothing_is_corrected_when_no_text_is_uncertain(tmp_path: Path) -> None:
    _write_graph(tmp_path / "fp32.onnx", bias=20)
    quantize(tmp_path / "fp32.onnx", tmp_path / "int8.onnx", _texts())
    content = (tmp_path / "int8.onnx").read_bytes()
    expected = OnnxGraph(tmp_path / "fp32.onnx").run_each(_texts())
    assert correct_bias(tmp_path / "int8.onnx", _texts(), expected, 2) == [0, 0]
    assert (tmp_path / "int8.onnx").read_bytes() == content
