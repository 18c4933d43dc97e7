"""Round weights to int8 at random, up or down, so that training further is not undone.

A served model that is trained further starts from weights that lie on the steps of 8 bits.
Training moves most of them by a fraction of a step, and rounding to the nearest step moves them
back: half of what was learned, and more. Rounded up with the probability of their fraction,
weights keep what they were moved by in the mean (Gupta et al. 2015, "Deep Learning with Limited
Numerical Precision", section 3.1).
"""

from __future__ import annotations

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

_LARGEST = 127
_SEED = 20261126


def round_stochastically(quantized: onnx.ModelProto, exact: onnx.ModelProto) -> None:
    """Round the weights of the fused attentions and matrix products again, in place.

    Parameters
    ----------
    quantized
        The int8 graph that ONNX Runtime made of `exact`, with one scale per output channel.
    exact
        The fp32 graph.
    """
    steps = {value.name: value for value in quantized.graph.initializer}
    weights = {value.name: value for value in exact.graph.initializer}
    random = np.random.default_rng(_SEED)
    names = dict.fromkeys(
        node.input[1]
        for node in exact.graph.node
        if node.op_type in ("Attention", "MatMul") and f"{node.input[1]}_quantized" in steps
    )
    for name in names:
        rounded, scale = _round(numpy_helper.to_array(weights[name]), random)
        for suffix, values in (("quantized", rounded), ("scale", scale)):
            value = steps[f"{name}_{suffix}"]
            value.CopyFrom(numpy_helper.from_array(values, value.name))


def _round(
    weight: NDArray[np.float32], random: np.random.Generator
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return int8 weights of shape (inputs, outputs) and the scales of the outputs."""
    largest = np.abs(weight).max(axis=0)
    scale = np.where(largest > 0, largest / _LARGEST, 1).astype(np.float32)
    rounded = np.floor(weight / scale + random.random(weight.shape))
    return rounded.clip(-_LARGEST, _LARGEST).astype(np.int8), scale
