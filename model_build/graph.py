"""ONNX graphs: run them, compare them."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

from handler.classifier import session_options
from handler.normalization import normalize
from model_build.errors import ParityError

# Texts of many lengths and kinds, on which two graphs are compared.
PROBES = tuple(
    normalize(text)
    for text in (
        "",
        "ok",
        "thanks for the review, good catch",
        "kill the process and restart the worker",
        "damn, the build is red again",
        "You are a worthless idiot and everyone knows it.",
        "Could you rename this variable? " * 5,
        "I will find you. " * 20,
        "The quick brown fox jumps over the lazy dog, 1234567890 times & more! " * 12,
        "👍🏽 😂 ünïcödé “quotes” — and 日本語",
    )
)
PARITY = 1e-4


@contextmanager
def quiet() -> Iterator[None]:
    """Keep the graph tools from logging every node they touch."""
    level = logging.root.level
    logging.root.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logging.root.setLevel(level)


class Graph:
    """An ONNX graph as the bot runs it: one text at a time, unpadded.

    Parameters
    ----------
    path
        The graph, with the output ``logits``.
    threads
        Threads of one inference.
    """

    def __init__(self, path: Path, threads: int = 2) -> None:
        self._session = onnxruntime.InferenceSession(
            str(path), session_options(threads), providers=["CPUExecutionProvider"]
        )
        self.inputs = [value.name for value in self._session.get_inputs()]

    def run(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the logits of token ids, shape (batch, tokens) to (batch, labels)."""
        known = everything(ids)
        found: NDArray[np.float32] = self._session.run(
            ["logits"], {name: known[name] for name in self.inputs}
        )[0]
        return found


def everything(ids: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
    """Return every input that a graph of an unpadded text may ask for."""
    return {
        "input_ids": ids,
        "attention_mask": np.ones_like(ids),
        "token_type_ids": np.zeros_like(ids),
    }


def encoded(tokenizer: Tokenizer, texts: Sequence[str], most: int) -> list[NDArray[np.int64]]:
    """Return the token ids of normalized texts, each of shape (1, tokens)."""
    copy = Tokenizer.from_str(tokenizer.to_str())
    copy.enable_truncation(most)
    return [
        np.array([encoding.ids], dtype=np.int64) for encoding in copy.encode_batch_fast(list(texts))
    ]


def difference(
    first: Sequence[NDArray[np.float32]], second: Sequence[NDArray[np.float32]]
) -> float:
    """Return the largest absolute difference of logits."""
    return max(float(np.abs(a - b).max()) for a, b in zip(first, second, strict=True))


def assert_parity(
    first: Sequence[NDArray[np.float32]], second: Sequence[NDArray[np.float32]], what: str
) -> float:
    """Return the largest difference of logits, which must be under `PARITY`.

    Raises
    ------
    ParityError
        When it is not.
    """
    found = difference(first, second)
    if not found < PARITY:
        raise ParityError(f"{what}: logits differ by {found:.2g}, which is not under {PARITY:g}")
    return found
