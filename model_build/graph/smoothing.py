"""Channels whose activations dwarf all others, made smaller before they are quantized.

One scale serves a whole activation: where one channel is eight times as large as the rest,
as one is at ``[CLS]`` in MiniLM's feed-forward layers, the rest has three bits less. Such a
channel is divided by what it is too large, and its row of the weights multiplied by it
(Xiao et al. 2023, "SmoothQuant", section 4; here for the outliers alone, because weights
have scales of their own for each column and bear it).
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from judge.normalization import normalize
from model_build.rows.sentences import sentences

Feed = Mapping[str, NDArray[np.int64]]

_USUAL = 98
"""Percentile of the channels that counts as usual."""
_DWARFS = 2.0
"""How many times as large as a usual channel an outlier is at least."""
_GAIN = 1.5
"""How much smaller an activation must be without its outliers for them to be divided."""
_MOST = 16
_TEXTS = 200
_JOINED = 6


def talk(seed: int = 20261121) -> list[str]:
    """Return normalized texts, short and long, on which activations are observed."""
    texts = [normalize(sentence.text) for sentence in sentences(seed)]
    random.Random(seed).shuffle(texts)
    short, rest = texts[:_TEXTS], texts[_TEXTS : 2 * _TEXTS]
    return short + [" ".join(rest[at : at + _JOINED]) for at in range(0, len(rest), _JOINED)]


def even_out(model: onnx.ModelProto, feeds: Sequence[Feed]) -> dict[str, list[int]]:
    """Make outliers smaller in every product with constant weights, in place.

    ``X W`` becomes ``(X / s) (s W)``, which is the same in floats.

    Parameters
    ----------
    model
        A graph in 32-bit floats.
    feeds
        Inputs on which activations are observed.

    Returns
    -------
    dict of str to list of int
        The outliers of each product that has any, by its node's name.
    """
    weights = {value.name: value for value in model.graph.initializer}
    products = [
        node for node in model.graph.node if node.op_type == "MatMul" and node.input[1] in weights
    ]
    largest = _largest(model, sorted({node.input[0] for node in products}), feeds)
    found: dict[str, list[int]] = {}
    for node in products:
        factors = scale(largest[node.input[0]])
        if (factors > 1).any():
            _divide(model.graph, node, weights[node.input[1]], factors)
            found[node.name] = [int(channel) for channel in np.flatnonzero(factors > 1)]
    return found


def _largest(
    model: onnx.ModelProto, names: Sequence[str], feeds: Sequence[Feed]
) -> dict[str, NDArray[np.float32]]:
    """Return the largest absolute value of each channel, the last axis, of some tensors."""
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    for name in names:
        probe.graph.output.append(helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        probe.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    wanted = [value.name for value in session.get_inputs()]
    largest: dict[str, NDArray[np.float32]] = {}
    for feed in feeds:
        found = session.run(list(names), {name: feed[name] for name in wanted})
        for name, values in zip(names, found, strict=True):
            here = np.abs(values).reshape(-1, values.shape[-1]).max(axis=0)
            largest[name] = np.maximum(largest.get(name, here), here)
    return largest


def scale(largest: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return what each channel of an activation is to be divided by.

    Parameters
    ----------
    largest
        The largest absolute value of each channel.

    Returns
    -------
    numpy.ndarray
        1 for the usual channels, and how many times too large each outlier is.
    """
    order = np.argsort(-largest)[:_MOST]
    outliers = order[largest[order] > _DWARFS * np.percentile(largest, _USUAL)]
    factors = np.ones_like(largest)
    rest = np.delete(largest, outliers).max()
    if largest.max() >= _GAIN * rest:
        factors[outliers] = largest[outliers] / rest
    return factors


def _divide(
    graph: onnx.GraphProto, node: onnx.NodeProto, weight: onnx.TensorProto, scale: NDArray[Any]
) -> None:
    factor, even, rows = f"{node.name}/factor", f"{node.name}/even", f"{node.name}/weight"
    graph.initializer.extend(
        (
            numpy_helper.from_array((1 / scale).astype(np.float32), factor),
            # A weight of its own: another node may use the same one.
            numpy_helper.from_array(numpy_helper.to_array(weight) * scale[:, None], rows),
        )
    )
    divide = helper.make_node("Mul", [node.input[0], factor], [even], f"{node.name}/Mul")
    graph.node.insert(list(graph.node).index(node), divide)
    node.input[0], node.input[1] = even, rows
    if not any(weight.name in other.input for other in graph.node):
        graph.initializer.remove(weight)
