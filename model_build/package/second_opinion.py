"""Let the multilingual model judge what the English model finds suspect, and calibrate both.

Two models that learned from other encoders err on other texts, so the mean of their log-odds ranks
better than either (deep ensembles: Lakshminarayanan et al. 2017, https://arxiv.org/abs/1612.01474).
Most messages are plainly harmless to the first, small model and never reach the second (cascades:
Viola and Jones 2001, https://doi.org/10.1109/CVPR.2001.990517).
"""

from __future__ import annotations

import json
import logging
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from model_build.evaluation.calibration import (
    BALANCED_THRESHOLD,
    OBJECTIVE,
    benign_sources,
    calibrate,
    kind_thresholds,
    languages_of,
    logit,
    made_alike,
    sigmoid,
)
from model_build.evaluation.scores import judge_texts, kinds_of, scores_of
from model_build.package import card
from model_build.package.folder import measured, own_rows, thresholds_of
from model_build.work import Work, write_json
from toxic_bot.judge.config import MULTILINGUAL_FOLDER, SecondOpinion
from toxic_bot.judge.errors import ModelError
from toxic_bot.judge.language import ENGLISH
from toxic_bot.judge.verdict import Verdict

logger = logging.getLogger(__name__)
MAX_ASKED = 0.03
"""Share of the benign work talk for which the second model may be asked, at most."""
WEIGHT = 0.5
"""What the second model counts. More would rank better by 0.002 on validation rows, on which its
weights were chosen, and flag more banter."""


def run(work: Work, output: Path) -> SecondOpinion:
    """Choose on validation rows when to ask, and the thresholds of both together; write them.

    Parameters
    ----------
    work
        Work folder with the output of the data step.
    output
        Model folder with a multilingual model in it; its ``config.json`` and card change.

    Raises
    ------
    ModelError
        When one of the models is missing or damaged.
    StepError
        When the rows are missing.
    """
    other = output / MULTILINGUAL_FOLDER
    if not other.is_dir():
        raise ModelError(f"{other} is missing: package the profile e5 into it first")
    validation, test = (
        _english(own_rows(pd.read_parquet(work.require("data", f"{split}.parquet")), split))
        for split in ("validation", "test")
    )
    config = json.loads((output / "config.json").read_bytes())
    config.pop("second_opinion", None)
    write_json(output / "config.json", config)
    first_verdicts, second_verdicts = (_judged(folder, validation) for folder in (output, other))
    own, second = scores_of(first_verdicts), scores_of(second_verdicts)
    benign = benign_sources(validation) & (validation["strict"] == 0).to_numpy(bool)
    lowest = _lowest(own[benign])
    asked = own >= lowest
    together = np.where(asked, sigmoid(_mean(own, second)), own)
    calibration = calibrate(validation, together)
    opinion = SecondOpinion(lowest, WEIGHT, calibration.offset, calibration.temperature)
    config["second_opinion"] = asdict(opinion)
    config["thresholds"] = thresholds_of(calibration)
    own_kinds, second_kinds = kinds_of(first_verdicts), kinds_of(second_verdicts)
    kinds = {kind: sigmoid(_mean(own_kinds[kind], second_kinds[kind])) for kind in own_kinds}
    toxic = asked & (calibration.scores(validation, together) >= BALANCED_THRESHOLD)
    named = kind_thresholds(validation, kinds, toxic & ~made_alike(validation))
    config["kinds"] = [{"name": name, "threshold": value} for name, value in named.items()]
    write_json(output / "config.json", config)
    config["metrics"]["aim"] = OBJECTIVE
    config["metrics"]["curve"] = [asdict(point) for point in calibration.curve]
    config["metrics"] |= measured(output, test)
    write_json(output / "config.json", config)
    card.write(output / "README.md", config)
    logger.info("second-opinion: %s", opinion)
    return opinion


def _english(rows: pd.DataFrame) -> pd.DataFrame:
    english = np.array(languages_of(rows)) == ENGLISH
    return rows[english].reset_index(drop=True)


def _mean(own: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of two probabilities' log-odds."""
    return (1 - WEIGHT) * logit(own) + WEIGHT * logit(second)


def _judged(folder: Path, rows: pd.DataFrame) -> list[Verdict]:
    return judge_texts(folder, list(rows["text"]), languages_of(rows))


def _lowest(benign: NDArray[np.float64]) -> float:
    """Return the score that few enough benign rows reach."""
    return float(f"{np.quantile(benign, 1 - MAX_ASKED):.2g}") if len(benign) else 0.0
