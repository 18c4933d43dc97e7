"""Nest a graph, so that a text that is clearly not toxic leaves it after a few layers.

A graph with heads after its lower layers (`model_build.training.exits`) computes all of them.
Here, what follows such a head moves into the branch of an ONNX ``If`` that runs only when the
head is not sure. The graph keeps its inputs and its one output, so whoever runs it need not
know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

FINAL = "logits"
_EARLY = "early_logits_"


@dataclass(frozen=True, slots=True)
class Exit:
    """Where a text may leave the graph.

    Parameters
    ----------
    layer
        The head after this layer decides; counted from 1.
    limit
        A text leaves if its log-odds of toxic are below this. In a batch, all have to be.
    scale, shift
        The log-odds that a text leaves with are these times the scale, plus the shift: a lower
        head is less sure than the last one would have been.
    """

    layer: int
    limit: float
    scale: float = 1.0
    shift: float = 0.0


def output_name(layer: int) -> str:
    """Return the name of the output of the head after a layer, counted from 1."""
    return f"{_EARLY}{layer}"


def early_layers(model: onnx.ModelProto) -> list[int]:
    """Return the layers after which a graph has heads, apart from the last."""
    names = [output.name for output in model.graph.output]
    return [int(name.removeprefix(_EARLY)) for name in names if name.startswith(_EARLY)]


def nest(model: onnx.ModelProto, exits: Sequence[Exit]) -> onnx.ModelProto:
    """Return a graph that a text leaves at the first head that finds it clearly not toxic.

    Parameters
    ----------
    model
        Outputs ``logits`` and, for each layer in ``exits``, `output_name`; the first two
        logits are those of not toxic and toxic.
    exits
        Where to leave, from the lowest layer up; none for a graph without early exit.

    Returns
    -------
    onnx.ModelProto
        Has the output ``logits`` alone, and no heads that are not used.
    """
    outputs = [*(output_name(exit_.layer) for exit_ in exits), FINAL]
    logits = next(output for output in model.graph.output if output.name == FINAL)
    levels = _levels(model.graph, outputs)
    nested = onnx.ModelProto()
    nested.CopyFrom(model)
    nested.graph.CopyFrom(_graph(levels, exits, logits))
    nested.graph.name = model.graph.name
    nested.graph.input.extend(model.graph.input)
    return nested


@dataclass(frozen=True, slots=True)
class _Level:
    """What one output needs beyond the outputs before it."""

    nodes: list[onnx.NodeProto]
    weights: list[onnx.TensorProto]


def _levels(graph: onnx.GraphProto, outputs: Sequence[str]) -> list[_Level]:
    producers = {name: number for number, node in enumerate(graph.node) for name in node.output}
    weights = {value.name: value for value in graph.initializer}
    seen: set[int] = set()
    levels = []
    for output in outputs:
        pending, needed = [output], set()
        while pending:
            number = producers.get(pending.pop())
            if number is not None and number not in seen:
                seen.add(number)
                needed.add(number)
                pending += graph.node[number].input
        nodes = [graph.node[number] for number in sorted(needed)]
        used = {name for node in nodes for name in node.input}
        # A branch holds its own weights: ONNX Runtime makes int8 products exact on CPUs without
        # VNNI only where the weights are in the graph of the product (Avx2WeightS8ToU8).
        levels.append(_Level(nodes, [weights.pop(n) for n in sorted(used & weights.keys())]))
    return levels


def _graph(
    levels: Sequence[_Level],
    exits: Sequence[Exit],
    logits: onnx.ValueInfoProto,
    output: str = FINAL,
) -> onnx.GraphProto:
    """Return the graph of the first level, and of the branches that leave it or go on."""
    level = levels[0]
    nodes = [_with_output(node, output) if FINAL in node.output else node for node in level.nodes]
    if exits:
        early, prefix = output_name(exits[0].layer), f"exit_{exits[0].layer}"
        left, deeper = f"{prefix}/left", f"{prefix}/deeper"
        leave = _leave(exits[0], early, left, _width(logits))
        clear, condition = _condition(exits[0], early, prefix, _width(logits))
        branches = {
            "then_branch": helper.make_graph(leave, left, [], [_named(logits, left)]),
            "else_branch": _graph(levels[1:], exits[1:], logits, deeper),
        }
        nodes += [*condition, helper.make_node("If", [clear], [output], prefix, **branches)]
    return helper.make_graph(nodes, output, [], [_named(logits, output)], level.weights)


def _leave(exit_: Exit, early: str, left: str, width: int) -> list[onnx.NodeProto]:
    """Return the nodes that scale and shift the logits of a head."""
    shift = np.zeros(width, np.float32)
    shift[:2] = (-exit_.shift / 2, exit_.shift / 2)
    scale_name, shift_name, scaled = f"{left}/scale", f"{left}/shift", f"{left}/scaled"
    return [
        _constant(scale_name, np.array(exit_.scale, np.float32)),
        _constant(shift_name, shift),
        helper.make_node("Mul", [early, scale_name], [scaled], scaled),
        helper.make_node("Add", [scaled, shift_name], [left], left),
    ]


def _condition(
    exit_: Exit, early: str, prefix: str, width: int
) -> tuple[str, list[onnx.NodeProto]]:
    """Return the nodes that tell whether every text is clear, and the name of what they tell."""
    direction = np.zeros((width, 1), np.float32)
    direction[:2, 0] = (-1, 1)
    parts = ("direction", "log_odds", "highest", "limit", "clear")
    names = {part: f"{prefix}/{part}" for part in parts}
    return names["clear"], [
        _constant(names["direction"], direction),
        helper.make_node("MatMul", [early, names["direction"]], [names["log_odds"]]),
        helper.make_node("ReduceMax", [names["log_odds"]], [names["highest"]], keepdims=0),
        _constant(names["limit"], np.array(exit_.limit, np.float32)),
        helper.make_node("Less", [names["highest"], names["limit"]], [names["clear"]]),
    ]


def _constant(name: str, value: NDArray[np.float32]) -> onnx.NodeProto:
    return helper.make_node("Constant", [], [name], value=numpy_helper.from_array(value))


def _with_output(node: onnx.NodeProto, output: str) -> onnx.NodeProto:
    renamed = onnx.NodeProto()
    renamed.CopyFrom(node)
    renamed.output[:] = [output if name == FINAL else name for name in node.output]
    return renamed


def _named(value: onnx.ValueInfoProto, name: str) -> onnx.ValueInfoProto:
    named = onnx.ValueInfoProto()
    named.CopyFrom(value)
    named.name = name
    return named


def _width(logits: onnx.ValueInfoProto) -> int:
    return int(logits.type.tensor_type.shape.dim[-1].dim_value)
