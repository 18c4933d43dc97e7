"""The forward pass: windows to logits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession


class Window(Protocol):
    """A window: a tokenizer's encoding, unpadded."""

    @property
    def ids(self) -> Sequence[int]:
        """Token IDs."""


class Forward(Protocol):
    """A model that is ready to compute. Safe to share between threads."""

    def logits(self, windows: Sequence[Window]) -> NDArray[np.float32]:
        """Return the logits of windows, of shape (windows, labels + kinds)."""


class WindowByWindow:
    """A graph in a CPU session, which computes each window alone and unpadded.

    Under dynamic quantization a batch shares one activation scale, which would let one window
    change another's score.

    Parameters
    ----------
    session
        Takes int64 inputs of shape (1, tokens), and returns ``logits``, float32 of shape
        (1, labels + kinds).
    inputs
        The names of the graph's inputs.
    """

    def __init__(self, session: InferenceSession, inputs: Sequence[str]) -> None:
        self._session = session
        self._inputs = inputs

    def logits(self, windows: Sequence[Window]) -> NDArray[np.float32]:
        """Return the logits of windows; see `Forward`."""
        return np.stack([self._logits(window) for window in windows])

    def _logits(self, window: Window) -> NDArray[np.float32]:
        ids = np.array([window.ids], dtype=np.int64)
        tensors: dict[str, NDArray[np.int64]] = {"input_ids": ids}
        if "attention_mask" in self._inputs:
            tensors["attention_mask"] = np.ones_like(ids)
        if "token_type_ids" in self._inputs:
            tensors["token_type_ids"] = np.zeros_like(ids)
        logits: NDArray[np.float32] = self._session.run(["logits"], tensors)[0][0]
        return logits
