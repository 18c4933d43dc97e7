"""Assemble the model folder that the bot serves."""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import logging
import platform
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score
from tokenizers import Tokenizer

from model_build.evaluation.calibration import (
    BALANCED_THRESHOLD,
    OBJECTIVE,
    Calibration,
    benign_sources,
    calibrate,
    kind_thresholds,
    languages_of,
    made_alike,
)
from model_build.evaluation.scores import judge_texts, kinds_of, scores_of
from model_build.graph.quantization import FP16_GRAPH
from model_build.metrics import compute_metrics
from model_build.package import card
from model_build.profile import Profile
from model_build.rows.reading import own_labels
from model_build.terminal import show
from model_build.work import GRAPH, MODEL, Work, file_checksum, write_json
from toxic_bot.judge.config import FORMAT
from toxic_bot.judge.verdict import Verdict

logger = logging.getLogger(__name__)
STEPS = (
    "data",
    "train",
    "distill",
    "average",
    "prune",
    "export",
    "optimize",
    "quantize",
    "kinds",
    "early-exit",
)
PACKAGES = ("torch", "transformers", "tokenizers", "onnx", "onnxruntime", "numpy")


def run(work: Work, profile: Profile, output: Path, *, force: bool = False) -> Path:
    """Run the step: write the model folder.

    Parameters
    ----------
    work
        Work folder that holds the results of the earlier steps.
    profile
        The kind of model.
    output
        The folder to write, such as ``model``.
    force
        Run the step even if it is up to date.
    """
    graph = work.require("early-exit", GRAPH)
    fp16 = work.step("kinds") / FP16_GRAPH
    source = str(work.record("export")["settings"]["source"])
    checkpoint = work.require(source, MODEL)
    splits = [work.step("data") / f"{split}.parquet" for split in ("validation", "test")]
    splits = [path for path in splits if path.exists()]

    def action(folder: Path) -> Mapping[str, Any]:
        shutil.copyfile(graph, folder / GRAPH)
        _copy_tokenizer(checkpoint / "tokenizer.json", folder / "tokenizer.json")
        if fp16.exists():
            shutil.copyfile(fp16, folder / FP16_GRAPH)
        results = work.record("export")["results"]
        config = _config(profile, folder, results)
        config["exits"] = work.record("early-exit")["results"]["exits"]
        config["provenance"] = _provenance(work, profile, source) | _pruned(checkpoint)
        write_json(folder / "config.json", config)
        for path in splits:
            rows = own_rows(pd.read_parquet(path), path.stem)
            if path.stem == "validation":
                config |= calibrated(folder, rows)
            elif "metrics" in config:
                config["metrics"] |= measured(folder, rows)
            write_json(folder / "config.json", config)
        card.write(folder / "README.md", config)
        return {name: config[name] for name in ("offset", "temperature", "thresholds", "kinds")}

    inputs = [graph, checkpoint, *splits, *([fp16] if fp16.exists() else [])]
    folder = work.run("package", {"profile": profile.name}, inputs, action, force=force)
    output.mkdir(parents=True, exist_ok=True)
    for name in (GRAPH, FP16_GRAPH, "tokenizer.json", "config.json", "README.md"):
        if (folder / name).exists():
            shutil.copyfile(folder / name, output / name)
    size = (output / GRAPH).stat().st_size
    logger.info("package: wrote %s, model.onnx %.1f MB", output, size / 1e6)
    return output


def _copy_tokenizer(source: Path, target: Path) -> None:
    """Copy a tokenizer without the indentation, which is half of the file."""
    Tokenizer.from_file(str(source)).save(str(target), pretty=False)


def _config(profile: Profile, folder: Path, exported: Mapping[str, Any]) -> dict[str, Any]:
    names = (GRAPH, FP16_GRAPH, "tokenizer.json")
    files = {name: folder / name for name in names if (folder / name).exists()}
    return {
        "format": FORMAT,
        "name": profile.model,
        "profile": profile.name,
        "labels": exported["labels"],
        "toxic_labels": exported["toxic_labels"],
        "kinds": [{"name": kind, "threshold": 0.5} for kind in exported["kinds"]],
        "thresholds": {"cautious": 0.9, "balanced": BALANCED_THRESHOLD, "sensitive": 0.3},
        "offset": 0.0,
        "offsets": {},
        "temperature": 1.0,
        "multilingual": profile.multilingual,
        "window": {
            "tokens": profile.window,
            "overlap": profile.overlap,
            "most": profile.max_windows,
        },
        "inputs": ["input_ids", "attention_mask"],
        "files": {
            name: {"sha256": file_checksum(path), "bytes": path.stat().st_size}
            for name, path in files.items()
        },
    }


def _provenance(work: Work, profile: Profile, source: str) -> dict[str, Any]:
    records = {name: work.record(name) for name in STEPS}
    data = records["data"].get("results", {})
    earlier = _earlier_records(records[source])
    first = (earlier or [records[source]])[0]
    return {
        "checkpoint": first.get("results", {}).get("checkpoint", profile.checkpoint),
        "earlier_training": [_training(record) for record in earlier],
        "license": profile.license,
        "made_from": source,
        "continued_from": records[source].get("results", {}).get("checkpoint"),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "rows": {name: count for name, count in data.items() if isinstance(count, dict)},
        "settings": {name: r["settings"] for name, r in records.items() if "settings" in r},
        "inputs": {name: r["inputs"] for name, r in records.items() if "inputs" in r},
        "versions": {"python": platform.python_version()}
        | {name: importlib.metadata.version(name) for name in PACKAGES},
    }


def _pruned(checkpoint: Path) -> dict[str, Any]:
    """Return how much of its layers a pruned checkpoint keeps, for the model's provenance."""
    config = json.loads((checkpoint / "config.json").read_text(encoding="utf-8"))
    if "heads_per_layer" not in config:
        return {}
    layers = config["num_hidden_layers"]
    return {
        "pruned": {
            "heads": [sum(config["heads_per_layer"]), layers * config["num_attention_heads"]],
            "neurons": [sum(config["neurons_per_layer"]), layers * config["intermediate_size"]],
        }
    }


def _earlier_records(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the records of all training steps before a given one, each once, oldest first."""
    records: list[Mapping[str, Any]] = []
    for parent in record.get("results", {}).get("earlier", []):
        for earlier in (*_earlier_records(parent), parent):
            # Not the records themselves: a served model's name its own base for all of them.
            if _training(earlier) not in map(_training, records):
                records.append(earlier)
    return records


def _training(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return which training a record tells of."""
    steps = record["results"].get("steps")
    return {"step": record["step"], **record["settings"], "steps": steps}


def calibrated(folder: Path, validation: pd.DataFrame) -> dict[str, Any]:
    """Return what is chosen on validation rows, for a model folder without a calibration.

    Parameters
    ----------
    folder
        Model folder with offset 0 and temperature 1.
    validation
        As `own_rows` returns them.

    Returns
    -------
    dict
        Entries of ``config.json``; empty if all rows have the same label.
    """
    if validation["strict"].nunique() < 2:
        return {}
    languages = languages_of(validation)
    verdicts = judge_texts(folder, list(validation["text"]), languages)
    raw = scores_of(verdicts)
    calibration = calibrate(validation, raw)
    toxic = calibration.scores(validation, raw) >= BALANCED_THRESHOLD
    toxic &= ~made_alike(validation)
    thresholds = kind_thresholds(validation, kinds_of(verdicts), toxic)
    return {
        "thresholds": thresholds_of(calibration),
        "offset": calibration.offset,
        "offsets": calibration.offsets,
        "temperature": calibration.temperature,
        "kinds": [{"name": name, "threshold": value} for name, value in thresholds.items()],
        "metrics": {"aim": OBJECTIVE, "curve": [asdict(point) for point in calibration.curve]},
    }


def thresholds_of(calibration: Calibration) -> dict[str, float]:
    """Return the threshold of each operating point, as ``config.json`` has them."""
    return {
        "cautious": calibration.cautious,
        "balanced": BALANCED_THRESHOLD,
        "sensitive": calibration.sensitive,
    }


def measured(folder: Path, rows: pd.DataFrame) -> dict[str, Any]:
    """Return the metrics of a model folder on rows with labels of this project's own."""
    languages = languages_of(rows)
    verdicts = judge_texts(folder, list(rows["text"]), languages)
    scores = scores_of(verdicts)
    return {
        "test": _metrics_by("source", list(rows["source"]), rows, scores),
        "languages": _metrics_by("language", languages, rows, scores),
        "scores": toxic_by_score(rows, scores),
        "kinds": kind_metrics(rows, verdicts),
    }


def toxic_by_score(rows: pd.DataFrame, scores: NDArray[np.float64]) -> list[dict[str, float | int]]:
    """Return how many of the rows that were read are toxic, for each tenth of the scores."""
    read = rows["read"].to_numpy(bool)
    tenths = np.minimum((scores[read] * 10).astype(int), 9)
    counts = np.bincount(tenths)
    toxic = np.bincount(tenths, weights=rows.loc[read, "strict"].to_numpy(int))
    return [
        {"from": int(tenth) / 10, "rows": int(counts[tenth]), "toxic": int(toxic[tenth])}
        for tenth in np.flatnonzero(counts)
    ]


def kind_metrics(
    rows: pd.DataFrame, verdicts: Sequence[Verdict]
) -> dict[str, dict[str, float | int]]:
    """Return how often what is named a kind shows it, on rows whose kinds are known.

    Parameters
    ----------
    rows
        With, for each kind, the column ``kind_NAME``.
    verdicts
        Verdict on each row.
    """
    table: dict[str, dict[str, float | int]] = {}
    toxic = np.array([verdict.toxic for verdict in verdicts])
    for kind, values in kinds_of(verdicts).items():
        known = rows[f"kind_{kind}"].notna().to_numpy(bool) & ~made_alike(rows)
        shown = (rows[f"kind_{kind}"] == 1).to_numpy(bool)
        if not shown.any() or shown[known].all():
            continue
        named = known & np.array([kind in verdict.kinds for verdict in verdicts])
        found = shown & toxic
        table[kind] = {
            "rows": int(shown.sum()),
            "named": int(named.sum()),
            "precision": round(float(shown[named].mean()) if named.any() else 1.0, 4),
            "recall": round(float(named[found].mean()) if found.any() else 0.0, 4),
            "average precision": round(
                float(average_precision_score(shown[known], values[known])), 4
            ),
        }
    return table


def own_rows(rows: pd.DataFrame, split: str) -> pd.DataFrame:
    """Return the rows of a split with labels of this project's own.

    Those of the validation split have the benign work talk too, which the calibration needs.
    """
    rows = rows[rows["strict"].notna()].reset_index(drop=True)
    kept = own_labels(rows)
    if split == "validation":
        kept = kept | (benign_sources(rows) & (rows["strict"] == 0).to_numpy(bool))
    return rows[kept].reset_index(drop=True)


def _metrics_by(
    what: str, names: Sequence[str], rows: pd.DataFrame, scores: NDArray[np.float64]
) -> dict[str, dict[str, float | int]]:
    """Return the metrics of the rows of each name at the balanced threshold, and show them."""
    table: dict[str, dict[str, float | int]] = {}
    for name in sorted(set(names)):
        mask = (np.array(names) == name) & rows["strict"].notna().to_numpy()
        if not mask.any():
            continue
        labels = rows.loc[mask, "strict"].to_numpy(int)
        estimates = compute_metrics(labels, scores[mask], BALANCED_THRESHOLD)
        table[name] = {"rows": len(labels), "toxic": int(labels.sum())}
        table[name] |= {n: round(e.value, 4) for n, e in estimates.items() if e.value is not None}
    columns = ["rows", "toxic", "macro-F1", "AUC", "recall", "false positives"]
    show(
        f"test rows by {what}, threshold {BALANCED_THRESHOLD}",
        [what, *columns],
        [[name, *(str(row.get(column, "-")) for column in columns)] for name, row in table.items()],
    )
    return table
