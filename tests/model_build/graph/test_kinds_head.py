"""The outputs for the kinds are learned anew, and nothing else changes."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the pipeline needs the 'build' dependencies")

import numpy as np
import onnx
import pandas as pd
from numpy.typing import NDArray
from onnx import helper, numpy_helper
from sklearn.metrics import roc_auc_score
from tokenizers import Tokenizer, models, pre_tokenizers

from model_build.graph import kinds_head
from model_build.graph.quantization import quantize
from model_build.graph.runner import OnnxGraph, encode
from model_build.work import StepError

KINDS = ("insult", "threat")
CHANNELS = 48
VOCABULARY = 40
SIGN = "w7"
"""Whoever writes this word threatens."""


@pytest.fixture
def tokenizer(tmp_path: Path) -> Path:
    words = {f"w{number}": number for number in range(VOCABULARY)}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="w0"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    return tmp_path / "tokenizer.json"


@pytest.fixture
def graphs(tmp_path: Path) -> list[Path]:
    """Return a graph in int8 and the same in floats: two labels, two kinds."""
    random = np.random.default_rng(5)
    arrays = {
        "table": random.normal(size=(VOCABULARY, CHANNELS)).astype(np.float32),
        "model.classifier.weight": random.normal(scale=0.2, size=(4, CHANNELS)).astype(np.float32),
        "model.classifier.bias": np.zeros(4, dtype=np.float32),
    }
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["embedded"], "embed"),
        helper.make_node("ReduceMean", ["embedded"], ["mean"], "mean", axes=[1], keepdims=0),
        helper.make_node("Tanh", ["mean"], ["text"], "tanh"),
        helper.make_node(
            "Gemm",
            ["text", "model.classifier.weight", "model.classifier.bias"],
            ["logits"],
            "classifier",
            transB=1,
        ),
    ]
    graph = helper.make_graph(
        nodes,
        "texts",
        [helper.make_tensor_value_info("input_ids", onnx.TensorProto.INT64, (1, "tokens"))],
        [helper.make_tensor_value_info("logits", onnx.TensorProto.FLOAT, (1, 4))],
        [numpy_helper.from_array(array, name) for name, array in arrays.items()],
    )
    opsets = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), tmp_path / "fp32.onnx")
    quantize(tmp_path / "fp32.onnx", tmp_path / "int8.onnx", [np.array([[1, 2, 3]])])
    return [tmp_path / "int8.onnx", tmp_path / "fp32.onnx"]


@pytest.fixture
def rows() -> pd.DataFrame:
    """Return toxic rows that tell about threats alone, and benign ones."""
    random = np.random.default_rng(6)
    texts = [" ".join(f"w{n}" for n in random.integers(1, VOCABULARY, 6)) for _ in range(900)]
    toxic = np.arange(900) < 700
    threat = np.array([SIGN in text.split() for text in texts]) & toxic
    return pd.DataFrame(
        {
            "text": texts,
            "strict": toxic.astype(int),
            "source": np.where(np.arange(900) % 3, "large", "small"),
            "kind_insult": np.where(toxic, np.nan, 0.0),
            "kind_threat": threat.astype(float),
        }
    )


def _logits(graph: Path, tokenizer: Path, texts: list[str]) -> NDArray[np.float32]:
    ids = encode(Tokenizer.from_file(str(tokenizer)), texts, 16)
    return OnnxGraph(graph).run_each(ids)


def test_a_kind_is_learned_and_the_verdicts_keep_their_bits(
    graphs: list[Path], tokenizer: Path, rows: pd.DataFrame
) -> None:
    texts = list(rows.loc[rows["strict"] == 1, "text"])
    before = [_logits(graph, tokenizer, texts) for graph in graphs]
    assert kinds_head.learn(graphs, tokenizer, rows, KINDS) == ["threat"]
    threat = rows.loc[rows["strict"] == 1, "kind_threat"]
    for graph, old in zip(graphs, before, strict=True):
        new = _logits(graph, tokenizer, texts)
        assert np.array_equal(new[:, :3], old[:, :3])
        assert roc_auc_score(threat, old[:, 3]) < 0.9 < roc_auc_score(threat, new[:, 3])


def test_without_rows_that_tell_a_kind_nothing_changes(
    graphs: list[Path], tokenizer: Path, rows: pd.DataFrame
) -> None:
    before = graphs[0].read_bytes()
    assert kinds_head.learn(graphs, tokenizer, rows.assign(kind_threat=np.nan), KINDS) == []
    assert kinds_head.learn(graphs, tokenizer, rows.drop(columns="kind_threat"), KINDS) == []
    assert graphs[0].read_bytes() == before


def test_a_row_is_learned_from_once(rows: pd.DataFrame) -> None:
    assert len(kinds_head.select(pd.concat([rows, rows]), KINDS)) == len(rows)


def test_a_graph_that_texts_leave_early_is_refused(
    graphs: list[Path], tokenizer: Path, rows: pd.DataFrame
) -> None:
    model = onnx.load(str(graphs[1]))
    model.graph.node[-1].output[0] = "all"
    model.graph.node.append(helper.make_node("Identity", ["all"], ["logits"], "exit"))
    onnx.save(model, str(graphs[1]))
    with pytest.raises(StepError, match="without early exit"):
        kinds_head.learn(graphs[1:], tokenizer, rows, KINDS)
