"""Relearn the outputs for the kinds of a model folder; its verdicts stay the same."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd

from model_build.evaluation.calibration import kind_thresholds, languages_of, made_alike
from model_build.evaluation.scores import judge_texts, kinds_of
from model_build.graph import kinds_head
from model_build.graph.quantization import FP16_GRAPH
from model_build.package import card
from model_build.package.folder import kind_metrics
from model_build.rows.reading import own_labels
from model_build.work import GRAPH, Work, file_checksum, write_json
from toxic_bot.judge.config import ModelConfig
from toxic_bot.judge.verdict import Verdict


def run(work: Work, model: Path, output: Path) -> list[str]:
    """Write a model folder with relearned outputs for the kinds.

    Parameters
    ----------
    work
        Work folder with the output of the data step.
    model
        A model folder.
    output
        The folder to write; may be the same.

    Returns
    -------
    list of str
        The kinds that were learned.

    Raises
    ------
    ModelError
        When the model folder is missing or damaged.
    StepError
        When the rows are missing, or texts leave the graph early.
    """
    kinds = [kind.name for kind in ModelConfig.read(model / "config.json").kinds]
    held_out_files = [work.require("data", f"{name}.parquet") for name in ("validation", "test")]
    validation, test = (pd.read_parquet(path) for path in held_out_files)
    training = pd.read_parquet(kinds_head.training_file(work))
    output.mkdir(parents=True, exist_ok=True)
    names = [name for name in (GRAPH, FP16_GRAPH) if (model / name).exists()]
    if output.resolve() != model.resolve():
        for name in (*names, "tokenizer.json", "config.json"):
            shutil.copyfile(model / name, output / name)
    graphs = [output / name for name in names]
    learned = kinds_head.learn(graphs, output / "tokenizer.json", training, kinds)
    config = json.loads((output / "config.json").read_bytes())
    for graph in graphs:
        config["files"][graph.name]["sha256"] = file_checksum(graph)
    write_json(output / "config.json", config)
    held_out = [rows[rows["strict"].notna()] for rows in (validation, test)]
    held_out = [rows[own_labels(rows)].reset_index(drop=True) for rows in held_out]

    def judged(rows: pd.DataFrame) -> list[Verdict]:
        return judge_texts(output, list(rows["text"]), languages_of(rows))

    verdicts = judged(held_out[0])
    toxic = np.array([verdict.toxic for verdict in verdicts]) & ~made_alike(held_out[0])
    thresholds = kind_thresholds(held_out[0], kinds_of(verdicts), toxic)
    config["kinds"] = [{"name": kind, "threshold": thresholds[kind]} for kind in kinds]
    write_json(output / "config.json", config)
    config["metrics"]["kinds"] = kind_metrics(held_out[1], judged(held_out[1]))
    config["provenance"]["settings"]["kinds"] = {"learned": learned}
    write_json(output / "config.json", config)
    card.write(output / "README.md", config)
    return learned
