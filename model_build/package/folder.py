"""Put together the folder that the bot serves."""

from __future__ import annotations

import datetime
import importlib.metadata
import logging
import platform
import shutil
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from judge.config import FORMAT
from model_build.evaluation.calibration import AIM, Calibration, calibrate, logit, sigmoid
from model_build.evaluation.scores import scores
from model_build.metrics import figures
from model_build.package import card
from model_build.profile import Profile
from model_build.terminal import show
from model_build.training.checkpoint import LABELS
from model_build.work import GRAPH, MODEL, Work, file_checksum, write_json

logger = logging.getLogger(__name__)
STEPS = ("data", "train", "distill", "average", "export", "optimize", "quantize")
PACKAGES = ("torch", "transformers", "tokenizers", "onnx", "onnxruntime", "numpy")


def run(work: Work, profile: Profile, output: Path, *, force: bool = False) -> Path:
    """Do the step: write the model folder.

    Parameters
    ----------
    work
        Holds what the earlier steps made.
    profile
        What kind of model it is.
    output
        The folder to write, such as ``model``.
    force
        Do it again even if it was done with these settings.
    """
    graph = work.needed("quantize", GRAPH)
    source = str(work.record("export")["settings"]["source"])
    checkpoint = work.needed(source, MODEL)
    rows = [work.step("data") / f"{split}.parquet" for split in ("validation", "test")]
    rows = [path for path in rows if path.exists()]

    def action(folder: Path) -> Mapping[str, Any]:
        shutil.copyfile(graph, folder / GRAPH)
        shutil.copyfile(checkpoint / "tokenizer.json", folder / "tokenizer.json")
        results = work.record("export")["results"]
        config = _config(profile, folder, results["labels"], results["toxic_labels"])
        config["provenance"] = _provenance(work, profile, source)
        write_json(folder / "config.json", config)
        if rows:
            binary = tuple(results["labels"]) == LABELS
            config |= _judged(folder, rows, binary=binary)
            write_json(folder / "config.json", config)
        card.write(folder / "README.md", config)
        return {"threshold": config["threshold"], "temperature": config["temperature"]}

    folder = work.run(
        "package", {"profile": profile.name}, [graph, checkpoint, *rows], action, force=force
    )
    output.mkdir(parents=True, exist_ok=True)
    for name in (GRAPH, "tokenizer.json", "config.json", "README.md"):
        shutil.copyfile(folder / name, output / name)
    size = (output / GRAPH).stat().st_size
    logger.info("package: wrote %s, model.onnx %.1f MB", output, size / 1e6)
    return output


def _config(
    profile: Profile, folder: Path, labels: list[str], toxic_labels: list[str]
) -> dict[str, Any]:
    files = {name: folder / name for name in (GRAPH, "tokenizer.json")}
    return {
        "format": FORMAT,
        "name": profile.model,
        "profile": profile.name,
        "labels": labels,
        "toxic_labels": toxic_labels,
        "threshold": 0.5,
        "temperature": 1.0,
        "window": {"tokens": profile.window, "overlap": profile.overlap, "most": profile.most},
        "inputs": ["input_ids", "attention_mask"],
        "files": {
            name: {"sha256": file_checksum(path), "bytes": path.stat().st_size}
            for name, path in files.items()
        },
    }


def _provenance(work: Work, profile: Profile, source: str) -> dict[str, Any]:
    records = {name: work.record(name) for name in STEPS}
    data = records["data"].get("results", {})
    earlier = _earlier(records[source])
    first = (earlier or [records[source]])[0]
    return {
        "checkpoint": first.get("results", {}).get("checkpoint", profile.checkpoint),
        "earlier_training": [
            {"step": leg["step"], **leg["settings"], "steps": leg["results"].get("steps")}
            for leg in earlier
        ],
        "licence": profile.licence,
        "made_from": source,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "rows": {name: count for name, count in data.items() if isinstance(count, dict)},
        "settings": {name: r["settings"] for name, r in records.items() if "settings" in r},
        "inputs": {name: r["inputs"] for name, r in records.items() if "inputs" in r},
        "versions": {"python": platform.python_version()}
        | {name: importlib.metadata.version(name) for name in PACKAGES},
    }


def _earlier(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the records of every step that came before one, the first first."""
    found: list[Mapping[str, Any]] = []
    for one in record.get("results", {}).get("earlier", []):
        found += [leg for leg in (*_earlier(one), one) if leg not in found]
    return found


def _judged(folder: Path, rows: list[Path], *, binary: bool) -> dict[str, Any]:
    sets = {path.stem: _known(pd.read_parquet(path)) for path in rows}
    found = {name: scores(folder, list(frame["text"])) for name, frame in sets.items()}
    held = sets.get("validation")
    if held is None or held["strict"].nunique() < 2:
        return {}
    # Only of two labels does a temperature leave the order of windows alone.
    calibration = calibrate(held, found["validation"]) if binary else Calibration(1, 0.5, 0, 0)
    tests = sets.get("test", held)
    margin = logit(found["test" if "test" in sets else "validation"]) / calibration.temperature
    return {
        "threshold": calibration.threshold,
        "temperature": calibration.temperature,
        "metrics": {
            "aim": AIM,
            "validation": asdict(calibration),
            "test": _by_source(tests, sigmoid(margin), calibration.threshold),
        },
    }


def _known(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["strict"].notna()].reset_index(drop=True)


def _by_source(
    rows: pd.DataFrame, found: NDArray[np.float64], threshold: float
) -> dict[str, dict[str, float | int]]:
    table: dict[str, dict[str, float | int]] = {}
    for source in sorted(rows["source"].unique()):
        here = ((rows["source"] == source) & rows["strict"].notna()).to_numpy()
        if not here.any():
            continue
        labels = rows.loc[here, "strict"].to_numpy(int)
        values = figures(labels, found[here], threshold)
        table[source] = {"rows": len(labels), "toxic": int(labels.sum())}
        table[source] |= {n: round(f.value, 4) for n, f in values.items() if f.value is not None}
    columns = ["rows", "toxic", "macro-F1", "AUC", "recall", "false positives"]
    show(
        f"test rows, threshold {threshold}",
        ["source", *columns],
        [
            [source, *(str(row.get(column, "-")) for column in columns)]
            for source, row in table.items()
        ],
    )
    return table
