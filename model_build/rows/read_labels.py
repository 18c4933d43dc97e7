"""Labels made by reading: what a row is by this project's own notion of toxic.

The labels of public data sets follow their authors' notions. So rows of theirs were read one by one
against one guide, first where models and sources disagree, then validation and test rows of every
source. The project keeps a hash of each text, its label and its kinds, and no text of anybody's.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pandas as pd

from model_build.rows import kinds

LABELS = Path(__file__).with_name("read_labels.csv")
"""A line a text: its hash, its label (1, 0 or ? if readers are unsure or disagree), its kinds,
and how many times it was read."""

UNSURE = "?"
WEIGHT = 2.5
"""Votes for a label that was read; a source's label is one."""


def text_hash(text: str) -> str:
    """Return the hash by which a text is found, whatever its case and spacing."""
    key = " ".join(text.lower().split())
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def load() -> pd.DataFrame:
    """Return the labels, with the hash as index and the columns label, kinds and readings."""
    return pd.read_csv(
        LABELS, dtype={"text": str, "label": str, "kinds": str}, keep_default_na=False
    ).set_index("text")


def apply(rows: pd.DataFrame) -> pd.DataFrame:
    """Give rows the labels that reading them has led to.

    Parameters
    ----------
    rows
        Rows as `model_build.rows.reading.read_file` returns them, with their texts as they are.

    Returns
    -------
    pandas.DataFrame
        The rows, and whether each was ``read``. Rows about which readers are unsure or disagree
        are left out.
    """
    labels = load()
    key = rows["text"].map(text_hash)
    is_read = key.isin(labels.index)
    if not is_read.any():
        return rows
    found = labels.loc[key[is_read]]
    sure = (found["label"] != UNSURE).to_numpy()
    rows = rows.assign(read=is_read)
    read = rows[is_read][sure].copy()
    label = found["label"][sure].astype(int).to_numpy()
    read["label"], read["votes"] = label, WEIGHT
    read["strict"] = pd.array(label, dtype="Int8")
    shown = [kinds.complete(names.split("+") if names else []) for names in found["kinds"][sure]]
    read[list(kinds.COLUMNS)] = [list(one.values()) for one in shown]
    return pd.concat([rows[~is_read], read]).sort_index()
