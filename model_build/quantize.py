"""Weights to 8 bits for CPUs, to 16 bits for GPUs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import onnx
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer

from model_build.graph import PROBES, Graph, difference, encoded, quiet
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
        quantize(source, folder / GRAPH)
        if fp16:
            halve(source, folder / FILE_FP16)
        tokenizer = Tokenizer.from_file(str(checkpoint / "tokenizer.json"))
        probes = encoded(tokenizer, PROBES, 128)
        before, after = Graph(source), Graph(folder / GRAPH)
        moved = difference([before.run(p) for p in probes], [after.run(p) for p in probes])
        return {"bytes": (folder / GRAPH).stat().st_size, "largest_change_of_logits": moved}

    return work.run("quantize", {"fp16": fp16}, [source], action, force=force)


def quantize(source: Path, target: Path) -> None:
    """Write a graph with signed 8-bit weights, a scale for each output channel.

    Activations are quantized as they come. The result is exact on every x86 CPU as long
    as the session forbids saturating kernels where VNNI is missing, as
    `handler.classifier` does.

    Parameters
    ----------
    source
        An optimized graph in 32-bit floats.
    target
        The file to write.
    """
    with quiet():
        quantize_dynamic(
            str(source),
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


def halve(source: Path, target: Path) -> None:
    """Write a graph with 16-bit floats inside and 32-bit logits, for GPUs."""
    from onnxruntime.transformers.float16 import convert_float_to_float16

    model = convert_float_to_float16(onnx.load(str(source)), keep_io_types=True)
    onnx.save(model, str(target))
