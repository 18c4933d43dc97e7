"""Judge a model folder against the field: figures with intervals, slices, mistakes, plots."""

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

from judge.config import ModelConfig
from model_build.evaluation import plots as plot
from model_build.evaluation.baselines import scores_of_peers
from model_build.evaluation.calibration import WORKPLACE, logit, sigmoid
from model_build.evaluation.scores import scores
from model_build.metrics import Figure, figures
from model_build.terminal import show
from model_build.work import GRAPH, StepError, Work, file_checksum, write_json

logger = logging.getLogger(__name__)
SERVED = "int8"
WHOLE = "fp32"
BOTH = "both"
_LEAST = 20
_MISTAKES = 40
_LENGTHS = ((1, 5), (6, 15), (16, 40), (41, 100), (101, 10**6))
IDENTITIES = {
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
        Sources to judge; none for all.
    resamples
        Bootstrap samples of each interval.
    rows
        Most rows of a source; None for all.
    peers
        Whether to run the peers that are installed too.
    """

    split: str = "test"
    sources: tuple[str, ...] = ()
    resamples: int = 200
    rows: int | None = None
    peers: bool = True


def run(work: Work, model: Path, settings: Settings, *, force: bool = False) -> Path:
    """Do the step: write ``figures.json``, ``mistakes.md`` and the plots.

    All of the test split goes to ``evaluate``; anything else to a folder named after it.

    Parameters
    ----------
    work
        Holds the rows and the optimized graph in 32-bit floats.
    model
        The model folder, as the bot serves it.
    settings
        How.
    force
        Do it again even if it was done with these settings.
    """
    splits = ("validation", "test") if settings.split == BOTH else (settings.split,)
    files = [work.needed("data", f"{split}.parquet") for split in splits]
    parts = ["evaluate", *([settings.split] if settings.split != "test" else []), *settings.sources]
    whole = work.step("optimize") / GRAPH

    def action(folder: Path) -> Mapping[str, Any]:
        rows = _rows(files, settings)
        config = ModelConfig.read(model / "config.json")
        texts = list(rows["text"])
        judged = {SERVED: scores(model, texts)}
        if whole.exists():
            judged[WHOLE] = scores(_unquantized(model, whole, folder / WHOLE), texts)
        thresholds = dict.fromkeys(judged, config.threshold)
        if settings.peers:
            others = scores_of_peers(texts, folder)
            judged |= others
            thresholds |= dict.fromkeys(others, 0.5)
        result = compare(rows, judged, thresholds, settings.resamples)
        result["calibration error"] = _calibration(rows, judged[SERVED], config.temperature)
        write_json(folder / "figures.json", result)
        _mistakes(folder / "mistakes.md", rows, judged[SERVED], config.threshold)
        _plots(folder, rows, judged, config)
        _print(result)
        return {"rows": len(rows), "threshold": config.threshold}

    inputs = [*files, model / "config.json"]
    return work.run("-".join(parts), asdict(settings), inputs, action, force=force)


def _rows(files: list[Path], settings: Settings) -> pd.DataFrame:
    rows = pd.concat([pd.read_parquet(file) for file in files], ignore_index=True)
    if settings.sources:
        rows = rows[rows["source"].isin(settings.sources)]
    rows = rows[rows["strict"].notna()].assign(strict=lambda r: r["strict"].astype(int))
    if settings.rows is not None:
        # Shuffled, then the first of each source.
        rows = rows.sample(frac=1, random_state=1).groupby("source").head(settings.rows)
    if rows["strict"].nunique() < 2:
        raise StepError("the rows asked for hold one label only: there is nothing to compare")
    return rows.reset_index(drop=True)


def _unquantized(model: Path, graph: Path, folder: Path) -> Path:
    """Return a copy of a model folder with another graph in it."""
    folder.mkdir(parents=True, exist_ok=True)
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
    judged: Mapping[str, NDArray[np.float64]],
    thresholds: Mapping[str, float],
    resamples: int,
) -> dict[str, Any]:
    """Return every figure of every judge.

    Parameters
    ----------
    rows
        Columns text, strict (0 or 1) and source.
    judged
        Scores of the rows, by judge.
    thresholds
        From which score on a row is called toxic, by judge.
    resamples
        Bootstrap samples of each interval.

    Returns
    -------
    dict
        ``judges``: by judge and slice, each figure with its interval. ``int8 against fp32``:
        verdicts flipped and macro-F1 lost, if both were judged.
    """
    slices = _slices(rows)
    labels = rows["strict"].to_numpy()
    result: dict[str, Any] = {"judges": {}, "rows": {}}
    for name, here in slices.items():
        result["rows"][name] = {"rows": int(here.sum()), "toxic": int(labels[here].sum())}
    for judge, found in judged.items():
        logger.info("figures of %s", judge)
        result["judges"][judge] = {
            name: {
                figure: asdict(value)
                for figure, value in figures(
                    labels[here], found[here], thresholds[judge], resamples=resamples
                ).items()
                if value.value is not None
            }
            for name, here in slices.items()
        }
    if WHOLE in judged:
        result["int8 against fp32"] = _lost(judged, thresholds, result["judges"])
    return result


def _slices(rows: pd.DataFrame) -> dict[str, NDArray[np.bool_]]:
    source = rows["source"].to_numpy(str)
    benign = np.isin(source, WORKPLACE) & (rows["strict"] == 0).to_numpy()
    slices = {"all": np.ones(len(rows), dtype=bool), "benign workplace": benign}
    slices |= {name: source == name for name in np.unique(source)}
    words = rows["text"].str.split().str.len().to_numpy()
    for least, most in _LENGTHS:
        title = f"words: {least} to {most}" if most < 10**6 else f"words: over {least - 1}"
        slices[title] = (words >= least) & (words <= most)
    for identity, pattern in IDENTITIES.items():
        named = rows["text"].str.contains(rf"\b(?:{pattern})\b", flags=re.IGNORECASE, regex=True)
        slices[f"names: {identity}"] = named.to_numpy(bool)
    return {name: here for name, here in slices.items() if here.sum() >= _LEAST or name == "all"}


def _lost(
    judged: Mapping[str, NDArray[np.float64]],
    thresholds: Mapping[str, float],
    found: Mapping[str, Any],
) -> dict[str, Any]:
    served, whole = (judged[n] >= thresholds[n] for n in (SERVED, WHOLE))
    lost = {
        name: round(found[WHOLE][name]["macro-F1"]["value"] - row["macro-F1"]["value"], 5)
        for name, row in found[SERVED].items()
        if "macro-F1" in row
    }
    return {
        "verdicts flipped": float((served != whole).mean()),
        "largest change of score": float(np.abs(judged[SERVED] - judged[WHOLE]).max()),
        "macro-F1 lost": lost,
    }


def _calibration(
    rows: pd.DataFrame, served: NDArray[np.float64], temperature: float
) -> dict[str, Any]:
    labels = rows["strict"].to_numpy()
    before = sigmoid(logit(served) * temperature)
    return {
        "before temperature scaling": asdict(_error(labels, before)),
        "after": asdict(_error(labels, served)),
        "temperature": temperature,
    }


def _error(labels: NDArray[np.int_], found: NDArray[np.float64]) -> Figure:
    return figures(labels, found, 0.5, resamples=50)["calibration error"]


def _mistakes(
    path: Path, rows: pd.DataFrame, served: NDArray[np.float64], threshold: float
) -> None:
    toxic = rows["strict"].to_numpy() == 1
    parts = ["# The worst mistakes, for a person to read\n\nThey hold abuse; publish none of them."]
    for title, wrong, order in (
        ("Called toxic, but are not", ~toxic & (served >= threshold), -served),
        ("Toxic, but not called so", toxic & (served < threshold), served),
    ):
        places = [place for place in np.argsort(order) if wrong[place]][:_MISTAKES]
        lines = [f"- {served[p]:.3f} {rows['source'][p]}: {rows['text'][p][:300]}" for p in places]
        parts.append(f"## {title}\n\n" + "\n".join(lines))
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _plots(
    folder: Path,
    rows: pd.DataFrame,
    judged: Mapping[str, NDArray[np.float64]],
    config: ModelConfig,
) -> None:
    labels = rows["strict"].to_numpy()
    plot.curves(folder / "curves.png", labels, judged)
    before = sigmoid(logit(judged[SERVED]) * config.temperature)
    both = {"as trained": before, "with temperature": judged[SERVED]}
    plot.calibration(folder / "calibration.png", labels, both)
    plot.histogram(folder / "scores.png", labels, judged[SERVED], config.threshold)


def _print(result: Mapping[str, Any]) -> None:
    columns = ["macro-F1", "AUC", "average precision", "precision", "recall", "false positives"]
    for judge, slices in result["judges"].items():
        lines = []
        for name, row in slices.items():
            cells = [Figure(**row[c]).text() if c in row else "-" for c in columns]
            lines.append([name, str(result["rows"][name]["rows"]), *cells])
        show(judge, ["slice", "rows", *columns], lines)
    lost = result.get("int8 against fp32")
    if lost:
        worst = max(lost["macro-F1 lost"].items(), key=lambda item: item[1], default=("-", 0.0))
        logger.info(
            "int8 flips %.2f %% of the verdicts of fp32; most macro-F1 lost: %.4f on %s",
            100 * lost["verdicts flipped"],
            worst[1],
            worst[0],
        )
