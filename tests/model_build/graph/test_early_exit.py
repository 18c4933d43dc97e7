"""A nested graph leaves early where it may, and computes the same logits where it may not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="the pipeline needs the 'build' dependencies")

import onnx
import torch
from numpy.typing import NDArray

from model_build.graph import early_exit, export, optimization, quantization, smoothing
from model_build.graph.early_exit import Exit
from model_build.graph.runner import OnnxGraph, encode
from model_build.rows.kinds import KINDS
from model_build.training import checkpoint as checkpoints
from model_build.training import exits, served
from model_build.work import write_json

NEVER, ALWAYS = -1e6, 1e6


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, tiny_bert: Path) -> Path:
    """Return a folder with a checkpoint that has exit heads and its int8 graph."""
    folder = tmp_path_factory.mktemp("exits")
    torch.manual_seed(3)
    checkpoint = checkpoints.load(str(tiny_bert), fresh_head=True, kinds=KINDS)
    exits.attach(checkpoint.model)
    with torch.no_grad():
        for parameter in checkpoint.model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.02)  # the exporter merges equal weights
    checkpoints.save(checkpoint, folder / "checkpoint")
    export.export(checkpoint, folder / "export.onnx")
    optimization.optimize(folder / "export.onnx", folder / "optimized.onnx", folder / "checkpoint")
    texts = encode(checkpoint.tokenizer, smoothing.calibration_texts(), 64)
    quantization.quantize(folder / "optimized.onnx", folder / "flat.onnx", texts)
    return folder


def _nested(folder: Path, limit: float) -> OnnxGraph:
    model = early_exit.nest(onnx.load(str(folder / "flat.onnx")), [Exit(1, limit)])
    path = folder / f"nested{limit}.onnx"
    onnx.save(model, str(path))
    return OnnxGraph(path)


def _ids(*lengths: int) -> list[NDArray[np.int64]]:
    random = np.random.default_rng(1)
    return [random.integers(5, 800, (1, length)) for length in lengths]


def test_a_text_that_is_not_clear_gets_the_very_logits_of_the_flat_graph(folder: Path) -> None:
    flat, nested = OnnxGraph(folder / "flat.onnx"), _nested(folder, NEVER)
    for ids in _ids(3, 17, 60):
        assert np.array_equal(nested.run(ids), flat.run(ids))


def test_a_clear_text_gets_the_logits_of_the_head_at_which_it_leaves(folder: Path) -> None:
    flat, nested = OnnxGraph(folder / "flat.onnx"), _nested(folder, ALWAYS)
    for ids in _ids(3, 17, 60):
        last, first = np.split(flat.run_all_heads(ids), 2, axis=1)
        assert np.array_equal(nested.run(ids), first)
        assert not np.array_equal(first, last)


def test_the_log_odds_of_a_text_that_leaves_are_scaled_and_shifted(folder: Path) -> None:
    exit_ = Exit(1, ALWAYS, scale=1.5, shift=-0.4)
    path = folder / "scaled.onnx"
    onnx.save(early_exit.nest(onnx.load(str(folder / "flat.onnx")), [exit_]), str(path))
    for ids in _ids(3, 17):
        first = np.split(OnnxGraph(folder / "flat.onnx").run_all_heads(ids), 2, axis=1)[1][0]
        served = OnnxGraph(path).run(ids)[0]
        expected = 1.5 * (first[1] - first[0]) - 0.4
        assert served[1] - served[0] == pytest.approx(expected, abs=1e-5)


def test_a_batch_leaves_only_if_all_its_texts_are_clear(folder: Path) -> None:
    flat = OnnxGraph(folder / "flat.onnx")
    batch = np.concatenate(_ids(12, 12, 12))
    last, first = np.split(flat.run_all_heads(batch), 2, axis=1)
    log_odds = first[:, 1] - first[:, 0]
    between = float(np.sort(log_odds)[-2:].mean())
    assert np.array_equal(_nested(folder, between).run(batch), last)
    assert np.array_equal(_nested(folder, float(log_odds.max()) + 0.1).run(batch), first)


def test_without_exits_the_heads_that_are_not_used_are_left_out(folder: Path) -> None:
    flat = onnx.load(str(folder / "flat.onnx"))
    whole = early_exit.nest(flat, ())
    assert early_exit.early_layers(flat) == [1]
    assert early_exit.early_layers(whole) == []
    assert not [value.name for value in whole.graph.initializer if "exits" in value.name]


def test_exit_heads_are_saved_and_loaded_with_the_checkpoint(folder: Path, tmp_path: Path) -> None:
    loaded = checkpoints.load(str(folder / "checkpoint"), fresh_head=False)
    checkpoints.save(loaded, tmp_path)
    again = checkpoints.load(str(tmp_path), fresh_head=True, kinds=KINDS)
    for name, value in loaded.model.state_dict().items():
        assert torch.equal(value, again.model.state_dict()[name])
    assert any(name.startswith("exits.") for name in again.model.state_dict())


def test_a_served_graph_with_exits_can_be_trained_further(folder: Path, tmp_path: Path) -> None:
    model = early_exit.nest(onnx.load(str(folder / "flat.onnx")), [Exit(1, 0.0)])
    onnx.save(model, str(tmp_path / "model.onnx"))
    (tmp_path / "tokenizer.json").write_bytes((folder / "checkpoint/tokenizer.json").read_bytes())
    kinds = [{"name": kind, "threshold": 0.5} for kind in KINDS]
    labels = {"labels": list(checkpoints.LABELS), "toxic_labels": ["toxic"], "kinds": kinds}
    write_json(tmp_path / "config.json", labels)
    restored = served.restore(tmp_path).model.state_dict()
    original = checkpoints.load(str(folder / "checkpoint"), fresh_head=False).model.state_dict()
    for name, value in restored.items():
        assert torch.allclose(value, original[name], atol=0.01)
