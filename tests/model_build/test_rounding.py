"""Training sees what the int8 graph will do."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the pipeline needs the 'build' dependencies")

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import helper, numpy_helper

from model_build import checkpoint as checkpoints
from model_build.fit import logits
from model_build.quantize import quantize
from model_build.rounding import RoundedLinear, round_layers, rounded_activations

TEXTS = ["thanks for the patch", "you stupid idiot", "kill -9 4242 & go " * 5]


def test_a_rounded_layer_computes_what_the_int8_graph_does(tmp_path: Path) -> None:
    torch.manual_seed(3)
    linear = torch.nn.Linear(64, 16, bias=False)
    table = torch.randn(40, 64)
    _write_graph(tmp_path / "fp32.onnx", linear, table)
    ids = torch.arange(12)[None]
    quantize(tmp_path / "fp32.onnx", tmp_path / "int8.onnx", [ids.numpy()])
    session = onnxruntime.InferenceSession(tmp_path / "int8.onnx")
    found = torch.from_numpy(session.run(["logits"], {"input_ids": ids.numpy()})[0])
    with torch.inference_mode():
        values = torch.from_numpy(session.run(["x"], {"input_ids": ids.numpy()})[0])
        rounded = RoundedLinear(linear, torch.ones(64))(values)
        error = (linear(values) - found).abs().mean()
    assert (rounded - found).abs().max() < 1e-4
    assert error > 1e-3


def _write_graph(path: Path, linear: torch.nn.Linear, table: torch.Tensor) -> None:
    float_ = onnx.TensorProto.FLOAT
    arrays = {
        "table": table.numpy(),
        "scale": np.linspace(0.5, 1.5, 64, dtype=np.float32),
        "weight": linear.weight.detach().numpy().T.copy(),
    }
    graph = helper.make_graph(
        [
            helper.make_node("Gather", ["table", "input_ids"], ["embedded"], "embed"),
            helper.make_node("Mul", ["embedded", "scale"], ["x"], "scale"),
            helper.make_node("MatMul", ["x", "weight"], ["logits"], "product"),
        ],
        "one product",
        [helper.make_tensor_value_info("input_ids", onnx.TensorProto.INT64, (1, "tokens"))],
        [
            helper.make_tensor_value_info("logits", float_, (1, "tokens", 16)),
            helper.make_tensor_value_info("x", float_, (1, "tokens", 64)),
        ],
        [numpy_helper.from_array(array, name) for name, array in arrays.items()],
    )
    opsets = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), path)


def test_each_text_has_a_scale_of_its_own() -> None:
    alone = torch.randn(1, 5, 8, generator=torch.Generator().manual_seed(1))
    together = rounded_activations(torch.cat([alone, 100 * alone]))
    assert torch.equal(together[:1], rounded_activations(alone))


def test_gradients_pass_as_if_nothing_was_rounded() -> None:
    values = torch.randn(1, 5, 8, requires_grad=True)
    rounded_activations(values).sum().backward()
    assert values.grad is not None
    assert torch.equal(values.grad, torch.ones_like(values))


def test_a_rounded_model_keeps_its_weights_and_their_names(tiny_bert: Path, tmp_path: Path) -> None:
    torch.manual_seed(1)
    model = checkpoints.load(str(tiny_bert), fresh_head=True)
    before = {name: value.clone() for name, value in model.model.state_dict().items()}
    plain = logits(model, TEXTS, 32)
    round_layers(model, TEXTS, 32)
    assert sum(isinstance(m, RoundedLinear) for m in model.model.modules()) == 12
    rounded = logits(model, TEXTS, 32)
    assert 0 < np.abs(rounded - plain).max() < 0.1
    checkpoints.save(model, tmp_path / "model")
    after = checkpoints.load(str(tmp_path / "model"), fresh_head=False).model.state_dict()
    assert all(torch.equal(after[name], value) for name, value in before.items())
