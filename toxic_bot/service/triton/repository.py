"""Write a model repository: an ensemble that takes texts and answers with verdicts.

Each model of it is a folder with a configuration and a folder for each version
(https://docs.nvidia.com/deeplearning/triton-inference-server/user-guide/docs/user_guide/model_repository.html).
A version has everything it needs, the judge's code included, so the repository can be copied to
wherever Triton runs.
"""

from __future__ import annotations

import importlib.metadata
import shutil
import struct
from pathlib import Path

import numpy as np

import toxic_bot
from toxic_bot import judge
from toxic_bot.judge.batching import lengths
from toxic_bot.judge.classifier import FP16_GRAPH, load, verified
from toxic_bot.judge.config import ModelConfig, OperatingPoint
from toxic_bot.service import ServiceError
from toxic_bot.service.triton import model_config
from toxic_bot.service.triton.model_config import ENSEMBLE, FORWARD, VERDICT, WARM_UP, WINDOWS

GPU_CONFIG = "gpu"
"""The name under which Triton selects the configuration for a GPU (``--model-config-name``)."""
PACKAGES = ("cld3-py", "onnxruntime", "tokenizers")
"""What the Python steps import, but for NumPy, which has to be the one of Triton's backend."""
_STEPS = {WINDOWS: "windows_step", FORWARD: "forward_step", VERDICT: "verdict_step"}
_FILES = {
    ENSEMBLE: (),
    WINDOWS: ("config.json", "tokenizer.json"),
    FORWARD: ("config.json", "model.onnx"),
    VERDICT: ("config.json",),
}


def write(
    model: Path,
    output: Path,
    *,
    version: int | None = None,
    operating_point: OperatingPoint = OperatingPoint.BALANCED,
    threads: int = 0,
) -> int:
    """Write a model folder as a version of a model repository, and return the version.

    Parameters
    ----------
    model
        The model folder. If it has an fp16 graph, there is a configuration for a GPU too.
    output
        The repository; a version is added if it exists.
    version
        The version's number; None for the next one.
    operating_point
        What the threshold is for.
    threads
        Windows computed at a time on a CPU; 0 for one for each CPU of the machine that serves.

    Raises
    ------
    ModelError
        When the model folder cannot be loaded.
    ServiceError
        When the version is there already, the repository is for another kind of model or cannot
        be written.
    """
    load(model, 1, operating_point)
    config = ModelConfig.read(model / "config.json")
    chosen = version if version is not None else _next_version(output)
    if (output / ENSEMBLE / str(chosen)).exists():
        raise ServiceError(f"{output} has a version {chosen}: choose another with --version")
    has_gpu_graph = FP16_GRAPH in config.checksums
    if has_gpu_graph:
        verified(model / FP16_GRAPH, config)
    texts = _configurations(config, operating_point, threads)
    _check_same_shapes(output, config)
    try:
        for name, text in texts.items():
            folder = output / name
            _write_version(folder / str(chosen), model, name)
            (folder / "config.pbtxt").write_text(text, "ascii")
        if has_gpu_graph:
            _write_gpu(output / FORWARD, model, config, chosen)
        _write_warm_ups(output, config)
        pins = [f"{name}=={importlib.metadata.version(name)}\n" for name in PACKAGES]
        (output / "requirements.txt").write_text("".join(pins), "ascii")
    except OSError as error:
        raise ServiceError(f"{output} cannot be written ({error.strerror})") from error
    return chosen


def _configurations(
    config: ModelConfig, operating_point: OperatingPoint, threads: int
) -> dict[str, str]:
    return {
        WINDOWS: model_config.windows(config),
        FORWARD: model_config.forward(config, threads),
        VERDICT: model_config.verdict(config, operating_point),
        ENSEMBLE: model_config.ensemble(config),
    }


def _next_version(output: Path) -> int:
    found = [int(f.name) for f in (output / ENSEMBLE).glob("*") if f.name.isdecimal()]
    return max(found, default=0) + 1


def _check_same_shapes(output: Path, config: ModelConfig) -> None:
    """Refuse a model that asks for or answers with other tensors than the one that is there."""
    for path in sorted((output / WINDOWS).glob("*/config.json")):
        other = ModelConfig.read(path)
        if _tensors(other) != _tensors(config):
            raise ServiceError(
                f"{output} serves a model with other kinds or inputs: name another folder"
            )


def _tensors(config: ModelConfig) -> tuple[object, ...]:
    return config.inputs, config.labels, [kind.name for kind in config.kinds]


def _write_version(folder: Path, model: Path, name: str) -> None:
    folder.mkdir(parents=True)
    for file in _FILES[name]:
        shutil.copyfile(model / file, folder / file)
    if name in _STEPS:
        step = Path(__file__).with_name(f"{_STEPS[name]}.py")
        shutil.copyfile(step, folder / "model.py")
        package, code = Path(toxic_bot.__file__), Path(judge.__file__).parent
        ignored = shutil.ignore_patterns("__pycache__", "model")
        shutil.copytree(code, folder / "toxic_bot" / "judge", ignore=ignored)
        shutil.copyfile(package, folder / "toxic_bot" / "__init__.py")


def _write_gpu(folder: Path, model: Path, config: ModelConfig, version: int) -> None:
    shutil.copyfile(model / FP16_GRAPH, folder / str(version) / FP16_GRAPH)
    (folder / "configs").mkdir(exist_ok=True)
    text = model_config.forward_on_gpu(config, FP16_GRAPH)
    (folder / "configs" / f"{GPU_CONFIG}.pbtxt").write_text(text, "ascii")


def _write_warm_ups(output: Path, config: ModelConfig) -> None:
    text = b"ready to judge the first message"
    folder = output / WINDOWS / WARM_UP
    folder.mkdir(exist_ok=True)
    # Triton's encoding of a string: its length, then its bytes.
    (folder / "text").write_bytes(struct.pack("<I", len(text)) + text)
    folder = output / FORWARD / WARM_UP
    folder.mkdir(exist_ok=True)
    for length in lengths(config.window.tokens):
        for name in config.inputs:
            value = 1 if name == "attention_mask" else 0
            path = folder / model_config.warm_up_file(name, length)
            path.write_bytes(np.full(length, value, "<i8").tobytes())
