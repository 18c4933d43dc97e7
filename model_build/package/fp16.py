"""Add the fp16 graph for GPUs to a model folder."""

from __future__ import annotations

import json
import logging
import shutil
import tempfile
from pathlib import Path

from model_build.graph.export import export
from model_build.graph.optimization import optimize
from model_build.graph.quantization import FP16_GRAPH, convert_to_fp16
from model_build.training import checkpoint, served
from model_build.work import GRAPH, StepError, file_checksum, write_json
from toxic_bot.judge.config import ModelConfig

logger = logging.getLogger(__name__)


def write(model: Path, output: Path) -> Path:
    """Write a model folder that also has an fp16 graph, made from the weights of its int8 graph.

    The weights have been rounded to 8 bits and stay that way; the activations are no longer
    rounded. A folder whose graph was quantized with ``--fp16`` has one made from the original
    weights already.

    Parameters
    ----------
    model
        A model folder.
    output
        The folder to write.

    Raises
    ------
    StepError
        When both are the same folder.
    CheckpointError
        When the graph is not an int8 BERT encoder made by this pipeline.
    """
    if output.resolve() == model.resolve():
        raise StepError(f"{output} is the folder to read: name another with --output")
    ModelConfig.read(model / "config.json")
    restored = served.restore(model)
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="fp16-") as name:
        folder = Path(name)
        checkpoint.save(restored, folder / "checkpoint")
        export(restored, folder / GRAPH)
        optimize(folder / GRAPH, folder / "fused.onnx", folder / "checkpoint")
        convert_to_fp16(folder / "fused.onnx", output / FP16_GRAPH)
    for file in (GRAPH, "tokenizer.json", "README.md"):
        if (model / file).exists():
            shutil.copyfile(model / file, output / file)
    config = json.loads((model / "config.json").read_bytes())
    config["files"][FP16_GRAPH] = {
        "sha256": file_checksum(output / FP16_GRAPH),
        "bytes": (output / FP16_GRAPH).stat().st_size,
    }
    write_json(output / "config.json", config)
    size = (output / FP16_GRAPH).stat().st_size
    logger.info("fp16: wrote %s, %s %.1f MB", output, FP16_GRAPH, size / 1e6)
    return output
