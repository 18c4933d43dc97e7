"""Run an ONNX graph as the bot does: one text at a time, unpadded."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

from toxic_bot.judge.session import session_options


@contextmanager
def quiet_logging() -> Iterator[None]:
    """Keep the graph tools from logging every node they change."""
    level = logging.root.level
    logging.root.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logging.root.setLevel(level)


class OnnxGraph:
    """An ONNX graph in a session with the bot's options.

    Parameters
    ----------
    path
        The graph; its output is named ``logits``.
    threads
        Threads per inference.
    """

    def __init__(self, path: Path, threads: int = 2) -> None:
        self._session = onnxruntime.InferenceSession(
            str(path), session_options(threads), providers=["CPUExecutionProvider"]
        )
        self._inputs = [value.name for value in self._session.get_inputs()]
        self._outputs = [value.name for value in self._session.get_outputs()]

    def run(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return logits of shape (batch, labels) for token IDs of shape (batch, tokens)."""
        feed = unpadded_feed(ids)
        logits: NDArray[np.float32] = self._session.run(
            ["logits"], {name: feed[name] for name in self._inputs}
        )[0]
        return logits

    def run_each(self, texts: Sequence[NDArray[np.int64]]) -> NDArray[np.float32]:
        """Return logits of shape (texts, labels) for token IDs of shape (1, tokens) each."""
        return np.concatenate([self.run(ids) for ids in texts])

    def run_all_heads(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the logits of all heads side by side, those of the last head first."""
        feed = unpadded_feed(ids)
        logits = self._session.run(self._outputs, {name: feed[name] for name in self._inputs})
        return np.concatenate(logits, axis=1)


def unpadded_feed(ids: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
    """Return every input that a graph may require, for unpadded token IDs."""
    return {
        "input_ids": ids,
        "attention_mask": np.ones_like(ids),
        "token_type_ids": np.zeros_like(ids),
    }


def encode(tokenizer: Tokenizer, texts: Sequence[str], max_tokens: int) -> list[NDArray[np.int64]]:
    """Return the token IDs of normalized texts, each of shape (1, tokens)."""
    truncating = Tokenizer.from_str(tokenizer.to_str())
    truncating.enable_truncation(max_tokens)
    return [
        np.array([encoding.ids], dtype=np.int64)
        for encoding in truncating.encode_batch_fast(list(texts))
    ]
