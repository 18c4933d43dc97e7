"""Triton's last step: logits to verdicts. Copied into a model repository as model.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import triton_python_backend_utils as pb_utils

from toxic_bot.judge.config import ModelConfig, OperatingPoint
from toxic_bot.judge.postprocessing import Postprocessor
from toxic_bot.judge.verdict import Reason, Verdict


class TritonPythonModel:
    """The step, as Triton's Python backend expects it."""

    def initialize(self, args: dict[str, str]) -> None:
        """Read how logits become verdicts."""
        folder = Path(args["model_repository"], args["model_version"])
        parameters = json.loads(args["model_config"])["parameters"]
        point = OperatingPoint(parameters["operating_point"]["string_value"])
        self._config = ModelConfig.read(folder / "config.json")
        self._postprocessor = Postprocessor(self._config, point)

    def execute(self, requests: list[Any]) -> list[Any]:
        """Answer each request."""
        return [self._respond(request) for request in requests]

    def _respond(self, request: Any) -> Any:
        logits, text_of_window, windows, legible = (
            pb_utils.get_input_tensor_by_name(request, name).as_numpy()
            for name in ("logits", "text_of_window", "windows", "legible")
        )
        verdicts: list[Verdict] = []
        for number, count in enumerate(windows):
            if count:
                verdicts.append(self._postprocessor.verdict(logits[text_of_window == number]))
            else:
                reason = Reason.NO_WORDS if legible[number] else Reason.LANGUAGE
                verdicts.append(Verdict.not_judged(reason))
        outputs = {
            "TOXIC": np.array([verdict.toxic for verdict in verdicts]),
            "SCORE": np.array([verdict.score for verdict in verdicts], np.float64),
            "WINDOWS": np.array([verdict.windows for verdict in verdicts], np.int32),
            "LEGIBLE": np.array([one.reason is not Reason.LANGUAGE for one in verdicts]),
        }
        names = [kind.name for kind in self._config.kinds]
        if names:
            outputs["KINDS"] = np.array([[n in v.kinds for n in names] for v in verdicts])
            outputs["PROBABILITIES"] = np.array(
                [[v.probabilities.get(n, 0.0) for n in names] for v in verdicts], np.float64
            )
        tensors = [pb_utils.Tensor(name, values) for name, values in outputs.items()]
        return pb_utils.InferenceResponse(tensors)
