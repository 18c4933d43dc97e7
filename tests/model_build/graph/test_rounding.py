"""Rounding keeps what training moved weights by, though it is less than half a step."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("onnx", reason="the pipeline needs the 'build' dependencies")

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from model_build.graph.quantization import quantize, quantize_closest
from model_build.graph.runner import OnnxGraph, unpadded_feed

INPUTS, OUTPUTS = 200, 64
MOVED = 0.3
"""What training further moved every weight by, in steps."""


def _served_weight() -> NDArray[np.float32]:
    """Return weights on the steps of 8 bits, as a served model has them."""
    random = np.random.default_rng(3)
    steps = np.clip(random.normal(scale=25, size=(INPUTS, OUTPUTS)).round(), -90, 90)
    steps[0] = 127  # sets the scale
    return (steps * random.uniform(0.001, 0.002, OUTPUTS)).astype(np.float32)


def _write_graph(folder: Path, weight: NDArray[np.float32]) -> None:
    graph = helper.make_graph(
        [
            helper.make_node("Gather", ["table", "input_ids"], ["embedded"]),
            helper.make_node("MatMul", ["embedded", "weight"], ["logits"], "product"),
        ],
        "texts",
        [helper.make_tensor_value_info("input_ids", onnx.TensorProto.INT64, (1, "tokens"))],
        [helper.make_tensor_value_info("logits", onnx.TensorProto.FLOAT, (1, "tokens", OUTPUTS))],
        [
            numpy_helper.from_array(np.ones((4, INPUTS), np.float32), "table"),
            numpy_helper.from_array(weight, "weight"),
        ],
    )
    opsets = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), folder / "fp32.onnx")


def _quantized(folder: Path, weight: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return what the int8 graph has of the weight."""
    _write_graph(folder, weight)
    ids = np.zeros((1, 3), np.int64)
    texts = [unpadded_feed(ids)["input_ids"]]
    quantize(folder / "fp32.onnx", folder / "int8.onnx", texts, at_random=True)
    values = {
        value.name: numpy_helper.to_array(value)
        for value in onnx.load(str(folder / "int8.onnx")).graph.initializer
    }
    kept: NDArray[np.float32] = values["weight_quantized"] * values["weight_scale"]
    return kept


def test_weights_keep_a_move_of_less_than_half_a_step(tmp_path: Path) -> None:
    served = _served_weight()
    step = served.max(axis=0) / 127
    move = np.full_like(served, MOVED) * step
    move[0] = 0
    kept = _quantized(tmp_path, served + move) - served
    assert (kept[1:] / step).mean() == pytest.approx(MOVED, abs=0.02)


def test_weights_that_were_not_moved_stay_as_they_are(tmp_path: Path) -> None:
    served = _served_weight()
    step = served.max(axis=0) / 127
    assert np.abs((_quantized(tmp_path, served) - served) / step).mean() < 0.01


def test_no_weight_is_off_by_a_step(tmp_path: Path) -> None:
    weight = np.random.default_rng(4).normal(size=(INPUTS, OUTPUTS)).astype(np.float32)
    weight[:, 5] = 0
    step = np.abs(weight).max(axis=0) / 127
    assert (np.abs(_quantized(tmp_path, weight) - weight) <= step * 1.0001).all()


def test_the_way_to_round_is_the_one_that_changes_the_logits_least(tmp_path: Path) -> None:
    served = _served_weight()
    moved = served + MOVED * served.max(axis=0) / 127
    moved[0] = served[0]
    trained = np.random.default_rng(4).normal(size=(INPUTS, OUTPUTS)).astype(np.float32)
    texts = [np.zeros((1, 3), np.int64)]
    for weight, way in ((moved, "random"), (trained, "nearest")):
        _write_graph(tmp_path, weight)
        source, target = tmp_path / "fp32.onnx", tmp_path / "int8.onnx"
        expected = OnnxGraph(source).run_each(texts)
        errors = quantize_closest(source, target, texts, texts, expected)[1]
        assert min(errors, key=errors.__getitem__) == way
        quantize(tmp_path / "fp32.onnx", tmp_path / "same.onnx", texts, at_random=way == "random")
        same = (tmp_path / "same.onnx").read_bytes()
        assert (tmp_path / "int8.onnx").read_bytes() == same
    assert {path.name for path in tmp_path.iterdir()} == {"fp32.onnx", "int8.onnx", "same.onnx"}


def test_the_same_weights_are_rounded_the_same_way(tmp_path: Path) -> None:
    first = _quantized(tmp_path, _served_weight() * 1.01)
    assert (_quantized(tmp_path, _served_weight() * 1.01) == first).all()
