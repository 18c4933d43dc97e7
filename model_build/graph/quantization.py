"""Weights to 8 bits for CPUs, to 16 bits for GPUs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pandas as pd
from numpy.typing import NDArray
from onnx import numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer

from judge.classifier import softmax
from model_build.graph import smoothing as outlier
from model_build.graph.parity import PROBES, max_difference
from model_build.graph.runner import OnnxGraph, encode, quiet, unpadded_feed
from model_build.work import GRAPH, MODEL, Work

FILE_FP16 = "model.fp16.onnx"
_SURE = 0.95
"""Probability from which on a text is not one that rounding could flip."""
_LEAST = 30
_TEXTS = 2000


def run(work: Work, *, fp16: bool = False, force: bool = False) -> Path:
    """Do the step: write ``quantize/model.onnx``.

    Parameters
    ----------
    work
        Holds the optimized graph.
    fp16
        Write ``model.fp16.onnx`` for GPUs too.
    force
        Do it again even if it was done with these settings.
    """
    source = work.needed("optimize", GRAPH)
    held = work.step("data") / "validation.parquet"
    checkpoint = work.needed(str(work.record("export")["settings"]["source"]), MODEL)

    def action(folder: Path) -> Mapping[str, Any]:
        tokenizer = Tokenizer.from_file(str(checkpoint / "tokenizer.json"))
        outliers = quantize(source, folder / GRAPH, encode(tokenizer, outlier.talk(), 128))
        texts = _validation(held) if held.exists() else outlier.talk()
        shift = recentre(folder / GRAPH, source, encode(tokenizer, texts, 128))
        if fp16:
            halve(source, folder / FILE_FP16)
        probes = encode(tokenizer, PROBES, 128)
        before, after = OnnxGraph(source), OnnxGraph(folder / GRAPH)
        moved = max_difference([before.run(p) for p in probes], [after.run(p) for p in probes])
        return {
            "bytes": (folder / GRAPH).stat().st_size,
            "largest_change_of_logits": moved,
            "outliers": outliers,
            "shift_of_logits": shift,
        }

    # The graph depends on this code as well: after a change of it the step is done again.
    inputs = [source, Path(__file__), Path(outlier.__file__)]
    inputs += [held] if held.exists() else []
    return work.run("quantize", {"fp16": fp16}, inputs, action, force=force)


def _validation(file: Path) -> list[str]:
    texts = pd.read_parquet(file)["text"]
    return list(texts.sample(min(_TEXTS, len(texts)), random_state=1))


def quantize(
    source: Path, target: Path, texts: Sequence[NDArray[np.int64]]
) -> dict[str, list[int]]:
    """Write a graph with signed 8-bit weights, a scale for each output channel.

    Activations are quantized as they come, once the channels that dwarf the others are
    made smaller (`model_build.outlier`). The result is exact on every x86 CPU as long as
    the session forbids saturating kernels where VNNI is missing, as `handler.classifier`
    does.

    Parameters
    ----------
    source
        An optimized graph in 32-bit floats.
    target
        The file to write.
    texts
        Token ids, shape (1, tokens) each, on which activations are observed.

    Returns
    -------
    dict of str to list of int
        The channels that were made smaller, by product.
    """
    model = onnx.load(str(source))
    outliers = outlier.even_out(model, [unpadded_feed(ids) for ids in texts])
    with quiet():
        quantize_dynamic(
            model,
            str(target),
            per_channel=True,
            weight_type=QuantType.QInt8,
            extra_options={
                # The types of fused operators' outputs cannot be inferred.
                "DefaultTensorType": onnx.TensorProto.FLOAT,
                # Activation by activation stays in floats.
                "MatMulConstBOnly": True,
            },
        )
    return outliers


def recentre(quantized: Path, source: Path, texts: Sequence[NDArray[np.int64]]) -> list[float]:
    """Take out of an int8 graph's logits what rounding moved them by on the average.

    Rounding errors of many layers do not cancel out: between not toxic and toxic they make a
    text look less toxic than it is. What is left has no direction. After Nagel et al. 2019,
    "Data-Free Quantization Through Weight Equalization and Bias Correction", section 4.2;
    here at the logits alone, on texts of which the model is not sure.

    Parameters
    ----------
    quantized
        The int8 graph; its last bias is changed.
    source
        The same graph in floats.
    texts
        Token ids, shape (1, tokens) each.

    Returns
    -------
    list of float
        What was added to each logit; zeros where too few texts are undecided.
    """
    before, after = OnnxGraph(source), OnnxGraph(quantized)
    expected = np.concatenate([before.run(ids) for ids in texts])
    undecided = softmax(expected).max(axis=1) < _SURE
    model = onnx.load(str(quantized))
    last = next(node for node in model.graph.node if "logits" in node.output)
    biases = [value for value in model.graph.initializer if value.name in last.input]
    if undecided.sum() < _LEAST or last.op_type != "Add" or len(biases) != 1:
        return [0.0] * expected.shape[1]
    chosen = [ids for ids, here in zip(texts, undecided, strict=True) if here]
    found = np.concatenate([after.run(ids) for ids in chosen])
    shift = (expected[undecided] - found).mean(axis=0)
    moved = numpy_helper.to_array(biases[0]) + shift
    biases[0].CopyFrom(numpy_helper.from_array(moved.astype(np.float32), biases[0].name))
    onnx.save(model, str(quantized))
    return [float(value) for value in shift]


def halve(source: Path, target: Path) -> None:
    """Write a graph with 16-bit floats inside and 32-bit logits, for GPUs."""
    from onnxruntime.transformers.float16 import convert_float_to_float16

    model = convert_float_to_float16(onnx.load(str(source)), keep_io_types=True)
    onnx.save(model, str(target))
