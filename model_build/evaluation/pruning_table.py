"""Prune a model by several shares, and compare time, size and quality with the whole model.

Each share gets its own work folder below ``prune-table/``, where the usual steps make its
int8 graph, and borrows the rows and the importance of the work folder around it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tokenizers import Tokenizer

from model_build.evaluation import latency
from model_build.evaluation.calibration import BALANCED_THRESHOLD, calibrate, sigmoid
from model_build.graph import export, optimization, quantization
from model_build.graph.runner import OnnxGraph, encode
from model_build.metrics import mean_auc
from model_build.profile import Profile
from model_build.terminal import progress, show
from model_build.training import distillation, pruning
from model_build.training.finetuning import encoder_folder
from model_build.work import GRAPH, MODEL, Work, write_json
from toxic_bot.judge.config import EMBEDDED_MODEL

_FOLDER = "prune-table"
_BORROWED = ("data", "encoder", "importance")
_MAX_TOKENS = 128
_TUNED_BATCH = 32
_TUNED = ("AUC", "macro-F1")
_WHOLE = "nothing"


@dataclass(frozen=True, slots=True)
class Settings:
    """What is compared.

    Parameters
    ----------
    shares
        Shares of heads, of neurons, and of both, to remove.
    rows
        Maximum number of validation rows for the quality.
    tuned_steps
        Steps, of 32 rows each, in which the whole model teaches each pruned one; 0 for none.
    tuned_shares
        Those of the shares, removed from both, that are taught.
    """

    shares: tuple[float, ...] = (0.1, 0.25, 0.5)
    rows: int = 3000
    tuned_steps: int = 0
    tuned_shares: tuple[float, ...] = (0.1, 0.25, 0.5)


def run(
    work: Work,
    profile: Profile,
    settings: Settings,
    measurement: latency.Settings,
    *,
    checkpoint: str = str(EMBEDDED_MODEL),
) -> Path:
    """Run the step: write ``prune-table/table.json``.

    Graphs and their quality are made once, the times are measured each time.

    Parameters
    ----------
    work
        Work folder with the output of the data step.
    profile
        Kind of model.
    settings
        What is compared.
    measurement
        The text lengths whose times are measured, and how.
    checkpoint
        A model folder that the bot serves, or a fine-tuned checkpoint.

    Returns
    -------
    pathlib.Path
        The step's folder.

    Raises
    ------
    StepError
        When a share is not one, or the rows are missing.
    """
    for split in ("train", "validation"):
        work.require("data", f"{split}.parquet")
    folder = work.step(_FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    graphs: dict[str, Path] = {}
    qualities: dict[str, dict[str, Any]] = {}
    for heads, neurons in _pairs(settings.shares):
        removal = pruning.Settings(heads, neurons)
        name = _name(removal)
        nested = _branch(work, folder / name.replace("%", "").replace(" ", "-"))
        pruning.run(nested, profile, removal, checkpoint=checkpoint)
        graphs[name] = _int8(nested, "prune")
        qualities[name] = _quality(nested, settings)
        if settings.tuned_steps and heads == neurons and heads in settings.tuned_shares:
            tuned = _tune(work, profile, settings, nested, checkpoint)
            _int8(tuned, "distill")
            qualities[name] |= {"tuned": _quality(tuned, settings)}
    ladder = latency.measure_ladder(graphs, measurement, _WHOLE)
    rows = {name: qualities[name] | ladder[name] for name in graphs}
    content = {"settings": asdict(settings), "measurement": asdict(measurement), "rows": rows}
    write_json(folder / "table.json", content)
    _show(rows, settings, measurement)
    return folder


def _pairs(shares: Sequence[float]) -> list[tuple[float, float]]:
    """Return nothing, then each share of heads alone, of neurons alone, and of both."""
    return [(0.0, 0.0), *product(shares, [0.0]), *product([0.0], shares), *((s, s) for s in shares)]


def _name(removal: pruning.Settings) -> str:
    shares = {"heads": removal.heads, "neurons": removal.neurons}
    return ", ".join(f"{what} {share:.0%}" for what, share in shares.items() if share) or _WHOLE


def _branch(work: Work, folder: Path) -> Work:
    """Return a work folder that borrows what does not depend on the shares."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in _BORROWED:
        work.step(name).mkdir(parents=True, exist_ok=True)
        link = folder / name
        if not link.is_symlink():
            link.symlink_to(work.step(name).resolve(), target_is_directory=True)
    return Work(folder)


def _int8(nested: Work, source: str) -> Path:
    export.run(nested, source=source)
    optimization.run(nested)
    return quantization.run(nested) / GRAPH


def _tune(work: Work, profile: Profile, settings: Settings, nested: Work, checkpoint: str) -> Work:
    """Return a work folder in which the whole model has taught the pruned one."""
    tuned = _branch(work, nested.folder / "tuned")
    teaching = distillation.Settings(
        (encoder_folder(checkpoint, work),),
        student=str(nested.step("prune") / MODEL),
        max_rows=settings.tuned_steps * _TUNED_BATCH,
    )
    training = replace(profile.continued_training, batch_size=_TUNED_BATCH, epochs=1, exits=False)
    distillation.run(tuned, profile, teaching, training=training)
    return tuned


def _quality(nested: Work, settings: Settings) -> dict[str, Any]:
    """Return what the int8 graph of a work folder is worth on validation rows."""
    graph = nested.require("quantize", GRAPH)
    validation = nested.require("data", "validation.parquet")
    source = str(nested.record("export")["settings"]["source"])
    tokenizer = nested.require(source, MODEL) / "tokenizer.json"

    def action(_folder: Path) -> Mapping[str, Any]:
        rows = pd.read_parquet(validation)
        rows = rows[rows["strict"].notna()]
        rows = rows.sample(min(settings.rows, len(rows)), random_state=1)
        return evaluate(graph, tokenizer, rows)

    inputs = [graph, validation, tokenizer, Path(__file__)]
    nested.run("quality", {"rows": settings.rows}, inputs, action)
    results: dict[str, Any] = nested.record("quality")["results"]
    return results


def evaluate(graph: Path, tokenizer: Path, rows: pd.DataFrame) -> dict[str, float]:
    """Return how well a graph tells the rows of each source apart.

    Parameters
    ----------
    graph
        Its first two logits are those of not toxic and toxic.
    tokenizer
        ``tokenizer.json``.
    rows
        Columns text, strict and source.

    Returns
    -------
    dict of str to float
        ``AUC`` and, at the threshold that ``package`` would choose on these rows, ``macro-F1`` and
        ``recall``: means over the sources.
    """
    runner = OnnxGraph(graph)
    ids = encode(Tokenizer.from_file(str(tokenizer)), list(rows["text"]), _MAX_TOKENS)
    with progress() as bar:
        ran = [runner.run(row) for row in bar.track(ids, description="validation rows")]
    logits = np.concatenate(ran).astype(np.float64)
    margins = logits[:, 1] - logits[:, 0]
    curve = calibrate(rows, sigmoid(margins)).curve
    point = next(point for point in curve if point.threshold == BALANCED_THRESHOLD)
    labels, sources = rows["strict"].to_numpy(int), rows["source"].to_numpy(str)
    auc = mean_auc(labels, margins, sources)
    return {"AUC": round(auc, 4), "macro-F1": point.macro_f1, "recall": point.recall}


def _show(rows: Mapping[str, Any], settings: Settings, measurement: latency.Settings) -> None:
    shapes = list(rows[_WHOLE]["shapes"])
    steps = settings.tuned_steps
    lines = []
    for name, row in rows.items():
        tuned = row.get("tuned")
        cells = [row["shapes"][shape] for shape in shapes]
        lines.append(
            [
                name,
                *(f"{cell['median ms']} ({cell['ratio']}x)" for cell in cells),
                str(row["file MB"]),
                f"{row['AUC']:.4f}",
                f"{row['macro-F1']:.3f}",
                *(
                    [f"{tuned['AUC']:.4f}", f"{tuned['macro-F1']:.3f}"]
                    if tuned
                    else ["not run"] * 2
                ),
            ]
        )
    show(
        f"int8, median ms of {measurement.rounds} interleaved rounds, "
        f"{settings.rows} validation rows",
        [
            "removed",
            *(shape.split(",")[0] for shape in shapes),
            "MB",
            "AUC",
            "macro-F1",
            *(f"{metric}, {steps} steps" if steps else f"{metric}, tuned" for metric in _TUNED),
        ],
        lines,
    )
