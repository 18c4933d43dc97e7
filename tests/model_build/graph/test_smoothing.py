"""An outlier channel does not cost the other channels their precision."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the pipeline needs the 'build' dependencies")

import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

from model_build.graph.quantization import quantize
from model_build.graph.smoothing import calibration_texts, smooth_activations

CHANNELS = 64
OUTLIER = 7
VOCABULARY = 50


def _graph(factor: float) -> onnx.ModelProto:
    """Return a graph with one outlier channel: token IDs -> embedding -> scale -> product."""
    random = np.random.default_rng(1)
    table = random.normal(size=(VOCABULARY, CHANNELS)).astype(np.float32)
    scale = np.ones(CHANNELS, dtype=np.float32)
    scale[OUTLIER] = factor
    weight = random.normal(size=(CHANNELS, 16)).astype(np.float32)
    weight[OUTLIER] /= factor
    return helper.make_model(
        helper.make_graph(
            [
                helper.make_node("Gather", ["table", "input_ids"], ["embedded"], "embed"),
                helper.make_node("Mul", ["embedded", "scale"], ["x"], "scale"),
                helper.make_node("MatMul", ["x", "weight"], ["logits"], "product"),
            ],
            "one product",
            [helper.make_tensor_value_info("input_ids", onnx.TensorProto.INT64, (1, "tokens"))],
            [helper.make_tensor_value_info("logits", onnx.TensorProto.FLOAT, (1, "tokens", 16))],
            [
                numpy_helper.from_array(array, name)
                for name, array in (("table", table), ("scale", scale), ("weight", weight))
            ],
        ),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=10,
    )


def _texts() -> list[NDArray[np.int64]]:
    return [np.arange(start, start + 10, dtype=np.int64)[None] for start in range(0, 40, 5)]


def _run(model: onnx.ModelProto | Path, ids: NDArray[np.int64]) -> NDArray[np.float32]:
    content = model.read_bytes() if isinstance(model, Path) else model.SerializeToString()
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    logits: NDArray[np.float32] = session.run(["logits"], {"input_ids": ids})[0]
    return logits


def test_smoothing_does_not_change_the_fp32_logits() -> None:
    model = _graph(50)
    before = [_run(model, ids) for ids in _texts()]
    outliers = smooth_activations(model, [{"input_ids": ids} for ids in _texts()])
    assert outliers == {"product": [OUTLIER]}
    onnx.checker.check_model(model)
    for ids, expected in zip(_texts(), before, strict=True):
        np.testing.assert_allclose(_run(model, ids), expected, rtol=1e-4, atol=1e-4)


def test_smoothing_reduces_the_int8_error(tmp_path: Path) -> None:
    model = _graph(50)
    onnx.save(model, tmp_path / "fp32.onnx")
    quantize(tmp_path / "fp32.onnx", tmp_path / "smoothed.onnx", _texts())
    quantize_dynamic(
        tmp_path / "fp32.onnx",
        tmp_path / "plain.onnx",
        per_channel=True,
        weight_type=QuantType.QInt8,
    )
    error = {
        name: np.mean([np.abs(_run(tmp_path / name, x) - _run(model, x)) for x in _texts()])
        for name in ("smoothed.onnx", "plain.onnx")
    }
    assert error["smoothed.onnx"] < error["plain.onnx"] / 3


def test_a_product_without_outliers_is_left_alone() -> None:
    model = _graph(1)
    before = model.SerializeToString()
    assert smooth_activations(model, [{"input_ids": ids} for ids in _texts()]) == {}
    assert model.SerializeToString() == before


def test_calibration_texts_are_short_and_long() -> None:
    words = [len(text.split()) for text in calibration_texts()]
    assert min(words) < 5
    assert max(words) > 40
