"""Emphasis: the messages of some written files more often, and a sample of all other rows.

A model that has learned from all rows is trained further on what it lacks; the sample is there so
that it does not unlearn the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd

from model_build.rows.reading import DataError


def parse(texts: Iterable[str]) -> dict[str, int]:
    """Return how often the messages of each file count, from ``NAME=TIMES`` strings.

    Raises
    ------
    DataError
        When one is not of this form.
    """
    times = {}
    for text in texts:
        name, _, number = text.partition("=")
        if not name or not number.isdecimal() or int(number) < 1:
            raise DataError(f"{text!r} is no emphasis: use NAME=TIMES, as in objections=3")
        times[name] = int(number)
    return times


def emphasize(
    rows: pd.DataFrame, texts: Mapping[str, int], others: int | None, seed: int
) -> pd.DataFrame:
    """Return each emphasized row as often as it counts, and a sample of the others.

    Parameters
    ----------
    rows
        Training rows with the columns text and lang; repetitions are dropped.
    texts
        How often each emphasized text counts.
    others
        Maximum rows of the sample, of which English and all other languages get half each; None
        for all.
    seed
        Random seed of the sample.
    """
    unique = rows.drop_duplicates("text")
    times = unique["text"].map(texts)
    chosen = unique[times.notna()]
    chosen = chosen.loc[chosen.index.repeat(times[times.notna()].astype(int))]
    rest = unique[times.isna()]
    if others is not None and len(rest):
        parts = [part for _, part in rest.groupby(rest["lang"] == "en")]
        each = others // len(parts)
        rest = pd.concat(part.sample(min(len(part), each), random_state=seed) for part in parts)
    return pd.concat([chosen, rest], ignore_index=True)


def texts_of(rows: pd.DataFrame, times: Mapping[str, int]) -> dict[str, int]:
    """Return how often each text counts, for those of the files that are emphasized.

    Parameters
    ----------
    rows
        Rows with the columns text and file.
    times
        How often the messages of each file count.

    Raises
    ------
    DataError
        When there is no such file.
    """
    unknown = set(times) - set(rows["file"])
    if unknown:
        raise DataError(
            f"no file of written messages is named {min(unknown)}.jsonl: "
            "see model_build/rows/written and model_build/rows/multilingual"
        )
    chosen = rows[rows["file"].isin(times)]
    return dict(zip(chosen["text"], chosen["file"].map(times), strict=True))
