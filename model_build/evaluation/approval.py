"""Evaluate a model folder on votes: how many people it would side with now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from model_build.evaluation.scores import judge_texts
from model_build.rows.reading import DataError
from model_build.terminal import show
from model_build.work import Work, write_json

NO_KIND = "none"
"""Stands for the kind of a verdict that names none."""


@dataclass(frozen=True, slots=True)
class Approval:
    """How much people approve of the verdicts on some texts, weighted by their votes.

    Parameters
    ----------
    texts
        Number of texts.
    votes
        Sum of their weights.
    before
        Share of the votes that call the verdict right that was voted on, 0 to 1.
    now
        Share that would call this model's verdict right.
    """

    texts: int
    votes: float
    before: float
    now: float


def run(work: Work, model: Path, file: Path, *, force: bool = False) -> Path:
    """Run the step: write ``figures.json`` in the folder ``evaluate-feedback``.

    Parameters
    ----------
    work
        Work folder.
    model
        The model folder.
    file
        Votes, as ``toxic-bot feedback export`` writes them.
    force
        Run the step even if it is up to date.

    Raises
    ------
    DataError
        When the file is unreadable or holds no votes.
    """

    def action(folder: Path) -> Mapping[str, Any]:
        votes = _read(file)
        toxic = [verdict.toxic for verdict in judge_texts(model, list(votes["text"]))]
        result = approvals(votes, toxic)
        write_json(folder / "figures.json", {name: asdict(row) for name, row in result.items()})
        _show(result)
        return {"texts": len(votes)}

    inputs = [file, model / "config.json"]
    return work.run("evaluate-feedback", {}, inputs, action, force=force)


def approvals(votes: pd.DataFrame, toxic: list[bool]) -> dict[str, Approval]:
    """Return how much people approve of verdicts: of all, by earlier verdict, and by kind.

    Parameters
    ----------
    votes
        Columns label (0 or 1, what people say), weight, verdict (``toxic`` or ``fine``, what was
        voted on) and judged_kinds (its kinds, the most evident first).
    toxic
        The new verdict on each text.
    """
    label = votes["label"] == 1
    rows = pd.DataFrame(
        {
            "weight": votes["weight"].astype(float),
            "before": (votes["verdict"] == "toxic") == label,
            "now": pd.Series(toxic, votes.index) == label,
        }
    )
    kind = votes["judged_kinds"].fillna("").str.partition(",")[0].replace("", NO_KIND)
    groups = {
        "all": pd.Series(True, rows.index),
        "called right": rows["before"],
        "called wrong": ~rows["before"],
        **{f"kind: {name}": kind == name for name in sorted(set(kind))},
    }
    return {name: _approval(rows[mask]) for name, mask in groups.items() if mask.any()}


def _approval(rows: pd.DataFrame) -> Approval:
    votes = float(rows["weight"].sum())
    before, now = (float(rows["weight"][rows[name]].sum()) / votes for name in ("before", "now"))
    return Approval(len(rows), votes, before, now)


def _read(file: Path) -> pd.DataFrame:
    try:
        votes = pd.read_json(file, lines=True)
    except (OSError, ValueError) as error:
        raise DataError(f"cannot read {file}: {' '.join(str(error).split())[:200]}") from error
    missing = {"text", "label", "weight", "verdict", "judged_kinds"} - set(votes.columns)
    if missing:
        raise DataError(
            f"{file} has no column {' and '.join(sorted(missing))}: write it with "
            "'toxic-bot feedback export'"
        )
    return votes


def _show(result: Mapping[str, Approval]) -> None:
    show(
        "votes that call the verdict right",
        ["verdicts", "texts", "votes", "as voted on", "now"],
        [
            [name, str(row.texts), f"{row.votes:g}", f"{row.before:.1%}", f"{row.now:.1%}"]
            for name, row in result.items()
        ],
    )
