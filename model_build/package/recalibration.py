"""Calibrate a finished model folder again; the model ranks texts as before.

Which rows are held out, and what they are labeled, changes more often than the weights.
"""

from __future__ import annotations

import json
import logging
import shutil
import tempfile
from pathlib import Path

import pandas as pd

from model_build.package import card
from model_build.package.folder import calibrated, measured, own_rows
from model_build.work import GRAPH, StepError, Work, write_json
from toxic_bot.judge.config import MULTILINGUAL_FOLDER, ModelConfig

logger = logging.getLogger(__name__)


def run(work: Work, output: Path) -> ModelConfig:
    """Choose offsets, temperature and thresholds of a model folder again, and measure it.

    A second opinion is chosen on the scores of both models, so it has to be chosen again, too.

    Parameters
    ----------
    work
        Work folder with the output of the data step.
    output
        Model folder; its ``config.json`` and card change.

    Raises
    ------
    ModelError
        When the model is missing or damaged.
    StepError
        When the rows are missing, or too few to calibrate on.
    """
    ModelConfig.read(output / "config.json")
    validation, test = (
        own_rows(pd.read_parquet(work.require("data", f"{split}.parquet")), split)
        for split in ("validation", "test")
    )
    config = json.loads((output / "config.json").read_bytes())
    had_opinion = config.pop("second_opinion", None) is not None
    config |= {"offset": 0.0, "offsets": {}, "temperature": 1.0}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in (GRAPH, "tokenizer.json"):
            shutil.copyfile(output / file, folder / file)
        write_json(folder / "config.json", config)
        chosen = calibrated(folder, validation)
        if not chosen:
            raise StepError("the validation rows have one label only: there is nothing to choose")
        config |= chosen
        write_json(folder / "config.json", config)
        config["metrics"] |= measured(folder, test)
    write_json(output / "config.json", config)
    card.write(output / "README.md", config)
    if had_opinion or (output / MULTILINGUAL_FOLDER).is_dir():
        logger.warning("calibrate: run second-opinion next: it depends on the calibration")
    return ModelConfig.read(output / "config.json")
