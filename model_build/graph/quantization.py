"""Quantize a graph: int8 weights for CPUs, fp16 for GPUs."""

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

from model_build.graph import early_exit, embeddings, rounding, smoothing, unfusing
from model_build.graph.parity import PROBES, max_difference
from model_build.graph.runner import OnnxGraph, encode, quiet_logging, unpadded_feed
from model_build.work import GRAPH, MODEL, Work
from toxic_bot.judge.classifier import softmax

FP16_GRAPH = "model.fp16.onnx"
_MAX_TOKENS = 128
_CONFIDENT = 0.95
"""Probability from which a prediction is too confident for quantization error to flip it."""
_MIN_UNCERTAIN_TEXTS = 30
_MAX_VALIDATION_TEXTS = 2000


def run(work: Work, *, fp16: bool = False, force: bool = False) -> Path:
    """Run the step: write ``quantize/model.onnx``.

    Parameters
    ----------
    work
        Work folder that holds the optimized graph.
    fp16
        Also write ``model.fp16.onnx`` for GPUs.
    force
        Run the step even if it is up to date.
    """
    source = work.require("optimize", GRAPH)
    validation = work.step("data") / "validation.parquet"
    checkpoint = work.require(str(work.record("export")["settings"]["source"]), MODEL)

    def action(folder: Path) -> Mapping[str, Any]:
        tokenizer = Tokenizer.from_file(str(checkpoint / "tokenizer.json"))
        calibration = smoothing.calibration_texts()
        texts = _sample_texts(validation) if validation.exists() else calibration
        labels = len(work.record("export")["results"]["labels"])
        observed, encoded = (encode(tokenizer, one, _MAX_TOKENS) for one in (calibration, texts))
        expected = OnnxGraph(source).run_each(encoded)
        outliers, errors = quantize_closest(source, folder / GRAPH, observed, encoded, expected)
        correction = correct_bias(folder / GRAPH, encoded, expected, labels)
        if fp16:
            convert_to_fp16(source, folder / FP16_GRAPH)
        probes = encode(tokenizer, PROBES, _MAX_TOKENS)
        before, after = OnnxGraph(source), OnnxGraph(folder / GRAPH)
        change = max_difference(
            [before.run(probe) for probe in probes], [after.run(probe) for probe in probes]
        )
        return {
            "bytes": (folder / GRAPH).stat().st_size,
            "largest_change_of_logits": change,
            "outliers": outliers,
            "error_of_logits": errors,
            "shift_of_logits": correction,
        }

    # The code is an input too: when it changes, the step runs again.
    code = (__file__, rounding.__file__, smoothing.__file__, unfusing.__file__)
    inputs = [source, *map(Path, code)]
    inputs += [validation] if validation.exists() else []
    return work.run("quantize", {"fp16": fp16}, inputs, action, force=force)


def _sample_texts(file: Path) -> list[str]:
    texts = pd.read_parquet(file)["text"]
    return list(texts.sample(min(_MAX_VALIDATION_TEXTS, len(texts)), random_state=1))


def quantize_closest(
    source: Path,
    target: Path,
    observed: Sequence[NDArray[np.int64]],
    texts: Sequence[NDArray[np.int64]],
    expected: NDArray[np.float32],
) -> tuple[dict[str, list[int]], dict[str, float]]:
    """Write the int8 graph whose logits are closest to those in fp32.

    Rounding to the nearest step is closest for weights that lie anywhere, and rounding at random
    for those of a served model that was trained further.

    Parameters
    ----------
    source, target, observed
        See `quantize`.
    texts
        Token IDs of shape (1, tokens) each, on which the logits are compared.
    expected
        Logits in fp32, of shape (texts, labels + kinds).

    Returns
    -------
    dict of str to list of int
        The smoothed channels of each matrix product, by node name.
    dict of str to float
        Root mean square of the logits' error for each way to round, ``nearest`` and ``random``.
    """
    files = {way: target.with_suffix(f".{way}.onnx") for way in ("nearest", "random")}
    errors: dict[str, float] = {}
    for way, file in files.items():
        outliers = quantize(source, file, observed, at_random=way == "random")
        errors[way] = float(np.sqrt(np.mean((OnnxGraph(file).run_each(texts) - expected) ** 2)))
    best = min(files, key=errors.__getitem__)
    files.pop(best).replace(target)
    for file in files.values():
        file.unlink()
    return outliers, errors


def quantize(
    source: Path, target: Path, texts: Sequence[NDArray[np.int64]], *, at_random: bool = False
) -> dict[str, list[int]]:
    """Write a graph with signed int8 weights, one scale per output channel.

    Activations are quantized dynamically, after their outlier channels have been smoothed
    (`model_build.graph.smoothing`), and operators that a CPU runs faster in parts are taken apart
    (`model_build.graph.unfusing`). The int8 arithmetic is exact on every x86 CPU as long as the
    session rules out saturating kernels on CPUs without VNNI, as `toxic_bot.judge.session` does.

    Parameters
    ----------
    source
        An optimized fp32 graph.
    target
        The file to write.
    texts
        Token IDs of shape (1, tokens) each, on which activations are observed.
    at_random
        Whether weights are rounded up or down at random (`model_build.graph.rounding`), instead
        of to the nearest step.

    Returns
    -------
    dict of str to list of int
        The smoothed channels of each matrix product, by node name.
    """
    model = onnx.load(str(source))
    outliers = smoothing.smooth_activations(model, [unpadded_feed(ids) for ids in texts])
    lookups = embeddings.quantize_embeddings(model)
    exact = onnx.ModelProto()
    exact.CopyFrom(model)
    with quiet_logging():
        quantize_dynamic(
            model,
            str(target),
            per_channel=True,
            weight_type=QuantType.QInt8,
            nodes_to_exclude=lookups,
            extra_options={
                # The output types of fused operators cannot be inferred.
                "DefaultTensorType": onnx.TensorProto.FLOAT,
                # Products of two activations stay in floats.
                "MatMulConstBOnly": True,
            },
        )
    quantized = onnx.load(str(target))
    if at_random:
        rounding.round_stochastically(quantized, exact)
    unfusing.unfuse(quantized)
    onnx.save(quantized, str(target))
    return outliers


def correct_bias(
    quantized: Path,
    texts: Sequence[NDArray[np.int64]],
    expected: NDArray[np.float32],
    labels: int,
) -> list[float]:
    """Remove the mean quantization error from the logits of an int8 graph.

    Quantization errors of many layers do not cancel out: near the decision boundary they make
    a text look less toxic than it is. The correction follows Nagel et al. 2019, "Data-Free
    Quantization Through Weight Equalization and Bias Correction", section 4.2, but is applied
    to the logits only and estimated on texts for which the model is uncertain.

    Parameters
    ----------
    quantized
        The int8 graph; its last bias is changed.
    texts
        Token IDs of shape (1, tokens) each.
    expected
        Their logits in fp32, of shape (texts, labels + kinds).
    labels
        Number of the first logits that are those of the labels; those of the kinds follow.

    Returns
    -------
    list of float
        The correction added to each logit; zeros if too few texts are uncertain.
    """
    uncertain = softmax(expected[:, :labels]).max(axis=1) < _CONFIDENT
    model = onnx.load(str(quantized))
    last = next(node for node in model.graph.node if "logits" in node.output)
    biases = [value for value in model.graph.initializer if value.name in last.input]
    if uncertain.sum() < _MIN_UNCERTAIN_TEXTS or last.op_type != "Add" or len(biases) != 1:
        return [0.0] * expected.shape[1]
    uncertain_texts = [ids for ids, keep in zip(texts, uncertain, strict=True) if keep]
    actual = OnnxGraph(quantized).run_each(uncertain_texts)
    correction = (expected[uncertain] - actual).mean(axis=0)
    bias = (numpy_helper.to_array(biases[0]) + correction).astype(np.float32)
    biases[0].CopyFrom(numpy_helper.from_array(bias, biases[0].name))
    onnx.save(model, str(quantized))
    return [float(value) for value in correction]


def convert_to_fp16(source: Path, target: Path) -> None:
    """Write a graph that computes in fp16 and returns fp32 logits, for GPUs."""
    from onnxruntime.transformers.float16 import convert_float_to_float16

    whole = early_exit.nest(onnx.load(str(source)), ())
    model = convert_float_to_float16(whole, keep_io_types=True)
    onnx.save(model, str(target))
