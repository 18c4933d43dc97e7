"""Take two fused operators of an int8 graph apart where their parts are faster on a CPU.

In ONNX Runtime 1.31, ``SkipLayerNormalization`` takes five times as long as ``Sum`` and
``LayerNormalization`` do, and ``BiasGelu`` half as long again as ``Gelu`` after a matrix product
that adds the bias itself (docs/performance.md). Graphs in floats, which GPUs run, stay fused.
"""

from __future__ import annotations

from collections.abc import Iterator

import onnx
from onnx import helper

_CONTRIBUTED = "com.microsoft"


def unfuse(model: onnx.ModelProto) -> int:
    """Take the operators apart, in place.

    Parameters
    ----------
    model
        A graph without branches.

    Returns
    -------
    int
        Number of operators taken apart.
    """
    nodes: list[onnx.NodeProto] = []
    fused = 0
    for node in model.graph.node:
        parts = _PARTS.get(node.op_type)
        nodes += parts(node) if parts else [node]
        fused += parts is not None
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    return fused


def _skip_layer_normalization(node: onnx.NodeProto) -> Iterator[onnx.NodeProto]:
    branch, residual, weight, shift, *bias = node.input
    if bias:
        biased = f"{node.name}/biased"
        yield helper.make_node("Add", [branch, bias[0]], [biased], biased)
        branch = biased
    total = f"{node.name}/sum"
    # Sum, because ONNX Runtime fuses Add and LayerNormalization again when it loads the graph.
    yield helper.make_node("Sum", [branch, residual], [total], total)
    yield helper.make_node(
        "LayerNormalization",
        [total, weight, shift],
        list(node.output),
        node.name,
        axis=-1,
        epsilon=helper.get_node_attr_value(node, "epsilon"),
    )


def _bias_gelu(node: onnx.NodeProto) -> Iterator[onnx.NodeProto]:
    biased = f"{node.name}/biased"
    yield helper.make_node("Add", list(node.input), [biased], biased)
    yield helper.make_node("Gelu", [biased], list(node.output), node.name, domain=_CONTRIBUTED)


_PARTS = {"SkipLayerNormalization": _skip_layer_normalization, "BiasGelu": _bias_gelu}
