"""The judge: a tokenizer and an ONNX Runtime session over one model folder."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from handler.errors import ModelError
from handler.normalization import normalize

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Encoding

FORMAT = 1
REMEDY = "make the model folder with 'python -m model_build build'"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the model says of one text.

    Parameters
    ----------
    toxic
        Whether the score reaches the model's threshold.
    score
        Probability of toxic, 0 to 1, of the worst window.
    windows
        How many windows of the text were judged.
    """

    toxic: bool
    score: float
    windows: int


@dataclass(frozen=True, slots=True)
class Window:
    """How a text longer than the model's window is cut.

    Parameters
    ----------
    tokens
        Tokens of one window, special tokens counted.
    overlap
        Tokens that two neighbouring windows share.
    most
        Windows judged at the most; of a longer text the middle is left out.
    """

    tokens: int
    overlap: int
    most: int


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """What ``config.json`` says of the model beside it."""

    name: str
    labels: tuple[str, ...]
    toxic_labels: tuple[str, ...]
    threshold: float
    temperature: float
    window: Window
    inputs: tuple[str, ...]
    checksums: dict[str, str]

    @classmethod
    def read(cls, path: Path) -> ModelConfig:
        """Read and check a ``config.json``.

        Raises
        ------
        ModelError
            When the file is missing, is not JSON or lacks a field.
        """
        try:
            raw = json.loads(path.read_bytes())
            config = cls(
                name=str(raw["name"]),
                labels=tuple(raw["labels"]),
                toxic_labels=tuple(raw["toxic_labels"]),
                threshold=float(raw["threshold"]),
                temperature=float(raw["temperature"]),
                window=Window(**raw["window"]),
                inputs=tuple(raw["inputs"]),
                checksums={name: file["sha256"] for name, file in raw["files"].items()},
            )
            known = raw["format"] == FORMAT
        except OSError as error:
            raise ModelError(f"{path} cannot be read ({error.strerror}): {REMEDY}") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ModelError(f"{path} is damaged ({error!r}): {REMEDY}") from error
        if not known:
            raise ModelError(f"{path} is not of format {FORMAT}: {REMEDY}")
        if not config.toxic_labels or not set(config.toxic_labels) <= set(config.labels):
            raise ModelError(f"{path} names toxic_labels that are not in labels: {REMEDY}")
        return config


class Classifier:
    """Judges texts. Safe to share between threads.

    Parameters
    ----------
    config
        What the model folder says of its model.
    tokenizer
        The model's own; its truncation is set here.
    session
        An ONNX Runtime session with the inputs that ``config`` names and the
        output ``logits``, shape (batch, labels).
    """

    def __init__(
        self, config: ModelConfig, tokenizer: Tokenizer, session: onnxruntime.InferenceSession
    ) -> None:
        self.config = config
        self._tokenizer = tokenizer
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(config.window.tokens, stride=config.window.overlap)
        self._session = session
        self._toxic = [config.labels.index(label) for label in config.toxic_labels]

    def classify(self, text: str) -> Verdict:
        """Judge a plain text of any length; the worst of its windows decides.

        Each window runs alone and unpadded: with dynamic quantization a batch shares
        one activation scale, which would let one window change another's score.

        Parameters
        ----------
        text
            Plain text, not Slack mrkdwn.

        Returns
        -------
        Verdict
            A text with nothing visible in it is judged too: as an empty one.
        """
        windows = self._windows(normalize(text))
        score = max(self._score(window) for window in windows)
        return Verdict(toxic=score >= self.config.threshold, score=score, windows=len(windows))

    def _windows(self, text: str) -> list[Encoding]:
        encoding = self._tokenizer.encode(text)
        windows = [encoding, *encoding.overflowing]
        most = self.config.window.most
        if len(windows) > most:
            head = most // 2
            windows = windows[:head] + windows[head - most :]
        return windows

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
    """Return the probabilities of logits, along the last axis.

    Parameters
    ----------
    logits
        Any shape.

    Returns
    -------
    numpy.ndarray
        The same shape; sums to 1 along the last axis.
    """
    shifted = logits.astype(np.float64) - logits.max(axis=-1, keepdims=True)
    exponentials = np.exp(shifted)
    probabilities: NDArray[np.float64] = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return probabilities


def load(folder: Path, threads: int | None = None) -> Classifier:
    """Load a model folder.

    Parameters
    ----------
    folder
        Holds ``config.json``, ``model.onnx`` and ``tokenizer.json``.
    threads
        Threads of one inference; None takes the CPUs this process may use.

    Returns
    -------
    Classifier
        Ready: its first verdict costs no more than the next.

    Raises
    ------
    ModelError
        When a file is missing or damaged, or does not fit the others.
    """
    config = ModelConfig.read(folder / "config.json")
    tokenizer_bytes = _read_checked(folder / "tokenizer.json", config)
    model_bytes = _read_checked(folder / "model.onnx", config)
    try:
        tokenizer = Tokenizer.from_buffer(tokenizer_bytes)
        session = onnxruntime.InferenceSession(
            model_bytes, session_options(threads), providers=["CPUExecutionProvider"]
        )
        classifier = Classifier(config, tokenizer, session)
        classifier.classify("ready")
    # ONNX Runtime and tokenizers raise classes of their own that share no base but this.
    except Exception as error:
        reason = " ".join(str(error).split())[:200]
        raise ModelError(f"{folder} cannot be loaded ({reason}): {REMEDY}") from error
    return classifier


def _read_checked(path: Path, config: ModelConfig) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({error.strerror}): {REMEDY}") from error
    if hashlib.sha256(content).hexdigest() != config.checksums.get(path.name):
        raise ModelError(f"{path} is damaged (its SHA-256 is not config.json's): {REMEDY}")
    return content


def session_options(threads: int | None) -> onnxruntime.SessionOptions:
    """Return how every session of the bot's runs: on how many threads, and how they wait.

    Parameters
    ----------
    threads
        Of one inference; None for every CPU there is.
    """
    options: Any = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or len(os.sched_getaffinity(0))
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Threads spin within an inference, which wakes them faster than the kernel would, and
    # leave the CPU to the rest of the answer between two.
    options.add_session_config_entry("session.intra_op.allow_spinning", "1")
    options.add_session_config_entry("session.force_spinning_stop", "1")
    if not has_vnni():
        # Without VNNI, int8 kernels add pairs of products in 16 bits and saturate; this
        # entry makes them exact there (ONNX Runtime, onnxruntime_session_options_config_keys.h).
        options.add_session_config_entry("session.x64quantprecision", "1")
    return options


def has_vnni() -> bool:
    """Tell whether the CPU multiplies and adds int8 without saturating in 16 bits.

    NumPy asks the processor itself; /proc/cpuinfo tells of the host where a CPU is emulated.
    """
    umath = import_module("numpy._core._multiarray_umath")
    return bool(getattr(umath, "__cpu_features__", {}).get("AVX512VNNI"))
