"""The classifier: a tokenizer and an ONNX Runtime session loaded from one model folder."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from functools import cache
from pathlib import Path
from threading import Lock

from tokenizers import Tokenizer

from toxic_bot.judge.config import (
    EMBEDDED_MODEL,
    MULTILINGUAL_FOLDER,
    REMEDY,
    Kind,
    ModelConfig,
    OperatingPoint,
)
from toxic_bot.judge.device import Device, DeviceError, create_cuda_session
from toxic_bot.judge.errors import ModelError
from toxic_bot.judge.forward import Forward, WindowByWindow
from toxic_bot.judge.language import ENGLISH, MULTILINGUAL, UNDETERMINED
from toxic_bot.judge.postprocessing import Postprocessor, softmax
from toxic_bot.judge.preprocessing import Preprocessor
from toxic_bot.judge.session import create_session
from toxic_bot.judge.verdict import Verdict

__all__ = ["FP16_GRAPH", "Classifier", "load", "softmax", "verified"]

EMBEDDED = "embedded"
"""Name of the model that comes with the package."""

_NOT_CLEARLY_ENGLISH = MULTILINGUAL | {UNDETERMINED}

FP16_GRAPH = "model.fp16.onnx"
"""The graph for GPUs in a model folder that has one."""


class Classifier:
    """Judges texts. Safe to share between threads.

    ``Classifier.load()`` returns one with the embedded model.

    Parameters
    ----------
    config
        What the model folder says about its model.
    tokenizer
        The model's own.
    forward
        Computes.
    operating_point
        What the threshold is chosen for.
    multilingual
        Loads the classifier for texts that are not in English, at the first of them; None if only
        English is read.
    """

    def __init__(
        self,
        config: ModelConfig,
        tokenizer: Tokenizer,
        forward: Forward,
        operating_point: OperatingPoint = OperatingPoint.BALANCED,
        multilingual: Callable[[], Classifier] | None = None,
    ) -> None:
        self.config = config
        self._multilingual = multilingual
        self._preprocessor = Preprocessor(config, tokenizer, undetermined=multilingual is None)
        self._forward = forward
        self._postprocessor = Postprocessor(config, operating_point)
        self.threshold = self._postprocessor.threshold

    @classmethod
    def load(
        cls,
        model: str | Path | None = None,
        *,
        threads: int | None = 1,
        operating_point: OperatingPoint | str = OperatingPoint.BALANCED,
        device: Device | str = Device.CPU,
    ) -> Classifier:
        """Load a model; see `load`."""
        return load(model, threads, OperatingPoint(operating_point), Device(device))

    def __call__(self, text: str) -> Verdict:
        """Judge a plain text; see `classify`."""
        return self.classify(text)

    def at(self, threshold: float) -> Classifier:
        """Return one with the same model and another threshold, which costs no memory."""
        other = copy(self)
        other._postprocessor = self._postprocessor.at(threshold)
        other.threshold = threshold
        if (multilingual := self._multilingual) is not None:
            other._multilingual = lambda: multilingual().at(threshold)
        return other

    def classify(self, text: str, language: str | None = None) -> Verdict:
        """Judge a plain text of any length; its worst window decides.

        What the English model finds the least suspect, the multilingual model judges too, where
        the folder has one and `ModelConfig.second_opinion` says so.

        Parameters
        ----------
        text
            Plain text, not Slack mrkdwn.
        language
            What it is written in, if that is known; see
            `toxic_bot.judge.language.language_of`.

        Returns
        -------
        Verdict
            With the status ``not_judged`` if the text has no words, or is in a language that the
            model does not read.
        """
        windows = self._preprocessor.windows(text, language)
        if self._multilingual is not None and windows.language in _NOT_CLEARLY_ENGLISH:
            return self._multilingual().classify(text, windows.language)
        if windows.reason is not None:
            return Verdict.not_judged(windows.reason, windows.language)
        logits = self._forward.logits(windows.encodings)
        verdict = self._postprocessor.verdict(logits, windows.encodings, windows.language)
        if self._multilingual is None or not self._postprocessor.asks(verdict):
            return verdict
        second = self._multilingual().classify(text, windows.language)
        return self._postprocessor.reconciled(verdict, second) if second.judged else verdict

    @property
    def languages(self) -> frozenset[str]:
        """ISO 639 codes of the languages that it reads."""
        reads_others = self._multilingual is not None or self.config.multilingual
        return frozenset({ENGLISH}) | (MULTILINGUAL if reads_others else frozenset())

    def config_of(self, verdict: Verdict) -> ModelConfig:
        """Return what the folder says of the model that gave a verdict."""
        if self._multilingual is not None and verdict.language in _NOT_CLEARLY_ENGLISH:
            return self._multilingual().config_of(verdict)
        return self.config

    def kinds_of(self, verdict: Verdict) -> tuple[Kind, ...]:
        """Return the kinds that the model tells that gave a verdict."""
        return self.config_of(verdict).kinds

    def preload(self) -> None:
        """Load now what the first text that is not in English would load.

        Raises
        ------
        ModelError
            When a file is missing or damaged.
        """
        if self._multilingual is not None:
            self._multilingual()

    def reading(self, verdict: Verdict, text: str) -> str:
        """Return a text as the model read it that gave a verdict on it."""
        if self._multilingual is not None and verdict.language in _NOT_CLEARLY_ENGLISH:
            return self._multilingual().reading(verdict, text)
        return self._preprocessor.read(text, verdict.language).text

    def batch(self, texts: Iterable[str], workers: int | None = None) -> list[Verdict]:
        """Judge any number of texts, several at a time.

        Each text is judged alone, as by `classify`, and gets the same verdict: under dynamic int8,
        texts that ran together would change one another's scores.

        Parameters
        ----------
        texts
            Plain texts.
        workers
            Texts that are judged at a time; None for one per available CPU. A classifier that was
            loaded with one thread uses the CPUs best.

        Returns
        -------
        list of Verdict
            In the order of the texts.
        """
        with ThreadPoolExecutor(workers or len(os.sched_getaffinity(0))) as executor:
            return list(executor.map(self.classify, texts))


def load(
    model: str | Path | None = None,
    threads: int | None = 1,
    operating_point: OperatingPoint = OperatingPoint.BALANCED,
    device: Device = Device.CPU,
) -> Classifier:
    """Load a model.

    Parameters
    ----------
    model
        A folder with ``config.json``, ``model.onnx`` and ``tokenizer.json``; for a GPU also
        ``model.fp16.onnx``. None or ``"embedded"`` for the model that comes with the package.
    threads
        Threads per inference on a CPU; None for one per available CPU, which is fastest for one
        text at a time. Several texts at a time are judged faster on one thread each.
    operating_point
        What the threshold is chosen for: ``balanced`` or ``cautious``.
    device
        Where the model computes: ``cpu`` or ``cuda``.

    Returns
    -------
    Classifier
        Already warm.

    Raises
    ------
    ModelError
        When a file is missing or damaged, or does not match the others.
    DeviceError
        When the device is not there.
    """
    folder = EMBEDDED_MODEL if model in (None, EMBEDDED) else Path(str(model))
    config = ModelConfig.read(folder / "config.json")
    vocabulary = verified(folder / "tokenizer.json", config)
    graph = verified(graph_of(folder, config, device), config)
    try:
        # The graph first: while ONNX Runtime prepares its weights, it holds some of them twice, and
        # the tokenizer fits into what is free afterward: a peak of 16 MB less with both models.
        forward = _forward(graph, config, threads, device)
        tokenizer = Tokenizer.from_file(str(vocabulary))
        multilingual = None
        if (folder / MULTILINGUAL_FOLDER).is_dir():
            multilingual = _once(
                lambda: load(folder / MULTILINGUAL_FOLDER, threads, operating_point)
            )
        classifier = Classifier(config, tokenizer, forward, operating_point, multilingual)
        classifier.classify("ready to judge the first message")
    except DeviceError:
        raise
    # ONNX Runtime and tokenizers raise classes of their own that share no other base.
    except Exception as error:
        reason = " ".join(str(error).split())[:200]
        raise ModelError(f"{folder} cannot be loaded ({reason}): {REMEDY}") from error
    return classifier


def _once(load_classifier: Callable[[], Classifier]) -> Callable[[], Classifier]:
    """Return a function that loads a classifier at its first call, in whichever thread."""
    lock = Lock()

    @cache
    def loaded() -> Classifier:
        return load_classifier()

    def get() -> Classifier:
        with lock:
            return loaded()

    return get


def graph_of(folder: Path, config: ModelConfig, device: Device) -> Path:
    """Return the file with the graph for a device.

    Raises
    ------
    ModelError
        When the folder has none.
    """
    if device is Device.CPU:
        return folder / "model.onnx"
    if FP16_GRAPH not in config.checksums:
        raise ModelError(
            f"{folder} has no graph for GPUs: make a folder that has one with "
            f"'python -m model_build fp16 --model {folder} --output FOLDER'"
        )
    return folder / FP16_GRAPH


def _forward(graph: Path, config: ModelConfig, threads: int | None, device: Device) -> Forward:
    if device is Device.CPU:
        return WindowByWindow(create_session(graph, threads), config.inputs)
    from toxic_bot.judge.batching import DynamicBatching
    from toxic_bot.judge.bound_forward import BoundForward

    return DynamicBatching(BoundForward(create_cuda_session(graph), config, device))


def verified(path: Path, config: ModelConfig) -> Path:
    """Return a file of a model folder if it is what ``config.json`` says.

    Raises
    ------
    ModelError
        When it is missing or damaged.
    """
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({error.strerror}): {REMEDY}") from error
    if digest != config.checksums.get(path.name):
        raise ModelError(f"{path} is damaged (its SHA-256 differs from config.json's): {REMEDY}")
    return path
