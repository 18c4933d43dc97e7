"""The classifier: a tokenizer and an ONNX Runtime session loaded from one model folder."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tokenizers import Tokenizer

from judge.config import REMEDY, ModelConfig
from judge.errors import ModelError
from judge.normalization import normalize
from judge.session import create_session
from judge.windows import WindowTokenizer

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from tokenizers import Encoding


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the model says about one text.

    Parameters
    ----------
    toxic
        Whether the score reaches the model's threshold.
    score
        Probability of toxic in the worst window, 0 to 1.
    windows
        Number of windows judged; 0 if the text contains nothing visible, and so nothing to
        judge.
    """

    toxic: bool
    score: float
    windows: int


class Classifier:
    """Judges texts. Safe to share between threads.

    Parameters
    ----------
    config
        What the model folder says about its model.
    tokenizer
        The model's own.
    session
        Takes the inputs that ``config`` names, int64 of shape (1, tokens), and returns
        ``logits``, float32 of shape (1, labels).
    """

    def __init__(
        self, config: ModelConfig, tokenizer: Tokenizer, session: InferenceSession
    ) -> None:
        self.config = config
        self._tokenizer = WindowTokenizer(tokenizer, config.window)
        self._session = session
        self._toxic = [config.labels.index(label) for label in config.toxic_labels]

    def classify(self, text: str) -> Verdict:
        """Judge a plain text of any length; its worst window decides.

        Each window runs alone and unpadded. Under dynamic quantization a batch shares one
        activation scale, which would let one window change another's score.

        Parameters
        ----------
        text
            Plain text, not Slack mrkdwn.

        Returns
        -------
        Verdict
            Not toxic, with no windows, if nothing in the text is visible.
        """
        normalized = normalize(text)
        if not normalized:
            return Verdict(toxic=False, score=0.0, windows=0)
        windows = self._tokenizer.split(normalized)
        score = max(self._score(window) for window in windows)
        return Verdict(toxic=score >= self.config.threshold, score=score, windows=len(windows))

    def _score(self, window: Encoding) -> float:
        ids = np.array([window.ids], dtype=np.int64)
        tensors: dict[str, NDArray[np.int64]] = {"input_ids": ids}
        if "attention_mask" in self.config.inputs:
            tensors["attention_mask"] = np.ones_like(ids)
        if "token_type_ids" in self.config.inputs:
            tensors["token_type_ids"] = np.zeros_like(ids)
        logits = self._session.run(["logits"], tensors)[0][0]
        return float(softmax(logits / self.config.temperature)[self._toxic].sum())


def softmax(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return probabilities along the last axis, in the shape of ``logits``."""
    shifted = logits.astype(np.float64) - logits.max(axis=-1, keepdims=True)
    exponentials = np.exp(shifted)
    probabilities: NDArray[np.float64] = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return probabilities


def load(folder: Path, threads: int | None = None) -> Classifier:
    """Load a model folder.

    Parameters
    ----------
    folder
        Contains ``config.json``, ``model.onnx`` and ``tokenizer.json``.
    threads
        Threads per inference; None for one per available CPU.

    Returns
    -------
    Classifier
        Warmed up: its first verdict takes no longer than the next.

    Raises
    ------
    ModelError
        When a file is missing or damaged, or does not match the others.
    """
    config = ModelConfig.read(folder / "config.json")
    tokenizer_bytes = _read_verified(folder / "tokenizer.json", config)
    model_bytes = _read_verified(folder / "model.onnx", config)
    try:
        tokenizer = Tokenizer.from_buffer(tokenizer_bytes)
        classifier = Classifier(config, tokenizer, create_session(model_bytes, threads))
        classifier.classify("ready")
    # ONNX Runtime and tokenizers raise classes of their own that share no other base.
    except Exception as error:
        reason = " ".join(str(error).split())[:200]
        raise ModelError(f"{folder} cannot be loaded ({reason}): {REMEDY}") from error
    return classifier


def _read_verified(path: Path, config: ModelConfig) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({error.strerror}): {REMEDY}") from error
    if hashlib.sha256(content).hexdigest() != config.checksums.get(path.name):
        raise ModelError(f"{path} is damaged (its SHA-256 differs from config.json's): {REMEDY}")
    return content
