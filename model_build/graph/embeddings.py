"""Word embeddings in int8, one scale for each: a large vocabulary in a quarter of its size.

`quantize_dynamic` leaves them in floats, for they are looked up, not multiplied. A row is read as
int8 and multiplied by its own scale, so that a rare piece with large weights costs no other its
precision.
"""

from __future__ import annotations

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

_MIN_BYTES = 32 * 2**20
"""Smaller tables stay in floats: they save little."""
_LEVELS = 127


def quantize_embeddings(model: onnx.ModelProto) -> int:
    """Quantize the table of every lookup that is large, in place.

    Parameters
    ----------
    model
        A graph whose embeddings are ``Gather`` nodes along the first axis.

    Returns
    -------
    int
        Number of tables that were quantized.
    """
    graph = model.graph
    tables = {value.name: value for value in graph.initializer}
    quantized = 0
    for position, node in reversed(list(enumerate(graph.node))):
        if node.op_type != "Gather" or node.input[0] not in tables:
            continue
        table = numpy_helper.to_array(tables[node.input[0]])
        if table.ndim != 2 or table.nbytes < _MIN_BYTES:
            continue
        graph.initializer.remove(tables[node.input[0]])
        name, ids, output = node.input[0], node.input[1], node.output[0]
        graph.node.remove(node)
        for offset, new in enumerate(_lookup(graph, name, table, ids, output)):
            graph.node.insert(position + offset, new)
        quantized += 1
    return quantized


def dequantize(rows: NDArray[np.int8], scales: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the embeddings that a quantized table stands for."""
    return rows.astype(np.float32) * scales


def _lookup(
    graph: onnx.GraphProto, name: str, table: NDArray[np.float32], ids: str, output: str
) -> list[onnx.NodeProto]:
    """Return the nodes that look up a quantized table, and add the table to the graph."""
    scales = np.maximum(np.abs(table).max(axis=1, keepdims=True), 1e-9) / _LEVELS
    rows = np.round(table / scales).astype(np.int8)
    graph.initializer.append(numpy_helper.from_array(rows, f"{name}_quantized"))
    graph.initializer.append(numpy_helper.from_array(scales.astype(np.float32), f"{name}_scale"))
    return [
        helper.make_node("Gather", [f"{name}_quantized", ids], [f"{output}_int8"]),
        helper.make_node("Gather", [f"{name}_scale", ids], [f"{output}_scale"]),
        helper.make_node(
            "Cast", [f"{output}_int8"], [f"{output}_float"], to=onnx.TensorProto.FLOAT
        ),
        helper.make_node("Mul", [f"{output}_float", f"{output}_scale"], [output]),
    ]
