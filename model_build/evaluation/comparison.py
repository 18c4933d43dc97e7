"""Evaluate a model folder against baselines: metrics with intervals, slices, mistakes, plots."""

from __future__ import annotations

import json
import logging
import re
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from model_build.evaluation import plots
from model_build.evaluation.baselines import baseline_scores
from model_build.evaluation.calibration import WORKPLACE_SOURCES, logit, sigmoid
from model_build.evaluation.scores import judge_texts, kinds_of, scores_of
from model_build.metrics import KIND_METRICS, Estimate, compute_metrics
from model_build.terminal import show
from model_build.work import GRAPH, StepError, Work, file_checksum, write_json
from toxic_bot.judge.config import MULTILINGUAL_FOLDER, ModelConfig, OperatingPoint, SecondOpinion

logger = logging.getLogger(__name__)
INT8 = "int8"
FP32 = "fp32"
BOTH_SPLITS = "both"
_BASELINE_THRESHOLD = 0.5
_MIN_SLICE_ROWS = 20
_MAX_MISTAKES = 40
_UNLIMITED = 10**6
_WORD_COUNTS = ((1, 5), (6, 15), (16, 40), (41, 100), (101, _UNLIMITED))
IDENTITY_PATTERNS = {
    "gender": r"wom[ae]n|girls?|females?|m[ae]n|boys?|males?",
    "orientation": r"gays?|lesbians?|bisexuals?|homosexuals?|queers?",
    "transgender": r"trans|transgender|nonbinary|tranny|trannies",
    "religion": r"muslims?|islam|jew(?:s|ish)?|christians?|catholics?|hindus?",
    "race": r"blacks?|whites?|asians?|latinos?|hispanics?|african|n[i1]gg\w+",
    "origin": r"immigrants?|migrants?|refugees?|mexicans?|chinese|indians?|foreigners?",
    "disability": r"disabled|deaf|blind|autis\w+|retard\w*",
}


@dataclass(frozen=True, slots=True)
class Settings:
    """How the model is evaluated.

    Parameters
    ----------
    split
        ``test``, ``validation`` or ``both``.
    sources
        Sources to evaluate on; empty for all.
    resamples
        Bootstrap samples per interval.
    rows
        Maximum number of rows per source; None for all.
    baselines
        Whether to evaluate the installed baselines too.
    """

    split: str = "test"
    sources: tuple[str, ...] = ()
    resamples: int = 200
    rows: int | None = None
    baselines: bool = True


def run(work: Work, model: Path, settings: Settings, *, force: bool = False) -> Path:
    """Run the step: write ``figures.json``, ``mistakes.md`` and the plots.

    The complete test split is evaluated in the folder ``evaluate``, any other selection in a
    folder named after it.

    Parameters
    ----------
    work
        Work folder that holds the rows and the optimized fp32 graph.
    model
        The model folder that the bot serves.
    settings
        How the model is evaluated.
    force
        Run the step even if it is up to date.
    """
    splits = ("validation", "test") if settings.split == BOTH_SPLITS else (settings.split,)
    files = [work.require("data", f"{split}.parquet") for split in splits]
    parts = ["evaluate", *([settings.split] if settings.split != "test" else []), *settings.sources]
    fp32_graph = work.step("optimize") / GRAPH

    def action(folder: Path) -> Mapping[str, Any]:
        rows = _load_rows(files, settings)
        config = ModelConfig.read(model / "config.json")
        texts = list(rows["text"])
        langs = list(rows["lang"]) if "lang" in rows else None
        verdicts = judge_texts(model, texts, langs)
        scores = {INT8: scores_of(verdicts)}
        if fp32_graph.exists():
            fp32_model = copy_with_graph(model, fp32_graph, folder / FP32)
            scores[FP32] = scores_of(judge_texts(fp32_model, texts, langs))
        threshold = config.thresholds[OperatingPoint.BALANCED]
        thresholds = dict.fromkeys(scores, threshold)
        if settings.baselines:
            baselines = baseline_scores(texts, folder)
            scores |= baselines
            thresholds |= dict.fromkeys(baselines, _BASELINE_THRESHOLD)
        result = compare(rows, scores, thresholds, settings.resamples)
        result["kinds"] = _compare_kinds(rows, kinds_of(verdicts), config, settings.resamples)
        result["calibration error"] = _calibration_errors(rows, scores[INT8], config)
        write_json(folder / "figures.json", result)
        _write_mistakes(folder / "mistakes.md", rows, scores[INT8], threshold)
        _write_plots(folder, rows, scores, config)
        _show(result)
        return {"rows": len(rows), "threshold": threshold}

    inputs = [*files, model / "config.json"]
    return work.run("-".join(parts), asdict(settings), inputs, action, force=force)


def _load_rows(files: list[Path], settings: Settings) -> pd.DataFrame:
    rows = pd.concat([pd.read_parquet(file) for file in files], ignore_index=True)
    if settings.sources:
        rows = rows[rows["source"].isin(settings.sources)]
    rows = rows[rows["strict"].notna()].assign(strict=lambda r: r["strict"].astype(int))
    if settings.rows is not None:
        # Shuffled, so that the first rows of each source are a random sample.
        rows = rows.sample(frac=1, random_state=1).groupby("source").head(settings.rows)
    if rows["strict"].nunique() < 2:
        raise StepError("the selected rows have one label only: select rows of both labels")
    return rows.reset_index(drop=True)


def copy_with_graph(model: Path, graph: Path, folder: Path) -> Path:
    """Copy a model folder, but with another graph in it, and return the copy.

    A second opinion is the same in both, so that nothing but the graph makes a difference.

    Parameters
    ----------
    model
        Model folder.
    graph
        The other graph, whose inputs and outputs are the same.
    folder
        Folder to write.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if (model / MULTILINGUAL_FOLDER).is_dir():
        shutil.copytree(
            model / MULTILINGUAL_FOLDER, folder / MULTILINGUAL_FOLDER, dirs_exist_ok=True
        )
    shutil.copyfile(graph, folder / GRAPH)
    shutil.copyfile(model / "tokenizer.json", folder / "tokenizer.json")
    config = json.loads((model / "config.json").read_bytes())
    config["files"][GRAPH] = {
        "sha256": file_checksum(folder / GRAPH),
        "bytes": (folder / GRAPH).stat().st_size,
    }
    write_json(folder / "config.json", config)
    return folder


def compare(
    rows: pd.DataFrame,
    scores: Mapping[str, NDArray[np.float64]],
    thresholds: Mapping[str, float],
    resamples: int,
) -> dict[str, Any]:
    """Return every metric of every model.

    Parameters
    ----------
    rows
        Columns text, strict (0 or 1) and source.
    scores
        Scores of the rows, by model.
    thresholds
        The score from which a row is called toxic, by model.
    resamples
        Bootstrap samples per interval.

    Returns
    -------
    dict
        ``rows``: size of each slice. ``judges``: each metric with its interval, by model and
        slice. ``int8 against fp32``, if there are scores of both: verdicts flipped and
        macro-F1 lost.
    """
    slices = _slices(rows)
    labels = rows["strict"].to_numpy()
    result: dict[str, Any] = {"judges": {}, "rows": {}}
    for name, mask in slices.items():
        result["rows"][name] = {"rows": int(mask.sum()), "toxic": int(labels[mask].sum())}
    for model, values in scores.items():
        logger.info("%s: computing metrics", model)
        result["judges"][model] = {
            name: {
                metric: asdict(estimate)
                for metric, estimate in compute_metrics(
                    labels[mask], values[mask], thresholds[model], resamples=resamples
                ).items()
                if estimate.value is not None
            }
            for name, mask in slices.items()
        }
    if FP32 in scores:
        result["int8 against fp32"] = _quantization_effect(scores, thresholds, result["judges"])
    return result


def _slices(rows: pd.DataFrame) -> dict[str, NDArray[np.bool_]]:
    sources = rows["source"].to_numpy(str)
    benign = np.isin(sources, WORKPLACE_SOURCES) & (rows["strict"] == 0).to_numpy()
    slices = {"all": np.ones(len(rows), dtype=bool), "benign workplace": benign}
    slices |= {name: sources == name for name in np.unique(sources)}
    words = rows["text"].str.split().str.len().to_numpy()
    for low, high in _WORD_COUNTS:
        title = f"words: {low} to {high}" if high < _UNLIMITED else f"words: over {low - 1}"
        slices[title] = (words >= low) & (words <= high)
    for identity, pattern in IDENTITY_PATTERNS.items():
        matches = rows["text"].str.contains(rf"\b(?:{pattern})\b", flags=re.IGNORECASE, regex=True)
        slices[f"names: {identity}"] = matches.to_numpy(bool)
    return {
        name: mask
        for name, mask in slices.items()
        if mask.sum() >= _MIN_SLICE_ROWS or name == "all"
    }


def _quantization_effect(
    scores: Mapping[str, NDArray[np.float64]],
    thresholds: Mapping[str, float],
    metrics_by_model: Mapping[str, Any],
) -> dict[str, Any]:
    int8_verdicts, fp32_verdicts = (scores[name] >= thresholds[name] for name in (INT8, FP32))
    lost = {
        name: round(metrics_by_model[FP32][name]["macro-F1"]["value"] - row["macro-F1"]["value"], 5)
        for name, row in metrics_by_model[INT8].items()
        if "macro-F1" in row
    }
    return {
        "verdicts flipped": float((int8_verdicts != fp32_verdicts).mean()),
        "largest change of score": float(np.abs(scores[INT8] - scores[FP32]).max()),
        "macro-F1 lost": lost,
    }


def _compare_kinds(
    rows: pd.DataFrame,
    probabilities: Mapping[str, NDArray[np.float64]],
    config: ModelConfig,
    resamples: int,
) -> dict[str, Any]:
    """Return the metrics of each kind on the toxic rows of which it is known."""
    thresholds = {kind.name: kind.threshold for kind in config.kinds}
    result: dict[str, Any] = {}
    for kind, values in probabilities.items():
        known = (rows[f"kind_{kind}"].notna() & (rows["strict"] == 1)).to_numpy(bool)
        labels = rows.loc[known, f"kind_{kind}"].to_numpy(int)
        if labels.sum() < _MIN_SLICE_ROWS:
            continue
        estimates = compute_metrics(
            labels, values[known], thresholds[kind], resamples=resamples, names=KIND_METRICS
        )
        result[kind] = {"rows": len(labels), "shown": int(labels.sum())}
        result[kind] |= {metric: asdict(estimate) for metric, estimate in estimates.items()}
    return result


def _calibration_errors(
    rows: pd.DataFrame, scores: NDArray[np.float64], config: ModelConfig
) -> dict[str, Any]:
    labels = rows["strict"].to_numpy()
    uncalibrated = _undo_calibration(scores, config)
    return {
        "before calibration": asdict(_estimate_calibration_error(labels, uncalibrated)),
        "after": asdict(_estimate_calibration_error(labels, scores)),
        "offset": _applied(config).offset,
        "temperature": _applied(config).temperature,
    }


def _undo_calibration(scores: NDArray[np.float64], config: ModelConfig) -> NDArray[np.float64]:
    applied = _applied(config)
    return sigmoid(logit(scores) * applied.temperature + applied.offset)


def _applied(config: ModelConfig) -> ModelConfig | SecondOpinion:
    """Return what has the offset and the temperature of the scores that count."""
    return config.second_opinion or config


def _estimate_calibration_error(labels: NDArray[np.int_], scores: NDArray[np.float64]) -> Estimate:
    return compute_metrics(labels, scores, 0.5, resamples=50)["calibration error"]


def _write_mistakes(
    path: Path, rows: pd.DataFrame, scores: NDArray[np.float64], threshold: float
) -> None:
    toxic = rows["strict"].to_numpy() == 1
    parts = ["# Worst mistakes\n\nFor manual review. Contains abuse: do not publish."]
    for title, wrong, order in (
        ("False positives", ~toxic & (scores >= threshold), -scores),
        ("False negatives", toxic & (scores < threshold), scores),
    ):
        indices = [index for index in np.argsort(order) if wrong[index]][:_MAX_MISTAKES]
        lines = [f"- {scores[i]:.3f} {rows['source'][i]}: {rows['text'][i][:300]}" for i in indices]
        parts.append(f"## {title}\n\n" + "\n".join(lines))
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _write_plots(
    folder: Path,
    rows: pd.DataFrame,
    scores: Mapping[str, NDArray[np.float64]],
    config: ModelConfig,
) -> None:
    labels = rows["strict"].to_numpy()
    plots.plot_curves(folder / "curves.png", labels, scores)
    by_calibration = {
        "before calibration": _undo_calibration(scores[INT8], config),
        "after calibration": scores[INT8],
    }
    plots.plot_reliability(folder / "calibration.png", labels, by_calibration)
    threshold = config.thresholds[OperatingPoint.BALANCED]
    plots.plot_histogram(folder / "scores.png", labels, scores[INT8], threshold)


def _show(result: Mapping[str, Any]) -> None:
    columns = ["macro-F1", "AUC", "average precision", "precision", "recall", "false positives"]
    for model, slices in result["judges"].items():
        lines = []
        for name, row in slices.items():
            cells = [Estimate(**row[c]).text() if c in row else "-" for c in columns]
            lines.append([name, str(result["rows"][name]["rows"]), *cells])
        show(model, ["slice", "rows", *columns], lines)
    lines = [
        [
            kind,
            str(row["rows"]),
            str(row["shown"]),
            *(Estimate(**row[m]).text() for m in KIND_METRICS),
        ]
        for kind, row in result.get("kinds", {}).items()
    ]
    show("kinds, int8", ["kind", "rows", "shown", *KIND_METRICS], lines)
    effect = result.get("int8 against fp32")
    if effect:
        name, loss = max(
            effect["macro-F1 lost"].items(), key=lambda item: item[1], default=("-", 0.0)
        )
        logger.info(
            "int8 flips %.2f%% of the fp32 verdicts; largest loss of macro-F1: %.4f on %s",
            100 * effect["verdicts flipped"],
            loss,
            name,
        )
