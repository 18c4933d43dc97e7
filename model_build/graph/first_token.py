"""Compute the last layer for the first token alone, the one that the head reads.

Every token must reach the last attention, but what comes after it there treats each token by
itself, and all of them but the first are thrown away.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import onnx
from onnx import helper, numpy_helper

# They compute each token from itself alone, as long as their other inputs are constants.
_BY_TOKEN = {
    "Add",
    "BiasGelu",
    "FastGelu",
    "Gelu",
    "LayerNormalization",
    "MatMul",
    "SkipLayerNormalization",
}
_FIRST = "first_token"


def keep_first_token(model: onnx.ModelProto) -> int:
    """Move the choice of the first token up to the last attention, in place.

    Parameters
    ----------
    model
        A fused graph whose head reads the first token of a tensor of shape
        (texts, tokens, channels).

    Returns
    -------
    int
        How many nodes compute one token now; 0 where the head reads more than one.
    """
    graph = model.graph
    constants = {value.name: value for value in graph.initializer}
    readers: dict[str, list[onnx.NodeProto]] = defaultdict(list)
    for node in graph.node:
        for name in node.input:
            readers[name].append(node)
    heads = [node for node in graph.node if _takes_first(node, constants)]
    if len(heads) != 1:
        return 0
    moved = [*heads]
    # Nodes are in order: each one's readers were looked at before it.
    for node in reversed(list(graph.node)):
        read_by = [reader for name in node.output if name for reader in readers[name]]
        if _by_token(node, constants) and read_by and all(r in moved for r in read_by):
            moved.append(node)
    made = {name for node in moved for name in node.output}
    narrowed: dict[str, str] = {}
    for node in moved[len(heads) :]:
        for place, name in enumerate(node.input):
            if name and name not in constants and name not in made:
                narrowed.setdefault(name, f"{name}/{_FIRST}")
                node.input[place] = narrowed[name]
    if narrowed:
        graph.initializer.append(numpy_helper.from_array(np.zeros(1, np.int64), _FIRST))
    for name, first in narrowed.items():
        choose = helper.make_node("Gather", [name, _FIRST], [first], first, axis=1)
        place = next((n for n, node in enumerate(graph.node) if name in node.output), -1)
        graph.node.insert(place + 1, choose)
    return len(moved) - len(heads)


def _takes_first(node: onnx.NodeProto, constants: dict[str, onnx.TensorProto]) -> bool:
    if node.op_type != "Gather" or node.input[1] not in constants:
        return False
    axis = next((a.i for a in node.attribute if a.name == "axis"), 0)
    index = numpy_helper.to_array(constants[node.input[1]])
    return axis == 1 and index.ndim == 0 and int(index) == 0


def _by_token(node: onnx.NodeProto, constants: dict[str, onnx.TensorProto]) -> bool:
    if node.op_type not in _BY_TOKEN:
        return False
    if node.op_type == "MatMul":
        return node.input[0] not in constants and node.input[1] in constants
    return True
