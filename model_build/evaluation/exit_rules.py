"""Choose where clear texts leave the graph early, and compare rules for it.

Nearly all messages at work are plainly harmless, and heads after the lower layers see that. A
text leaves at the first head that puts its log-odds of toxic below a limit; whatever is not
clearly harmless runs through all layers, so no text is called toxic by half a model. Beside
this rule the step measures patience (Zhou et al. 2020, "BERT Loses Patience"): leave as soon
as several heads in a row agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pandas as pd
from numpy.typing import NDArray
from tokenizers import Tokenizer

from model_build.evaluation.calibration import WORKPLACE_SOURCES, calibrate, sigmoid
from model_build.graph import early_exit
from model_build.graph.early_exit import Exit
from model_build.graph.runner import OnnxGraph, encode
from model_build.terminal import progress, show
from model_build.work import GRAPH, MODEL, StepError, Work

_BUDGETS = (0.0005, 0.001, 0.002, 0.003, 0.005)
_MAX_ROWS = 15_000
_MAX_TOKENS = 128
_MAX_EXITS = 2
_HEAD_COST = 0.06
"""What a head and its decision cost, in layers."""
_MARGIN = 0.1
"""Log-odds by which a text that leaves stays below the threshold."""
_MIN_ROWS = 20
_SPLITS = (0.25, 0.5, 0.75)


@dataclass(frozen=True, slots=True)
class Heads:
    """What the heads of a graph say about validation rows.

    Parameters
    ----------
    log_odds
        Of toxic, less the offset: shape (rows, layers), the last head's in the last column.
    typical
        Which rows are benign work talk, by which time is measured; shape (rows,).
    offset
        Log-odds of toxic at the threshold.
    """

    log_odds: NDArray[np.float64]
    typical: NDArray[np.bool_]
    offset: float

    @property
    def layers(self) -> int:
        """The number of layers."""
        return int(self.log_odds.shape[1])

    @property
    def flagged(self) -> NDArray[np.bool_]:
        """The rows that the last head calls toxic."""
        return self.log_odds[:, -1] >= 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a rule saves, and what it costs.

    Parameters
    ----------
    rule
        In words.
    layers
        Mean number of layers that benign work talk runs through.
    all_layers
        The same for all validation rows.
    changed
        Share of all rows with another verdict than the last head's.
    missed
        Share of the rows that the last head calls toxic and the rule does not.
    """

    rule: str
    layers: float
    all_layers: float
    changed: float
    missed: float


def run(work: Work, *, max_changed: float = 0.0, force: bool = False) -> Path:
    """Run the step: write ``early-exit/model.onnx``, the graph to be served.

    Without heads after the lower layers, or without validation rows, no text leaves early.

    Parameters
    ----------
    work
        Work folder that holds the graph with its kinds.
    max_changed
        The share of all validation rows whose verdict may change; 0 for no early exit, of which
        there is nothing to measure.
    force
        Run the step even if it is up to date.

    Raises
    ------
    StepError
        When the share is not one.
    """
    if not 0 <= max_changed < 1:
        raise StepError(f"--changed {max_changed} is not a share: give one such as 0.002")
    source = work.require("kinds", GRAPH)
    checkpoint = work.require(str(work.record("export")["settings"]["source"]), MODEL)
    validation = work.step("data") / "validation.parquet"

    def action(folder: Path) -> Mapping[str, Any]:
        model = onnx.load(str(source))
        exits: tuple[Exit, ...] = ()
        outcomes: list[Outcome] = []
        if max_changed > 0 and early_exit.early_layers(model) and validation.exists():
            heads = read_heads(source, checkpoint, pd.read_parquet(validation))
            exits = calibrated(heads, choose(heads, max_changed))
            outcomes = compare(heads)
        onnx.save(early_exit.nest(model, exits), str(folder / GRAPH))
        return {"exits": [asdict(e) for e in exits], "rules": [asdict(o) for o in outcomes]}

    # The code is an input too: when it changes, the step runs again.
    inputs = [source, checkpoint, Path(__file__), Path(early_exit.__file__)]
    inputs += [validation] if validation.exists() else []
    return work.run("early-exit", {"changed": max_changed}, inputs, action, force=force)


def read_heads(graph: Path, checkpoint: Path, validation: pd.DataFrame) -> Heads:
    """Run validation rows through all heads of a graph.

    Parameters
    ----------
    graph
        Has heads after its lower layers.
    checkpoint
        Folder with the tokenizer.
    validation
        Columns text, strict and source.
    """
    rows = validation[validation["strict"].notna()]
    rows = rows.sample(min(_MAX_ROWS, len(rows)), random_state=1).reset_index(drop=True)
    tokenizer = Tokenizer.from_file(str(checkpoint / "tokenizer.json"))
    runner = OnnxGraph(graph, threads=1)
    texts = encode(tokenizer, list(rows["text"]), _MAX_TOKENS)
    with ThreadPoolExecutor(2) as pool, progress() as bar:
        logits = pool.map(runner.run_all_heads, texts)
        ran = list(bar.track(logits, total=len(texts), description="all heads"))
    count = 1 + len(early_exit.early_layers(onnx.load(str(graph), load_external_data=False)))
    by_head = np.concatenate(ran).reshape(len(rows), count, -1).astype(np.float64)
    margins = by_head[:, :, 1] - by_head[:, :, 0]
    margins = np.column_stack([margins[:, 1:], margins[:, 0]])
    offset = calibrate(rows, sigmoid(margins[:, -1])).offset
    benign = (rows["strict"] == 0).to_numpy(bool)
    typical = rows["source"].isin(WORKPLACE_SOURCES).to_numpy(bool) & benign
    return Heads(margins - offset, typical if typical.any() else benign, offset)


def choose(heads: Heads, max_changed: float) -> tuple[Exit, ...]:
    """Return the exits that save the most layers on benign work talk.

    Parameters
    ----------
    heads
        What the heads say about validation rows.
    max_changed
        The share of all rows whose verdict may change.

    Returns
    -------
    tuple of Exit
        From the lowest layer up; the limits are without the offset, like the heads' log-odds.
    """
    allowed = int(max_changed * len(heads.log_odds))
    candidates = [
        _limits(heads, layers, allowed, share)
        for count in range(_MAX_EXITS + 1)
        for layers in combinations(range(1, heads.layers), count)
        for share in (_SPLITS if count > 1 else _SPLITS[:1])
    ]
    return min(candidates, key=lambda exits: _cost(heads, exits))


def calibrated(heads: Heads, exits: Sequence[Exit]) -> tuple[Exit, ...]:
    """Return exits as the graph needs them: with scale and shift, and the offset added.

    Scale and shift fit the log-odds of the texts that leave to those of the last head (least
    squares), but no text that leaves gets a score above the threshold.

    Parameters
    ----------
    heads
        What the heads say about validation rows.
    exits
        Where to leave; limits without the offset.
    """
    left = leave(heads, exits)
    fitted = []
    for exit_ in exits:
        leaving = left == exit_.layer
        scale, shift = _line(heads.log_odds[leaving, exit_.layer - 1], heads.log_odds[leaving, -1])
        shift = min(shift, -_MARGIN - scale * exit_.limit)
        limit = exit_.limit + heads.offset
        # The graph's log-odds have the offset in them, before and after.
        shift += heads.offset * (1 - scale)
        fitted.append(Exit(exit_.layer, round(limit, 4), round(scale, 4), round(shift, 4)))
    return tuple(fitted)


def _line(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[float, float]:
    """Return slope and intercept of the best line; 1 and 0 if there is none that rises."""
    if len(x) < _MIN_ROWS or np.ptp(x) == 0:
        return 1.0, 0.0
    slope, intercept = np.polyfit(x, y, 1)
    return (float(slope), float(intercept)) if slope > 0 else (1.0, 0.0)


def _limits(heads: Heads, layers: Sequence[int], allowed: int, share: float) -> tuple[Exit, ...]:
    """Return the highest limits that lose no more flagged rows than allowed."""
    still_in = heads.flagged.copy()
    exits = []
    for number, layer in enumerate(layers):
        is_last = number == len(layers) - 1
        losses = allowed if is_last else int(allowed * share)
        flagged = np.sort(heads.log_odds[still_in, layer - 1])
        limit = float(flagged[losses]) if losses < len(flagged) else np.inf
        exits.append(Exit(layer, min(limit, 0.0)))
        lost = still_in & (heads.log_odds[:, layer - 1] < exits[-1].limit)
        allowed -= int(lost.sum())
        still_in &= ~lost
    return tuple(exits)


def leave(heads: Heads, exits: Sequence[Exit]) -> NDArray[np.int_]:
    """Return the layer after which each row leaves, for limits without the offset."""
    left = np.full(len(heads.log_odds), heads.layers)
    for exit_ in reversed(exits):
        left[heads.log_odds[:, exit_.layer - 1] < exit_.limit] = exit_.layer
    return left


def _cost(heads: Heads, exits: Sequence[Exit]) -> float:
    left = leave(heads, exits)[heads.typical]
    asked = sum((left >= exit_.layer).mean() for exit_ in exits)
    return float(left.mean() + _HEAD_COST * asked)


def compare(heads: Heads) -> list[Outcome]:
    """Return what the rule and patience save and cost, and show it as a table."""
    outcomes = []
    for budget in _BUDGETS:
        chosen = choose(heads, budget)
        left = leave(heads, chosen)
        flagged = heads.flagged & (left == heads.layers)
        where = " and ".join(str(e.layer) for e in chosen) or "none"
        outcomes.append(
            _outcome(heads, f"clearly not toxic after {where}, {budget:.2%}", left, flagged)
        )
    for patience in range(1, heads.layers - 1):
        left, flagged = be_patient(heads, patience)
        outcomes.append(_outcome(heads, f"patience {patience}", left, flagged))
    show(
        "early exit, validation rows",
        ["rule", "layers, work talk", "layers, all rows", "changed", "missed"],
        [
            [
                o.rule,
                f"{o.layers:.2f}",
                f"{o.all_layers:.2f}",
                f"{o.changed:.2%}",
                f"{o.missed:.2%}",
            ]
            for o in outcomes
        ],
    )
    return outcomes


def be_patient(heads: Heads, patience: int) -> tuple[NDArray[np.int_], NDArray[np.bool_]]:
    """Return where each row leaves once a verdict is repeated, and whether it is toxic.

    Parameters
    ----------
    heads
        What the heads say. Each head flags as many rows as the last one does, which gives the
        lower heads thresholds of their own.
    patience
        How often a verdict has to be repeated by the next head.
    """
    share = heads.flagged.mean()
    thresholds = np.quantile(heads.log_odds, 1 - share, axis=0)
    thresholds[-1] = 0
    verdicts = heads.log_odds >= thresholds
    left = np.full(len(verdicts), heads.layers)
    repeated = np.zeros(len(verdicts), int)
    flagged = verdicts[:, -1].copy()
    for layer in range(2, heads.layers):
        same = verdicts[:, layer - 1] == verdicts[:, layer - 2]
        repeated = np.where(same, repeated + 1, 0)
        leaves = (repeated >= patience) & (left == heads.layers)
        left[leaves] = layer
        flagged[leaves] = verdicts[leaves, layer - 1]
    return left, flagged


def _outcome(
    heads: Heads, rule: str, left: NDArray[np.int_], flagged: NDArray[np.bool_]
) -> Outcome:
    return Outcome(
        rule=rule,
        layers=round(float(left[heads.typical].mean()), 3),
        all_layers=round(float(left.mean()), 3),
        changed=round(float((flagged != heads.flagged).mean()), 5),
        missed=round(float((heads.flagged & ~flagged).sum() / max(1, heads.flagged.sum())), 5),
    )
