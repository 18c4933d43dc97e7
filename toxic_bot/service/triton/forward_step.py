"""Triton's second step on a CPU: windows to logits. Copied into a model repository as model.py.

The requests of a batch are computed side by side, each window alone: under dynamic quantization a
batch shares one activation scale, and one window would change another's score.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import triton_python_backend_utils as pb_utils

from toxic_bot.judge.classifier import verified
from toxic_bot.judge.config import ModelConfig
from toxic_bot.judge.forward import WindowByWindow
from toxic_bot.judge.session import create_session


@dataclass(frozen=True)
class _Window:
    ids: Sequence[int]


class TritonPythonModel:
    """The step, as Triton's Python backend expects it."""

    def initialize(self, args: dict[str, str]) -> None:
        """Load the graph."""
        folder = Path(args["model_repository"], args["model_version"])
        config = ModelConfig.read(folder / "config.json")
        graph = verified(folder / "model.onnx", config)
        self._forward = WindowByWindow(create_session(graph, 1), config.inputs)
        parameters = json.loads(args["model_config"])["parameters"]
        threads = int(parameters["threads"]["string_value"])
        self._executor = ThreadPoolExecutor(threads or len(os.sched_getaffinity(0)))

    def execute(self, requests: list[Any]) -> list[Any]:
        """Answer the requests of a batch."""
        batches = [_unpadded(request) for request in requests]
        every = [window for batch in batches for window in batch]
        logits = list(self._executor.map(lambda window: self._forward.logits([window])[0], every))
        responses = []
        end = 0
        for batch in batches:
            start, end = end, end + len(batch)
            tensor = pb_utils.Tensor("logits", np.stack(logits[start:end]))
            responses.append(pb_utils.InferenceResponse([tensor]))
        return responses

    def finalize(self) -> None:
        """Stop the threads."""
        self._executor.shutdown()


def _unpadded(request: Any) -> list[_Window]:
    ids = pb_utils.get_input_tensor_by_name(request, "input_ids").as_numpy()
    mask = pb_utils.get_input_tensor_by_name(request, "attention_mask").as_numpy()
    return [_Window(row[:length]) for row, length in zip(ids, mask.sum(axis=1), strict=True)]
