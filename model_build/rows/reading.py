"""Labeled texts read from local files and from hub data sets."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from model_build.rows import kinds, read_labels
from model_build.rows.mixture import WEAK
from model_build.work import Work
from toxic_bot.judge.errors import ToxicBotError
from toxic_bot.judge.normalization import read as read_text

SPLITS = ("train", "validation", "test")
SUFFIXES = {".parquet", ".csv", ".jsonl"}
HUB = "hub:"
WRITTEN = Path(__file__).with_name("written")
"""The project's own messages, a file a theme."""
WRITTEN_IN_OTHER_LANGUAGES = Path(__file__).with_name("multilingual")
"""The same in other languages, a folder a language."""
WRITTEN_SOURCE = "workplace_written"
_MIN_ROWS_PER_LABEL = 10
"""Rows of a label without which figures are chance."""


class DataError(ToxicBotError):
    """Labeled texts are missing or malformed."""


def locate(source: str, work: Work) -> Path:
    """Return the folder of a source, after downloading a hub data set.

    Parameters
    ----------
    source
        A folder or ``hub:owner/name``.
    work
        Work folder for downloads.

    Raises
    ------
    DataError
        When the download fails.
    """
    if not source.startswith(HUB):
        return Path(source)
    from huggingface_hub import snapshot_download

    try:
        return Path(
            snapshot_download(
                source.removeprefix(HUB),
                repo_type="dataset",
                revision="refs/convert/parquet",
                allow_patterns="*.parquet",
                local_dir=work.step("hub") / source.removeprefix(HUB).replace("/", "--"),
            )
        )
    except Exception as error:  # the hub client raises exceptions of many libraries
        raise DataError(f"cannot download {source}: {_one_line(error)}") from error


def read(folders: list[Path], *, own_reading: bool = True, marks: bool = False) -> pd.DataFrame:
    """Read all files in the folders.

    Parameters
    ----------
    folders
        Folders of ``.parquet``, ``.csv`` or ``.jsonl`` files with the columns ``text`` and
        ``label`` (0 or 1), and optionally ``strict_label`` (0, 1 or null), ``split`` (train,
        validation or test), ``source``, ``kinds`` (names in `model_build.rows.kinds.KINDS`,
        a list or separated by commas; null if unknown), ``lang`` (ISO 639;
        English if there is none), ``pair`` (rows of one pair stay in one split) and ``weight``
        (how many votes a row stands for).
    own_reading
        Whether the labels of `model_build.rows.read_labels` replace those of the sources.
    marks
        Whether marks on letters are kept, for a model of several languages.

    Returns
    -------
    pandas.DataFrame
        Columns text, label, strict, split, source, lang, votes, stated (the source's own label:
        0, 1 or weak), read (whether the label was read), file (the name of a file of written
        messages, else empty), and one for each kind (1, 0 or NaN);
        texts are normalized, rows whose text is then empty or not legible are dropped, and so
        are repetitions within a source. A file without splits is split by a hash of the pair
        or the text: 80 % train, 10 % validation, 10 % test.

    Raises
    ------
    DataError
        When there are no files, or a file is unreadable, lacks a column or has an invalid
        value.
    """
    frames = []
    for folder in folders:
        if not folder.is_dir():
            raise DataError(f"{folder} is not a folder: give one with labeled texts")
        files = sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES)
        if not files:
            raise DataError(f"{folder} has no .parquet, .csv or .jsonl file: add labeled texts")
        frames += [read_file(file) for file in files]
    rows = pd.concat(frames, ignore_index=True)
    rows = clean(read_labels.apply(rows) if own_reading else rows, marks=marks)
    is_repeated = rows.assign(key=rows["text"].map(text_key)).duplicated(["source", "key"])
    return rows[~is_repeated].reset_index(drop=True)


def clean(rows: pd.DataFrame, *, marks: bool = False) -> pd.DataFrame:
    """Return rows with normalized texts, without those that are then empty or not legible."""
    readings = [read_text(text, marks=marks) for text in rows["text"]]
    rows = rows.assign(text=[reading.text for reading in readings])
    return rows[[bool(reading.text) and reading.legible for reading in readings]]


def read_file(path: Path) -> pd.DataFrame:
    """Return the rows of one file as they are; see `read`."""
    try:
        if path.suffix == ".parquet":
            raw = pd.read_parquet(path)
        elif path.suffix == ".csv":
            raw = pd.read_csv(path)
        else:
            raw = pd.read_json(path, lines=True)
    except (OSError, ValueError) as error:
        raise DataError(f"cannot read {path}: {_one_line(error)}") from error
    missing = {"text", "label"} - set(raw.columns)
    if missing:
        raise DataError(f"{path} has no column {' and '.join(sorted(missing))}: add it")
    if raw["text"].isna().any() or not raw["label"].isin((0, 1)).all():
        raise DataError(f"{path} has invalid rows: each needs a text and a label of 0 or 1")
    text = raw["text"].astype(str)
    has_strict = "strict_label" in raw
    is_written = WRITTEN_IN_OTHER_LANGUAGES in path.parents
    source = WRITTEN_SOURCE if path.parent == WRITTEN else path.stem
    if is_written:
        source = f"{path.parent.name}_written"
    key = raw["pair"].astype(str) if "pair" in raw else text.map(text_key)
    rows = pd.DataFrame(
        {
            "text": text,
            "label": raw["label"].astype(int),
            "strict": raw["strict_label" if has_strict else "label"].astype("Int8"),
            "source": raw["source"].astype(str) if "source" in raw else source,
            "split": raw["split"].astype(str) if "split" in raw else key.map(_hash_split),
            "votes": _votes(raw, path),
            "lang": raw["lang"].astype(str)
            if "lang" in raw
            else path.parent.name
            if is_written
            else "en",
            "read": False,
            "file": path.stem if is_written or path.parent == WRITTEN else "",
        }
    )
    rows["stated"] = (
        rows["strict"]
        .astype("string")
        .fillna(WEAK)
        .where(rows["strict"].notna() | (rows["label"] == 1), "0")
    )
    rows[list(kinds.COLUMNS)] = _kinds(raw, rows)
    unknown = set(rows["split"]) - set(SPLITS)
    if unknown:
        raise DataError(f"{path} has the split {unknown.pop()!r}: use one of {', '.join(SPLITS)}")
    return rows


def _votes(raw: pd.DataFrame, path: Path) -> pd.Series[float]:
    if "weight" not in raw:
        return pd.Series(1.0, raw.index)
    votes = pd.to_numeric(raw["weight"], errors="coerce")
    if not (votes > 0).all():
        raise DataError(f"{path} has invalid rows: a weight is a number above 0")
    return votes.astype(float)


def _kinds(raw: pd.DataFrame, rows: pd.DataFrame) -> list[list[float]]:
    """Return the kinds that each row states, in the order of `kinds.KINDS`."""
    toxic = rows["strict"].fillna(rows["label"]).astype(bool)
    stated = raw["kinds"] if "kinds" in raw else pd.Series(None, raw.index, dtype=object)
    known = [
        kinds.complete(names.split(",") if isinstance(names, str) else names)
        if isinstance(names, str | list | np.ndarray)
        else kinds.UNKNOWN
        for names in stated
    ]
    return [list((k if t else kinds.NO_KIND).values()) for k, t in zip(known, toxic, strict=True)]


def _hash_split(key: str) -> str:
    position = random.Random(key).random()
    return "train" if position < 0.8 else "validation" if position < 0.9 else "test"


def written(rows: pd.DataFrame) -> NDArray[np.bool_]:
    """Return which rows were written for this project."""
    return np.asarray(rows["source"].str.endswith("_written"), dtype=bool)


def own_labels(rows: pd.DataFrame) -> NDArray[np.bool_]:
    """Return which rows were `read_or_written`, or all if fewer than ten of either label were.

    A handful would tell nothing: somebody's own data has a few texts in common with what was read.
    """
    ours = read_or_written(rows)
    strict = rows.loc[ours, "strict"]
    if min((strict == label).sum() for label in (0, 1)) < _MIN_ROWS_PER_LABEL:
        return np.ones(len(rows), dtype=bool)
    return ours


def read_or_written(rows: pd.DataFrame) -> NDArray[np.bool_]:
    """Return which rows have a label of this project's own: read, or written for it."""
    return np.asarray(written(rows) | (rows["read"].to_numpy(bool) if "read" in rows else False))


def text_key(text: str) -> str:
    """Return a key that is equal for texts that differ only in case and spacing."""
    return " ".join(text.lower().split())


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]
