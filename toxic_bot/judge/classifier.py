"""The classifier: a tokenizer and an ONNX Runtime session loaded from one model folder."""

from __future__ import annotations

import hashlib
from copy import copy
from pathlib import Path

from tokenizers import Tokenizer

from toxic_bot.judge.config import REMEDY, ModelConfig, OperatingPoint
from toxic_bot.judge.device import Device, DeviceError, create_cuda_session
from toxic_bot.judge.errors import ModelError
from toxic_bot.judge.forward import Forward, WindowByWindow
from toxic_bot.judge.postprocessing import Postprocessor, Verdict, softmax
from toxic_bot.judge.preprocessing import Preprocessor
from toxic_bot.judge.session import create_session

__all__ = ["FP16_GRAPH", "Classifier", "Verdict", "load", "read_verified", "softmax"]

FP16_GRAPH = "model.fp16.onnx"
"""The graph for GPUs in a model folder that has one."""


class Classifier:
    """Judges texts. Safe to share between threads.

    Parameters
    ----------
    config
        What the model folder says about its model.
    tokenizer
        The model's own.
    forward
        Computes.
    operating_point
        What the threshold is chosen for.
    """

    def __init__(
        self,
        config: ModelConfig,
        tokenizer: Tokenizer,
        forward: Forward,
        operating_point: OperatingPoint = OperatingPoint.BALANCED,
    ) -> None:
        self.config = config
        self._preprocessor = Preprocessor(config, tokenizer)
        self._forward = forward
        self._postprocessor = Postprocessor(config, operating_point)
        self.threshold = self._postprocessor.threshold

    def at(self, threshold: float) -> Classifier:
        """Return one with the same model and another threshold, which costs no memory."""
        other = copy(self)
        other._postprocessor = self._postprocessor.at(threshold)
        other.threshold = threshold
        return other

    def classify(self, text: str) -> Verdict:
        """Judge a plain text of any length; its worst window decides.

        Parameters
        ----------
        text
            Plain text, not Slack mrkdwn.

        Returns
        -------
        Verdict
            Not toxic, with no windows, if the text has neither letters nor digits or if it is not
            legible.
        """
        windows = self._preprocessor.windows(text)
        if isinstance(windows, Verdict):
            return windows
        return self._postprocessor.verdict(self._forward.logits(windows), windows)


def load(
    folder: Path,
    threads: int | None = None,
    operating_point: OperatingPoint = OperatingPoint.BALANCED,
    device: Device = Device.CPU,
) -> Classifier:
    """Load a model folder.

    Parameters
    ----------
    folder
        Contains ``config.json``, ``model.onnx`` and ``tokenizer.json``; for a GPU also
        ``model.fp16.onnx``.
    threads
        Threads per inference on a CPU; None for one per available CPU.
    operating_point
        What the threshold is chosen for.
    device
        Where the model computes.

    Returns
    -------
    Classifier
        Warmed up: its first verdict takes no longer than the next.

    Raises
    ------
    ModelError
        When a file is missing or damaged, or does not match the others.
    DeviceError
        When the device is not there.
    """
    config = ModelConfig.read(folder / "config.json")
    tokenizer_bytes = read_verified(folder / "tokenizer.json", config)
    graph = read_verified(graph_of(folder, config, device), config)
    try:
        tokenizer = Tokenizer.from_buffer(tokenizer_bytes)
        forward = _forward(graph, config, threads, device)
        classifier = Classifier(config, tokenizer, forward, operating_point)
        classifier.classify("ready to judge the first message")
    except DeviceError:
        raise
    # ONNX Runtime and tokenizers raise classes of their own that share no other base.
    except Exception as error:
        reason = " ".join(str(error).split())[:200]
        raise ModelError(f"{folder} cannot be loaded ({reason}): {REMEDY}") from error
    return classifier


def graph_of(folder: Path, config: ModelConfig, device: Device) -> Path:
    """Return the file with the graph for a device.

    Raises
    ------
    ModelError
        When the folder has none.
    """
    if device is Device.CPU:
        return folder / "model.onnx"
    if FP16_GRAPH not in config.checksums:
        raise ModelError(
            f"{folder} has no graph for GPUs: make a folder that has one with "
            f"'python -m model_build fp16 --model {folder} --output FOLDER'"
        )
    return folder / FP16_GRAPH


def _forward(graph: bytes, config: ModelConfig, threads: int | None, device: Device) -> Forward:
    if device is Device.CPU:
        return WindowByWindow(create_session(graph, threads), config.inputs)
    from toxic_bot.judge.batching import DynamicBatching
    from toxic_bot.judge.bound_forward import BoundForward

    return DynamicBatching(BoundForward(create_cuda_session(graph), config, device))


def read_verified(path: Path, config: ModelConfig) -> bytes:
    """Return the content of a file of a model folder.

    Raises
    ------
    ModelError
        When it is missing or damaged.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({error.strerror}): {REMEDY}") from error
    if hashlib.sha256(content).hexdigest() != config.checksums.get(path.name):
        raise ModelError(f"{path} is damaged (its SHA-256 differs from config.json's): {REMEDY}")
    return content
