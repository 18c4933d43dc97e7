"""Take two fused operators of an int8 graph apart where their parts are faster on a CPU.

The kernel of ``SkipLayerNormalization`` adds and normalizes one value at a time; those of ``Sum``
and ``LayerNormalization`` use vector instructions. ``BiasGelu`` reads and writes its tensor once
more than ``Gelu`` does after a matrix product that adds the bias itself. GPUs are better off with
the fused ones, so graphs in floats keep them.
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
    graph = model.graph
    before = list(graph.node)
    after = [node for fused in before for node in _parts(fused)]
    del graph.node[:]
    graph.node.extend(after)
    return sum(node.op_type in ("SkipLayerNormalization", "BiasGelu") for node in before)


def _parts(node: onnx.NodeProto) -> Iterator[onnx.NodeProto]:
    if node.op_type == "SkipLayerNormalization" and len(node.output) == 1:
        yield from _skip_layer_normalization(node)
    elif node.op_type == "BiasGelu":
        yield from _bias_gelu(node)
    else:
        yield node


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
