"""``config.json``: what a model folder says about its model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from toxic_bot.judge.errors import ModelError

FORMAT = 2
EMBEDDED_MODEL = Path(__file__).with_name("model")
"""The model folder that comes with the package."""
MULTILINGUAL_FOLDER = "multilingual"
"""Folder within a model folder: a second model, for texts that are not in English."""
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
class Kind:
    """A kind of toxicity that the model tells apart.

    Parameters
    ----------
    name
        Such as ``threat``.
    threshold
        The probability from which a toxic text shows it.
    """

    name: str
    threshold: float


@dataclass(frozen=True, slots=True)
class SecondOpinion:
    """When the multilingual model judges an English text too, and how much it counts.

    Parameters
    ----------
    lowest
        The score of the English model from which the other is asked.
    weight
        How much the log-odds of the multilingual model's score and kinds count in the mean of
        both, 0 to 1.
    offset, temperature
        The score's mean has the offset subtracted and is divided by the temperature to become the
        log-odds of the score.
    """

    lowest: float
    weight: float
    offset: float
    temperature: float


class OperatingPoint(StrEnum):
    """What the threshold is chosen for."""

    CAUTIOUS = "cautious"
    BALANCED = "balanced"
    SENSITIVE = "sensitive"


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
    thresholds
        The score from which a text is toxic, for each operating point. ``balanced`` finds the
        most for few false alarms, ``cautious`` has the fewest, ``sensitive`` finds more.
    offset, temperature
        The log-odds of the toxic labels have the offset subtracted and are divided by the
        temperature to become the log-odds of the score.
    offsets
        The offset for a text in a language, by ISO 639 code, where it differs.
    kinds
        The kinds of toxicity whose logits follow those of the labels, in their order.
    window
        How long texts are split.
    multilingual
        Whether the model reads `toxic_bot.judge.language.MULTILINGUAL` too, with the marks on
        their letters.
    inputs
        Names of the graph's inputs.
    checksums
        SHA-256 of each file in the folder, in hex.
    second_opinion
        When the model in `MULTILINGUAL_FOLDER` judges an English text too; None for never.
    """

    name: str
    labels: tuple[str, ...]
    toxic_labels: tuple[str, ...]
    thresholds: Mapping[OperatingPoint, float]
    offset: float
    temperature: float
    kinds: tuple[Kind, ...]
    window: WindowConfig
    inputs: tuple[str, ...]
    checksums: dict[str, str]
    offsets: Mapping[str, float] = field(default_factory=dict)
    multilingual: bool = False
    second_opinion: SecondOpinion | None = None

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
            if raw["format"] != FORMAT:
                raise ModelError(f"{path} is not in format {FORMAT}: {REMEDY}")
            window = raw["window"]
            config = cls(
                name=str(raw["name"]),
                labels=tuple(raw["labels"]),
                toxic_labels=tuple(raw["toxic_labels"]),
                thresholds=_thresholds(raw["thresholds"]),
                offset=float(raw["offset"]),
                temperature=float(raw["temperature"]),
                kinds=tuple(
                    Kind(str(kind["name"]), float(kind["threshold"])) for kind in raw["kinds"]
                ),
                window=WindowConfig(
                    tokens=int(window["tokens"]),
                    overlap=int(window["overlap"]),
                    max_windows=int(window["most"]),
                ),
                inputs=tuple(raw["inputs"]),
                checksums={name: file["sha256"] for name, file in raw["files"].items()},
                offsets={str(k): float(v) for k, v in raw.get("offsets", {}).items()},
                multilingual=bool(raw.get("multilingual", False)),
                second_opinion=_second_opinion(raw.get("second_opinion")),
            )
        except OSError as error:
            raise ModelError(f"{path} cannot be read ({error.strerror}): {REMEDY}") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ModelError(f"{path} is damaged ({error!r}): {REMEDY}") from error
        if not config.toxic_labels or not set(config.toxic_labels) <= set(config.labels):
            raise ModelError(f"{path} lists toxic_labels that are not in labels: {REMEDY}")
        return config


def _second_opinion(raw: Mapping[str, float] | None) -> SecondOpinion | None:
    if raw is None:
        return None
    names = SecondOpinion.__dataclass_fields__
    return SecondOpinion(**{name: float(raw[name]) for name in names})


def _thresholds(raw: Mapping[str, float]) -> dict[OperatingPoint, float]:
    """Return the thresholds; folders of earlier versions have none for ``sensitive``."""
    thresholds = {"sensitive": raw["balanced"], **raw}
    return {point: float(thresholds[point]) for point in OperatingPoint}
