"""Activation smoothing: shrink outlier channels before quantization.

An activation tensor is quantized with a single scale. If one channel is eight times as large
as the others, as happens at ``[CLS]`` in MiniLM's feed-forward layers, the others lose three
bits of precision. Such a channel is divided by a factor, and the matching row of the weights
is multiplied by it (Xiao et al. 2023, "SmoothQuant", section 4). Unlike SmoothQuant, only
outlier channels are smoothed. The weights tolerate the larger row because each of their
columns has its own scale.
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

from model_build.rows.sentences import sentences
from toxic_bot.judge.normalization import normalize

Feed = Mapping[str, NDArray[np.int64]]

_TYPICAL_PERCENTILE = 98
"""Percentile of the channel maxima that outliers are compared to."""
_OUTLIER_RATIO = 2.0
"""An outlier is more than this many times as large as the typical percentile."""
_MIN_RANGE_RATIO = 1.5
"""Outliers are smoothed only if the largest is at least this many times any other channel."""
_MAX_OUTLIERS = 16
_SHORT_TEXTS = 200
_SENTENCES_PER_LONG_TEXT = 6


def calibration_texts(seed: int = 20261121) -> list[str]:
    """Return normalized short and long texts on which activations are observed."""
    texts = [normalize(sentence.text) for sentence in sentences(seed)]
    random.Random(seed).shuffle(texts)
    short, rest = texts[:_SHORT_TEXTS], texts[_SHORT_TEXTS : 2 * _SHORT_TEXTS]
    step = _SENTENCES_PER_LONG_TEXT
    return short + [" ".join(rest[at : at + step]) for at in range(0, len(rest), step)]


def smooth_activations(model: onnx.ModelProto, feeds: Sequence[Feed]) -> dict[str, list[int]]:
    """Shrink the outlier channels of every matrix product with constant weights, in place.

    ``X W`` becomes ``(X / s) (s W)``, which is mathematically the same.

    Parameters
    ----------
    model
        An fp32 graph.
    feeds
        Inputs on which activations are observed.

    Returns
    -------
    dict of str to list of int
        The outlier channels of each product that has any, by node name.
    """
    weights = {value.name: value for value in model.graph.initializer}
    products = [
        node for node in model.graph.node if node.op_type == "MatMul" and node.input[1] in weights
    ]
    if not products:
        return {}
    maxima = _channel_maxima(model, sorted({node.input[0] for node in products}), feeds)
    outliers: dict[str, list[int]] = {}
    for node in products:
        factors = smoothing_factors(maxima[node.input[0]])
        if (factors > 1).any():
            _move_scale_to_weight(model.graph, node, weights[node.input[1]], factors)
            outliers[node.name] = [int(channel) for channel in np.flatnonzero(factors > 1)]
    return outliers


def _channel_maxima(
    model: onnx.ModelProto, names: Sequence[str], feeds: Sequence[Feed]
) -> dict[str, NDArray[np.float32]]:
    """Return the largest absolute value of each channel (last axis) of the named tensors."""
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    for name in names:
        probe.graph.output.append(helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        probe.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    input_names = [value.name for value in session.get_inputs()]
    maxima: dict[str, NDArray[np.float32]] = {}
    for feed in feeds:
        activations = session.run(list(names), {name: feed[name] for name in input_names})
        for name, values in zip(names, activations, strict=True):
            current = np.abs(values).reshape(-1, values.shape[-1]).max(axis=0)
            maxima[name] = np.maximum(maxima.get(name, current), current)
    return maxima


def smoothing_factors(maxima: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the factor by which to divide each channel of an activation.

    Parameters
    ----------
    maxima
        The largest absolute value of each channel.

    Returns
    -------
    numpy.ndarray
        1 for typical channels; for an outlier, its ratio to the largest other channel.
    """
    largest_first = np.argsort(-maxima)[:_MAX_OUTLIERS]
    bound = _OUTLIER_RATIO * np.percentile(maxima, _TYPICAL_PERCENTILE)
    outliers = largest_first[maxima[largest_first] > bound]
    factors = np.ones_like(maxima)
    largest_typical = np.delete(maxima, outliers).max()
    if maxima.max() >= _MIN_RANGE_RATIO * largest_typical:
        factors[outliers] = maxima[outliers] / largest_typical
    return factors


def _move_scale_to_weight(
    graph: onnx.GraphProto, node: onnx.NodeProto, weight: onnx.TensorProto, factors: NDArray[Any]
) -> None:
    inverse, smoothed = f"{node.name}/factor", f"{node.name}/even"
    scaled_weight = f"{node.name}/weight"
    graph.initializer.extend(
        (
            numpy_helper.from_array((1 / factors).astype(np.float32), inverse),
            # A copy, because another node may share the weight.
            numpy_helper.from_array(
                numpy_helper.to_array(weight) * factors[:, None], scaled_weight
            ),
        )
    )
    divide = helper.make_node("Mul", [node.input[0], inverse], [smoothed], f"{node.name}/Mul")
    graph.node.insert(list(graph.node).index(node), divide)
    node.input[0], node.input[1] = smoothed, scaled_weight
    if not any(weight.name in other.input for other in graph.node):
        graph.initializer.remove(weight)
