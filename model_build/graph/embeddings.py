"""Word embeddings in four or eight bits: a large vocabulary in a seventh or a quarter of its size.

`quantize_dynamic` gives a table one scale. Here each row has its own, so that a rare piece with
large weights costs no other its precision; and a table whose weights once were of four bits, in
blocks of 32, is stored so again. That loses nothing: training leaves the table alone.
"""

from __future__ import annotations

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

_MIN_BYTES = 64 * 2**20
"""Smaller tables are left to `quantize_dynamic`, which gives all rows one scale."""
_LEVELS = 127
_BLOCK = 32
_LOWEST, _HIGHEST = -8, 7
"""What four bits can tell, in steps."""
_MAX_ERROR = 0.01
"""Root mean square, as a share of the table's. A table that was rounded to eight bits since has
0.6 %; one of normally distributed weights, 8 %."""
_START_STEPS = (1.0, 0.98, 1.02, 0.96, 1.04)
_REFINEMENTS = 3


def quantize_embeddings(model: onnx.ModelProto) -> list[str]:
    """Quantize the table of every lookup that is large, in place.

    Parameters
    ----------
    model
        A graph whose embeddings are ``Gather`` nodes along the first axis.

    Returns
    -------
    list of str
        Names of the nodes that look them up, to be left alone by further quantization.
    """
    graph = model.graph
    tables = {value.name: value for value in graph.initializer}
    lookups: list[str] = []
    for position, node in reversed(list(enumerate(graph.node))):
        if node.op_type != "Gather" or node.input[0] not in tables:
            continue
        table = numpy_helper.to_array(tables[node.input[0]])
        if table.ndim != 2 or table.nbytes < _MIN_BYTES:
            continue
        graph.initializer.remove(tables[node.input[0]])
        name, ids, output = node.input[0], node.input[1], node.output[0]
        graph.node.remove(node)
        blocks = fit_blocks(table)
        if blocks is None:
            nodes = _lookup_rows(graph, name, table, ids, output)
        else:
            nodes = _lookup_blocks(graph, name, blocks, ids, output)
        for offset, new in enumerate(nodes):
            graph.node.insert(position + offset, new)
            lookups.append(new.name)
    return lookups


def fit_blocks(
    table: NDArray[np.float32],
) -> tuple[NDArray[np.int8], NDArray[np.float16]] | None:
    """Return a table in steps of four bits and the step of each block, or None if that loses much.

    Parameters
    ----------
    table
        Shape (rows, width).

    Returns
    -------
    tuple of ndarray, or None
        Steps from -8 to 7, shape (rows, width), and their sizes, shape (rows, blocks).
    """
    rows, width = table.shape
    if width % _BLOCK:
        return None
    blocks = table.reshape(-1, _BLOCK)
    # In llama.cpp's Q4_0, the largest weight of a block is eight steps below zero.
    largest = blocks[np.arange(len(blocks)), np.abs(blocks).argmax(axis=1)]
    start = np.where(largest == 0, 1e-6, largest / _LOWEST)
    size = np.empty(len(blocks), np.float32)
    error = np.full(len(blocks), np.inf)
    for factor in _START_STEPS:
        one = (start * factor).astype(np.float32)
        for _ in range(_REFINEMENTS):
            one = _least_squares(blocks, _steps(blocks, one), one)
        found = ((blocks - _steps(blocks, one) * one[:, None]) ** 2).sum(axis=1)
        size, error = np.where(found < error, one, size), np.minimum(found, error)
    sizes = size.astype(np.float16)
    steps = _steps(blocks, sizes.astype(np.float32))
    lost = blocks - steps * sizes.astype(np.float32)[:, None]
    # A size that float16 cannot hold makes the error infinite.
    if not np.sqrt((lost**2).mean()) <= _MAX_ERROR * np.sqrt((blocks**2).mean()):
        return None
    return steps.astype(np.int8).reshape(rows, width), sizes.reshape(rows, -1)


def _steps(blocks: NDArray[np.float32], size: NDArray[np.float32]) -> NDArray[np.float32]:
    steps: NDArray[np.float32] = np.clip(np.round(blocks / size[:, None]), _LOWEST, _HIGHEST)
    return steps


def _least_squares(
    blocks: NDArray[np.float32], steps: NDArray[np.float32], size: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the sizes with which these steps come nearest to the blocks."""
    squares = (steps**2).sum(axis=1)
    best: NDArray[np.float32] = np.where(
        squares > 0, (blocks * steps).sum(axis=1) / np.maximum(squares, 1), size
    )
    return best


def _lookup_blocks(
    graph: onnx.GraphProto,
    name: str,
    blocks: tuple[NDArray[np.int8], NDArray[np.float16]],
    ids: str,
    output: str,
) -> list[onnx.NodeProto]:
    """Return the nodes that look up a table of four bits, and add the table to the graph."""
    steps, sizes = blocks
    unsigned = (steps - _LOWEST).astype(np.uint8)
    packed = unsigned[:, ::2] | unsigned[:, 1::2] << 4
    graph.initializer.append(numpy_helper.from_array(packed, f"{name}_quantized"))
    graph.initializer.append(numpy_helper.from_array(sizes, f"{name}_scale"))
    half = f"{output}_half"
    return [
        helper.make_node(
            "GatherBlockQuantized",
            [f"{name}_quantized", ids, f"{name}_scale"],
            [half],
            f"{output}/blocks",
            domain="com.microsoft",
            bits=4,
            block_size=_BLOCK,
            gather_axis=0,
            quantize_axis=1,
        ),
        helper.make_node("Cast", [half], [output], f"{output}/cast", to=onnx.TensorProto.FLOAT),
    ]


def _lookup_rows(
    graph: onnx.GraphProto, name: str, table: NDArray[np.float32], ids: str, output: str
) -> list[onnx.NodeProto]:
    """Return the nodes that look up a table of eight bits, and add the table to the graph."""
    scales = np.maximum(np.abs(table).max(axis=1, keepdims=True), 1e-9) / _LEVELS
    quantized = np.round(table / scales).astype(np.int8)
    graph.initializer.append(numpy_helper.from_array(quantized, f"{name}_quantized"))
    graph.initializer.append(numpy_helper.from_array(scales.astype(np.float32), f"{name}_scale"))
    rows, row_scales, floats = (f"{output}_{what}" for what in ("int8", "scale", "float"))
    float32 = onnx.TensorProto.FLOAT
    return [
        helper.make_node("Gather", [f"{name}_quantized", ids], [rows], f"{output}/rows"),
        helper.make_node("Gather", [f"{name}_scale", ids], [row_scales], f"{output}/scales"),
        helper.make_node("Cast", [rows], [floats], f"{output}/cast", to=float32),
        helper.make_node("Mul", [floats, row_scales], [output], f"{output}/scaled"),
    ]
