"""Compute the end of the last layer for the first token only, the one that the head reads.

The last attention needs every token. The operations after it treat each token separately, so
computing them for any token but the first is wasted work.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import onnx
from onnx import helper, numpy_helper

# Operations that treat each token separately, as long as their other inputs are constants.
_PER_TOKEN_OPS = {
    "Add",
    "BiasGelu",
    "FastGelu",
    "Gelu",
    "LayerNormalization",
    "MatMul",
    "SkipLayerNormalization",
}
_INDEX = "first_token"


def hoist_first_token(model: onnx.ModelProto) -> int:
    """Select the first token right after the last attention instead of in the head, in place.

    Parameters
    ----------
    model
        A fused graph whose heads read the first token of tensors of shape
        (texts, tokens, channels).

    Returns
    -------
    int
        Number of nodes that now compute only one token; 0 if no head reads just one.
    """
    graph = model.graph
    constants = {value.name: value for value in graph.initializer}
    consumers: dict[str, list[onnx.NodeProto]] = defaultdict(list)
    for node in graph.node:
        for name in node.input:
            consumers[name].append(node)
    heads = [node for node in graph.node if _selects_first_token(node, constants)]
    narrowed = [*heads]
    # Nodes are in topological order, so in reverse a node's consumers are visited before it.
    for node in reversed(list(graph.node)):
        used_by = [consumer for name in node.output if name for consumer in consumers[name]]
        if _is_per_token(node, constants) and used_by and all(c in narrowed for c in used_by):
            narrowed.append(node)
    outputs = {name for node in narrowed for name in node.output}
    selected: dict[str, str] = {}
    for node in narrowed[len(heads) :]:
        for position, name in enumerate(node.input):
            if name and name not in constants and name not in outputs:
                selected.setdefault(name, f"{name}/{_INDEX}")
                node.input[position] = selected[name]
    if selected:
        graph.initializer.append(numpy_helper.from_array(np.zeros(1, np.int64), _INDEX))
    for name, first in selected.items():
        gather = helper.make_node("Gather", [name, _INDEX], [first], first, axis=1)
        producer = next((n for n, node in enumerate(graph.node) if name in node.output), -1)
        graph.node.insert(producer + 1, gather)
    return len(narrowed) - len(heads)


def _selects_first_token(node: onnx.NodeProto, constants: dict[str, onnx.TensorProto]) -> bool:
    if node.op_type != "Gather" or node.input[1] not in constants:
        return False
    axis = next((a.i for a in node.attribute if a.name == "axis"), 0)
    index = numpy_helper.to_array(constants[node.input[1]])
    return axis == 1 and index.ndim == 0 and int(index) == 0


def _is_per_token(node: onnx.NodeProto, constants: dict[str, onnx.TensorProto]) -> bool:
    if node.op_type not in _PER_TOKEN_OPS:
        return False
    if node.op_type == "MatMul":
        return node.input[0] not in constants and node.input[1] in constants
    return True
