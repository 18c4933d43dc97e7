"""From this project's scores to Perspective's scale.

A limit carries over if it flags as many texts here as it did there. So for each model there is a
stored, monotone map: a score goes to the Perspective score that as large a share of the same texts
exceeded (equipercentile equating, as of two forms of a test). The order of texts stays as it is.
``python -m benchmarks perspective-scale`` fits the maps.
"""

from __future__ import annotations

import hashlib
import json
import logging
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from toxic_bot.judge.config import ModelConfig

STORED = Path(__file__).with_name("scales.json")
COMMAND = "python -m benchmarks perspective-scale --data FOLDER"
logger = logging.getLogger("toxic_bot.service")


@dataclass(frozen=True, slots=True)
class Scale:
    """A monotone, piecewise linear map of scores.

    Parameters
    ----------
    knots
        Scores here, each with the one that takes its place; both increase from 0 to 1.
    """

    knots: tuple[tuple[float, float], ...]

    def __call__(self, score: float) -> float:
        """Return what takes a score's place."""
        number = min(bisect_right(self.knots, (score, 1.0)), len(self.knots) - 1)
        (left, low), (right, high) = self.knots[number - 1 : number + 1]
        return low + (high - low) * (score - left) / (right - left)


RAW = Scale(((0.0, 0.0), (1.0, 1.0)))
"""The scores as they are."""


class Scales:
    """The map of each model; what has none keeps its scores.

    Parameters
    ----------
    by_model
        The maps, by `fingerprint`; None to keep all scores as they are.
    """

    def __init__(self, by_model: Mapping[str, Scale] | None) -> None:
        self._by_model = by_model
        self._known: dict[int, Scale] = {}

    @classmethod
    def stored(cls) -> Scales:
        """Return the maps that come with the package."""
        content = json.loads(STORED.read_bytes())
        return cls(
            {
                one["model"]: Scale(tuple((here, there) for here, there in one["knots"]))
                for one in content["scales"].values()
            }
        )

    def of(self, config: ModelConfig) -> Scale:
        """Return the map of a model."""
        if self._by_model is None:
            return RAW
        # A fingerprint takes longer than all else; a process has few configurations, for good.
        if id(config) not in self._known:
            if fingerprint(config) not in self._by_model:
                logger.warning(
                    f"Perspective's endpoints answer with the scores of {config.name} as they are: "
                    f"it has no map to Perspective's scale. '{COMMAND}' makes one"
                )
            self._known[id(config)] = self._by_model.get(fingerprint(config), RAW)
        return self._known[id(config)]


def fingerprint(config: ModelConfig) -> str:
    """Return what changes whenever the scores of a model may."""
    offsets = sorted(config.offsets.items())
    content: list[object] = [
        config.checksums["model.onnx"],
        config.offset,
        config.temperature,
        offsets,
    ]
    if config.second_opinion is not None:
        # Fitted to the other model, it changes with that, too.
        content.append(asdict(config.second_opinion))
    return hashlib.sha256(json.dumps(content).encode("ascii")).hexdigest()[:16]
