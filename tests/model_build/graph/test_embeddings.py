"""Large tables are looked up in eight bits, or in four where that loses nothing."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

pytest.importorskip("torch", reason="the pipeline needs the 'build' dependencies")

from model_build.graph import embeddings
from toxic_bot.huggingface.weights import weights_of

ROWS, WIDTH = 50, 64
NAME = "model.words.embeddings.weight"


@pytest.fixture(autouse=True)
def large_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embeddings, "_MIN_BYTES", 0)


def random_table() -> NDArray[np.float32]:
    table = np.random.default_rng(1).normal(size=(ROWS, WIDTH)).astype(np.float32)
    table[7] *= 100
    return table


def published_in_four_bits() -> NDArray[np.float32]:
    """Return a table as Q4_0 has it: the largest weight of each block is -8 steps."""
    random = np.random.default_rng(2)
    steps = random.integers(-7, 8, size=(ROWS * WIDTH // 32, 32))
    steps[:, 5] = -8
    sizes = (random.normal(size=(len(steps), 1)) / 10).astype(np.float16).astype(np.float32)
    sizes[3] = 0
    return (steps * sizes).astype(np.float32).reshape(ROWS, WIDTH)


def lookup(table: NDArray[np.float32]) -> onnx.ModelProto:
    return helper.make_model(
        helper.make_graph(
            [helper.make_node("Gather", [NAME, "ids"], ["rows"])],
            "lookup",
            [helper.make_tensor_value_info("ids", TensorProto.INT64, ["n"])],
            [helper.make_tensor_value_info("rows", TensorProto.FLOAT, ["n", table.shape[1]])],
            [numpy_helper.from_array(table, NAME)],
        ),
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)],
        ir_version=8,
    )


def rows_of(model: onnx.ModelProto) -> NDArray[np.float32]:
    session = onnxruntime.InferenceSession(model.SerializeToString())
    [rows] = session.run(None, {"ids": np.arange(ROWS)})
    return np.asarray(rows)


def test_a_table_in_eight_bits_differs_by_at_most_half_a_step() -> None:
    table = random_table()
    model = lookup(table)
    before = len(model.SerializeToString())
    assert len(embeddings.quantize_embeddings(model)) == 4
    onnx.checker.check_model(model)
    assert len(model.SerializeToString()) < before / 2
    steps = np.abs(table).max(axis=1, keepdims=True) / 127
    assert (np.abs(rows_of(model) - table) <= steps / 2 + 1e-6).all()


def test_a_table_that_was_published_in_four_bits_is_stored_so_again_and_loses_nothing() -> None:
    table = published_in_four_bits()
    model = lookup(table)
    before = len(model.SerializeToString())
    embeddings.quantize_embeddings(model)
    # A product of a step and its size is rounded to float16.
    np.testing.assert_allclose(rows_of(model), table, rtol=2**-11)
    blocks = embeddings.fit_blocks(table)
    assert blocks is not None
    steps, sizes = blocks
    again = steps.reshape(-1, 32) * sizes.astype(np.float32).reshape(-1, 1)
    np.testing.assert_array_equal(again.reshape(table.shape), table)
    assert len(model.SerializeToString()) < before / 5


def test_what_eight_bits_have_rounded_since_is_undone() -> None:
    table = published_in_four_bits()
    steps = np.abs(table).max(axis=1, keepdims=True) / 127
    rounded = (np.round(table / steps) * steps).astype(np.float32)
    model = lookup(rounded)
    embeddings.quantize_embeddings(model)
    error = np.sqrt(((rows_of(model) - table) ** 2).mean())
    assert error < np.sqrt(((rounded - table) ** 2).mean()) / 2


@pytest.mark.parametrize("table", [random_table(), published_in_four_bits()])
def test_the_weights_can_be_read_from_the_graph_again(table: NDArray[np.float32]) -> None:
    model = lookup(table)
    embeddings.quantize_embeddings(model)
    weights = weights_of(model.graph)[NAME.removeprefix("model.")]
    np.testing.assert_allclose(weights, rows_of(model), rtol=2**-10, atol=1e-6)


def test_a_table_that_float16_cannot_hold_is_left_to_eight_bits() -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        assert embeddings.fit_blocks(published_in_four_bits() * 1e7) is None


def test_a_width_that_blocks_do_not_fill_is_left_to_eight_bits() -> None:
    assert embeddings.fit_blocks(published_in_four_bits()[:, :40]) is None
