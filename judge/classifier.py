"""The classifier: a tokenizer and an ONNX Runtime session loaded from one model folder."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tokenizers import Tokenizer

from judge.config import REMEDY, ModelConfig, OperatingPoint
from judge.errors import ModelError
from judge.language import is_english
from judge.normalization import read
from judge.session import create_session
from judge.windows import WindowTokenizer

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from tokenizers import Encoding


_FIRST_EMOJI = "\u2600"
_SMALLEST = 1e-9
"""Probabilities are kept this far from 0 and 1, so that their log-odds are finite."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the model says about one text.

    Parameters
    ----------
    toxic
        Whether the score reaches the threshold.
    score
        How likely the worst window is toxic, 0 to 1; the threshold of the balanced operating
        point is 0.5.
    windows
        Number of windows judged; 0 if there is nothing to judge.
    kinds
        The kinds of toxicity that a toxic text shows, the most evident first.
    probabilities
        Probability of each kind in the worst window, by name.
    legible
        False if the text is not in English, and so was not judged.
    passage
        Where in the normalized text the worst window begins and ends.
    """

    toxic: bool
    score: float
    windows: int
    kinds: tuple[str, ...] = ()
    probabilities: Mapping[str, float] = field(default_factory=dict)
    legible: bool = True
    passage: tuple[int, int] = (0, 0)


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
        ``logits``, float32 of shape (1, labels + kinds).
    operating_point
        What the threshold is chosen for.
    """

    def __init__(
        self,
        config: ModelConfig,
        tokenizer: Tokenizer,
        session: InferenceSession,
        operating_point: OperatingPoint = OperatingPoint.BALANCED,
    ) -> None:
        self.config = config
        self.threshold = config.thresholds[operating_point]
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
            Not toxic, with no windows, if the text has neither letters nor digits or if it is not
        legible.
        """
        reading = read(text)
        if not (reading.legible and is_english(text, reading.text)):
            return Verdict(toxic=False, score=0.0, windows=0, legible=False)
        if not _has_words(text, reading.text):
            return Verdict(toxic=False, score=0.0, windows=0)
        windows = self._tokenizer.split(reading.text)
        logits = np.stack([self._logits(window) for window in windows])
        scores = self._scores(logits)
        worst = int(scores.argmax())
        score = float(scores[worst])
        toxic = score >= self.threshold
        probabilities = self._kinds(logits[worst])
        shown = self._shown(probabilities) if toxic else ()
        passage = _passage(windows[worst])
        return Verdict(toxic, score, len(windows), shown, probabilities, passage=passage)

    def _logits(self, window: Encoding) -> NDArray[np.float32]:
        ids = np.array([window.ids], dtype=np.int64)
        tensors: dict[str, NDArray[np.int64]] = {"input_ids": ids}
        if "attention_mask" in self.config.inputs:
            tensors["attention_mask"] = np.ones_like(ids)
        if "token_type_ids" in self.config.inputs:
            tensors["token_type_ids"] = np.zeros_like(ids)
        logits: NDArray[np.float32] = self._session.run(["logits"], tensors)[0][0]
        return logits

    def _scores(self, logits: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the score of each window, for logits of shape (windows, labels + kinds)."""
        toxic = softmax(logits[:, : len(self.config.labels)])[:, self._toxic].sum(axis=1)
        toxic = toxic.clip(_SMALLEST, 1 - _SMALLEST)
        log_odds = np.log(toxic) - np.log1p(-toxic)
        scaled = (log_odds - self.config.offset) / self.config.temperature
        scores: NDArray[np.float64] = 1 / (1 + np.exp(-scaled))
        return scores

    def _kinds(self, logits: NDArray[np.float32]) -> dict[str, float]:
        values = 1 / (1 + np.exp(-logits[len(self.config.labels) :].astype(np.float64)))
        names = [kind.name for kind in self.config.kinds]
        return dict(zip(names, map(float, values), strict=True))

    def _shown(self, probabilities: Mapping[str, float]) -> tuple[str, ...]:
        shown = [k.name for k in self.config.kinds if probabilities[k.name] >= k.threshold]
        return tuple(sorted(shown, key=lambda name: -probabilities[name]))


def _passage(window: Encoding) -> tuple[int, int]:
    """Return the place of a window in its text; special tokens have none."""
    places = [place for place in window.offsets if place != (0, 0)]
    return (places[0][0], places[-1][1]) if places else (0, 0)


def _has_words(text: str, normalized: str) -> bool:
    """Report whether there is more than signs: a letter, a digit or an emoji."""
    if not any(map(str.isalnum, normalized)):
        return False
    return any(character.isalnum() or character >= _FIRST_EMOJI for character in text)


def softmax(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return probabilities along the last axis, in the shape of ``logits``."""
    shifted = logits.astype(np.float64) - logits.max(axis=-1, keepdims=True)
    exponentials = np.exp(shifted)
    probabilities: NDArray[np.float64] = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return probabilities


def load(
    folder: Path,
    threads: int | None = None,
    operating_point: OperatingPoint = OperatingPoint.BALANCED,
) -> Classifier:
    """Load a model folder.

    Parameters
    ----------
    folder
        Contains ``config.json``, ``model.onnx`` and ``tokenizer.json``.
    threads
        Threads per inference; None for one per available CPU.
    operating_point
        What the threshold is chosen for.

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
        session = create_session(model_bytes, threads)
        classifier = Classifier(config, tokenizer, session, operating_point)
        classifier.classify("ready to judge the first message")
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
