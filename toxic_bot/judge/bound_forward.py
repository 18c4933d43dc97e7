"""The forward pass with bound buffers, for devices whose memory is not the machine's.

Inputs and outputs are bound to buffers on the device (ONNX Runtime's I/O binding,
https://onnxruntime.ai/docs/performance/tune-performance/iobinding.html), one set for each
length and number of windows, so that nothing is allocated for a request.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime

from toxic_bot.judge.batching import BATCHES, lengths, smallest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toxic_bot.judge.config import ModelConfig
    from toxic_bot.judge.forward import Window


@dataclass(frozen=True, slots=True)
class _Buffers:
    binding: Any
    inputs: dict[str, Any]
    logits: Any


class BoundForward:
    """A graph whose inputs and outputs are bound on a device; computes batches.

    Its activations must not be quantized dynamically: windows would change each other's scores.

    Parameters
    ----------
    session
        A session on the device. It takes int64 inputs of shape (windows, tokens), and returns
        ``logits``, float32 of shape (windows, labels + kinds).
    config
        What the model folder says about its model.
    device
        ONNX Runtime's name of the device: ``cpu`` or ``cuda``.
    """

    def __init__(
        self, session: onnxruntime.InferenceSession, config: ModelConfig, device: str
    ) -> None:
        self._session = session
        self._inputs = config.inputs
        self._outputs = len(config.labels) + len(config.kinds)
        self._device = device
        self._lengths = lengths(config.window.tokens)
        self._buffers: dict[tuple[int, int], _Buffers] = {}
        self._lock = threading.Lock()

    @property
    def shapes(self) -> set[tuple[int, int]]:
        """Windows and tokens for which there are buffers."""
        return set(self._buffers)

    def logits(self, windows: Sequence[Window]) -> NDArray[np.float32]:
        """Return the logits of windows, in their order; those of similar length run together."""
        logits = np.empty((len(windows), self._outputs), np.float32)
        by_length: dict[int, list[int]] = {}
        for number, window in enumerate(windows):
            length = smallest(self._lengths, len(window.ids))
            by_length.setdefault(length, []).append(number)
        for length, numbers in by_length.items():
            for start in range(0, len(numbers), BATCHES[-1]):
                batch = numbers[start : start + BATCHES[-1]]
                logits[batch] = self._run([windows[number] for number in batch], length)
        return logits

    def _run(self, windows: Sequence[Window], length: int) -> NDArray[np.float32]:
        rows = smallest(BATCHES, len(windows))
        ids = np.zeros((rows, length), np.int64)
        mask = np.zeros_like(ids)
        # A row that fills up the batch has one token; its logits are not looked at.
        mask[:, 0] = 1
        for row, window in enumerate(windows):
            ids[row, : len(window.ids)] = window.ids
            mask[row, : len(window.ids)] = 1
        tensors = {
            "input_ids": ids,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(ids),
        }
        with self._lock:
            buffers = self._buffers_for(rows, length)
            for name, buffer in buffers.inputs.items():
                buffer.update_inplace(tensors[name])
            self._session.run_with_iobinding(buffers.binding)
            logits: NDArray[np.float32] = buffers.logits.numpy()[: len(windows)].copy()
        return logits

    def _buffers_for(self, rows: int, length: int) -> _Buffers:
        buffers = self._buffers.get((rows, length))
        if buffers is None:
            buffers = self._buffers[rows, length] = self._allocate(rows, length)
        return buffers

    def _allocate(self, rows: int, length: int) -> _Buffers:
        binding: Any = self._session.io_binding()
        inputs = {name: self._buffer((rows, length), np.int64) for name in self._inputs}
        for name, buffer in inputs.items():
            binding.bind_ortvalue_input(name, buffer)
        logits = self._buffer((rows, self._outputs), np.float32)
        binding.bind_ortvalue_output("logits", logits)
        return _Buffers(binding, inputs, logits)

    def _buffer(self, shape: tuple[int, int], kind: type) -> Any:
        values: Any = onnxruntime.OrtValue
        return values.ortvalue_from_shape_and_type(shape, kind, self._device)
