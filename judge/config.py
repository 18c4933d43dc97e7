"""``config.json``: what a model folder says about its model."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from judge.errors import ModelError

FORMAT = 1
REMEDY = "rebuild the model folder with 'python -m model_build build'"


@dataclass(frozen=True, slots=True)
class WindowConfig:
    """How a text that is too long for the model is split into windows.

    Parameters
    ----------
    tokens
        Tokens per window, special tokens included.
    overlap
        Tokens that two neighboring windows share.
    max_windows
        Upper bound on the windows judged; the middle of a longer text is skipped.
    """

    tokens: int
    overlap: int
    max_windows: int


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """The fields of ``config.json`` that inference needs.

    Parameters
    ----------
    name
        Name of the model.
    labels
        Label names, in the order of the logits.
    toxic_labels
        The labels whose probabilities add up to the score.
    threshold
        The score from which a text is toxic.
    temperature
        The logits are divided by it before the softmax.
    window
        How long texts are split.
    inputs
        Names of the graph's inputs.
    checksums
        SHA-256 of each file in the folder, in hex.
    """

    name: str
    labels: tuple[str, ...]
    toxic_labels: tuple[str, ...]
    threshold: float
    temperature: float
    window: WindowConfig
    inputs: tuple[str, ...]
    checksums: dict[str, str]

    @classmethod
    def read(cls, path: Path) -> ModelConfig:
        """Read and validate a ``config.json``.

        Raises
        ------
        ModelError
            When the file is missing, is not valid JSON or lacks a field.
        """
        try:
            raw = json.loads(path.read_bytes())
            window = raw["window"]
            config = cls(
                name=str(raw["name"]),
                labels=tuple(raw["labels"]),
                toxic_labels=tuple(raw["toxic_labels"]),
                threshold=float(raw["threshold"]),
                temperature=float(raw["temperature"]),
                window=WindowConfig(
                    tokens=int(window["tokens"]),
                    overlap=int(window["overlap"]),
                    max_windows=int(window["most"]),
                ),
                inputs=tuple(raw["inputs"]),
                checksums={name: file["sha256"] for name, file in raw["files"].items()},
            )
            is_known_format = raw["format"] == FORMAT
        except OSError as error:
            raise ModelError(f"{path} cannot be read ({error.strerror}): {REMEDY}") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ModelError(f"{path} is damaged ({error!r}): {REMEDY}") from error
        if not is_known_format:
            raise ModelError(f"{path} is not in format {FORMAT}: {REMEDY}")
        if not config.toxic_labels or not set(config.toxic_labels) <= set(config.labels):
            raise ModelError(f"{path} lists toxic_labels that are not in labels: {REMEDY}")
        return config
