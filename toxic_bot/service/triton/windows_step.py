"""Triton's first step: texts to windows of tokens. Copied into a model repository as model.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import triton_python_backend_utils as pb_utils
from tokenizers import Encoding, Tokenizer

from toxic_bot.judge.batching import lengths, smallest
from toxic_bot.judge.classifier import verified
from toxic_bot.judge.config import ModelConfig
from toxic_bot.judge.preprocessing import Preprocessor
from toxic_bot.judge.verdict import Reason

# Where nothing is to be judged, one window of one token fills the place that a batch needs.
_NO_TEXT = -1


class TritonPythonModel:
    """The step, as Triton's Python backend expects it."""

    def initialize(self, args: dict[str, str]) -> None:
        """Load the tokenizer."""
        folder = Path(args["model_repository"], args["model_version"])
        parameters = json.loads(args["model_config"])["parameters"]
        self._max_texts = int(parameters["max_texts"]["string_value"])
        self._max_windows = int(parameters["max_windows"]["string_value"])
        self._config = ModelConfig.read(folder / "config.json")
        tokenizer = Tokenizer.from_file(str(verified(folder / "tokenizer.json", self._config)))
        self._preprocessor = Preprocessor(self._config, tokenizer)
        self._lengths = lengths(self._config.window.tokens)

    def execute(self, requests: list[Any]) -> list[Any]:
        """Answer each request."""
        return [self._respond(request) for request in requests]

    def _respond(self, request: Any) -> Any:
        tensor = pb_utils.get_input_tensor_by_name(request, "TEXT").as_numpy()
        if not 1 <= len(tensor) <= self._max_texts:
            return _refusal(f"TEXT has {len(tensor)} texts: send 1 to {self._max_texts}")
        texts = [bytes(each).decode("utf-8", "replace") for each in tensor]
        read = [self._preprocessor.windows(text) for text in texts]
        windows: list[tuple[int, Encoding]] = [
            (number, window) for number, of_text in enumerate(read) for window in of_text.encodings
        ]
        if len(windows) > self._max_windows:
            return _refusal(
                f"the texts have {len(windows)} windows, more than {self._max_windows}: send fewer"
            )
        outputs = self._graph_inputs([window for _, window in windows])
        outputs["text_of_window"] = np.array([n for n, _ in windows] or [_NO_TEXT], np.int32)
        outputs["windows"] = np.array([len(of_text.encodings) for of_text in read], np.int32)
        outputs["legible"] = np.array([one.reason is not Reason.LANGUAGE for one in read])
        tensors = [pb_utils.Tensor(name, values) for name, values in outputs.items()]
        return pb_utils.InferenceResponse(tensors)

    def _graph_inputs(self, windows: list[Encoding]) -> dict[str, Any]:
        longest = max((len(window.ids) for window in windows), default=1)
        shape = (max(1, len(windows)), smallest(self._lengths, longest))
        ids, mask = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        mask[:, 0] = 1
        for row, window in enumerate(windows):
            ids[row, : len(window.ids)] = window.ids
            mask[row, : len(window.ids)] = 1
        tensors = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        return {name: tensors[name] for name in self._config.inputs}


def _refusal(message: str) -> Any:
    return pb_utils.InferenceResponse(error=pb_utils.TritonError(message))
