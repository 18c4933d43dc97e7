"""Weights to 8 bits for CPUs, to 16 bits for GPUs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer

from model_build import outlier
from model_build.graph import PROBES, Graph, difference, encoded, everything, quiet
from model_build.work import GRAPH, MODEL, Work

FILE_FP16 = "model.fp16.onnx"


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
    checkpoint = work.needed(str(work.record("export")["settings"]["source"]), MODEL)

    def action(folder: Path) -> Mapping[str, Any]:
        tokenizer = Tokenizer.from_file(str(checkpoint / "tokenizer.json"))
        outliers = quantize(source, folder / GRAPH, encoded(tokenizer, outlier.talk(), 128))
        if fp16:
            halve(source, folder / FILE_FP16)
        probes = encoded(tokenizer, PROBES, 128)
        before, after = Graph(source), Graph(folder / GRAPH)
        moved = difference([before.run(p) for p in probes], [after.run(p) for p in probes])
        return {
            "bytes": (folder / GRAPH).stat().st_size,
            "largest_change_of_logits": moved,
            "outliers": outliers,
        }

    return work.run("quantize", {"fp16": fp16}, [source], action, force=force)


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
    outliers = outlier.even_out(model, [everything(ids) for ids in texts])
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


def halve(source: Path, target: Path) -> None:
    """Write a graph with 16-bit floats inside and 32-bit logits, for GPUs."""
    from onnxruntime.transformers.float16 import convert_float_to_float16

    model = convert_float_to_float16(onnx.load(str(source)), keep_io_types=True)
    onnx.save(model, str(target))
