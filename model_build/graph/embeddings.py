"""Word embeddings in int8, one scale for each: a large vocabulary in a quarter of its size.

`quantize_dynamic` gives a table one scale. Here a row is read as int8 and multiplied by its own, so
that a rare piece with large weights costs no other its precision.
"""

from __future__ import annotations

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

_MIN_BYTES = 64 * 2**20
"""Smaller tables are left to `quantize_dynamic`, which gives all rows one scale."""
_LEVELS = 127


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
        for offset, new in enumerate(_lookup(graph, name, table, ids, output)):
            graph.node.insert(position + offset, new)
            lookups.append(new.name)
    return lookups


def _lookup(
    graph: onnx.GraphProto, name: str, table: NDArray[np.float32], ids: str, output: str
) -> list[onnx.NodeProto]:
    """Return the nodes that look up a quantized table, and add the table to the graph."""
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
