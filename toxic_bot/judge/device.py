"""Where the model computes: a CPU, or a GPU through CUDA."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

import onnxruntime

from toxic_bot.judge.errors import ToxicBotError

_CUDA = "CUDAExecutionProvider"


class DeviceError(ToxicBotError):
    """The device that was asked for is not there."""


class Device(StrEnum):
    """Where the model computes."""

    CPU = "cpu"
    CUDA = "cuda"


def create_cuda_session(graph: Path) -> onnxruntime.InferenceSession:
    """Create a session on the first GPU.

    Parameters
    ----------
    graph
        An ONNX graph in fp16.

    Raises
    ------
    DeviceError
        When there is no GPU, or this ONNX Runtime cannot use it.
    """
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    if _CUDA in onnxruntime.get_available_providers():
        session = onnxruntime.InferenceSession(str(graph), options, providers=[_CUDA])
        # Where a driver or a library is missing, ONNX Runtime falls back to the CPU.
        if session.get_providers()[0] == _CUDA:
            return session
        reason = "ONNX Runtime found no usable GPU: check the driver with nvidia-smi"
    else:
        reason = "this ONNX Runtime is built for CPUs: install onnxruntime-gpu in its place"
    raise DeviceError(f"{reason}, or give --device cpu")
