"""Votes on verdicts as labeled texts; ``toxic-bot feedback export`` writes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from model_build.rows.reading import clean, read_file, text_key
from model_build.terminal import show

FEEDBACK = "feedback"
"""The source of the rows that votes become."""
CONFLICTS = "conflicts.jsonl"
"""The file in the data step's folder that lists votes which do not become training rows."""
EVEN = "people disagree evenly"
CONTRADICTED = "another source says otherwise"
HELD_OUT = "held out for validation or test"


@dataclass(frozen=True, slots=True)
class Ballots:
    """What people think of texts.

    Parameters
    ----------
    rows
        Texts with a majority, in the columns of `model_build.rows.reading.read`; ``votes`` is
        the majority's lead.
    conflicts
        Texts that do not become training rows: columns text, label, votes and reason.
    """

    rows: pd.DataFrame
    conflicts: pd.DataFrame


def read_ballots(files: Sequence[Path]) -> Ballots:
    """Read exported votes; the votes on messages with the same text are counted together.

    Raises
    ------
    DataError
        When a file is unreadable, lacks a column or has an invalid value.
    """
    rows = clean(pd.concat([read_file(file) for file in files], ignore_index=True))
    key = rows["text"].map(text_key)
    lead = rows["votes"].where(rows["label"] == 1, -rows["votes"]).groupby(key).transform("sum")
    # The first row of the winning side stands for its text.
    wins = (lead > 0) == (rows["label"] == 1)
    rows = rows.assign(votes=lead.abs(), source=FEEDBACK)[wins].loc[
        lambda won: ~key[won.index].duplicated()
    ]
    is_even = rows["votes"] == 0
    return Ballots(rows[~is_even].reset_index(drop=True), _conflicts(rows[is_even], EVEN))


def compare_ballots(ballots: Ballots, others: pd.DataFrame) -> Ballots:
    """Return the votes without those that the rows of other sources do not allow.

    A text with contradictory labels is left out of training altogether.

    Parameters
    ----------
    ballots
        The votes.
    others
        The rows of the other sources, as `model_build.rows.reading.read` returns them.
    """
    keys = others["text"].map(text_key)
    held_out = set(keys[others["split"] != "train"])
    labels = {label: set(keys[others["label"] == label]) for label in (0, 1)}
    rows = ballots.rows
    mine = rows["text"].map(text_key)
    is_held_out = mine.isin(held_out)
    opposite = pd.Series(
        [key in labels[1 - label] for key, label in zip(mine, rows["label"], strict=True)],
        rows.index,
        dtype=bool,
    )
    is_contradicted = opposite & ~is_held_out
    conflicts = [
        ballots.conflicts,
        _conflicts(rows[is_contradicted], CONTRADICTED),
        _conflicts(rows[is_held_out], HELD_OUT),
    ]
    return Ballots(
        rows[~is_held_out & ~is_contradicted].reset_index(drop=True),
        pd.concat(conflicts, ignore_index=True),
    )


def show_ballots(ballots: Ballots) -> None:
    """Print how many texts people voted on, and why some are left out; none of the texts."""
    toxic = int(ballots.rows["label"].sum())
    lines = [["not toxic", len(ballots.rows) - toxic], ["toxic", toxic]]
    reasons = ballots.conflicts["reason"].value_counts()
    lines += [[f"left out: {reason}", count] for reason, count in reasons.items()]
    show("votes", ["", "texts"], [[str(name), str(count)] for name, count in lines])


def _conflicts(rows: pd.DataFrame, reason: str) -> pd.DataFrame:
    return rows[["text", "label", "votes"]].assign(reason=reason)
