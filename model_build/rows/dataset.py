"""The data step: training, validation and test rows from many sources."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from judge.normalization import normalize
from model_build.rows.augmentation import indicative_words, obfuscate
from model_build.rows.chunks import later_chunks
from model_build.rows.mixture import SourceShare, source_share
from model_build.rows.reading import SPLITS, DataError, locate, read, text_key
from model_build.rows.sentences import TEMPLATES, sentences
from model_build.terminal import show
from model_build.work import Work, as_record

TEMPLATE = "template"
COLUMNS = ["text", "target", "weight", "label", "strict", "source"]


@dataclass(frozen=True, slots=True)
class Settings:
    """Which rows go into the splits.

    Parameters
    ----------
    sources
        Folders of Parquet, CSV or JSONL files, or ``hub:owner/name`` data sets.
    seed
        Random seed of sampling, obfuscation and order.
    obfuscated_fraction
        Number of obfuscated copies to add, as a fraction of the training rows.
    templates
        Whether to add the project's template sentences.
    max_rows
        Maximum rows per source and label, in addition to the limits of the source; None for
        no such maximum.
    only
        Names of the sources to use; empty for all.
    own_labels
        Whether to use the labels of each source instead of the strict labels.
    """

    sources: tuple[str, ...]
    seed: int = 20261121
    obfuscated_fraction: float = field(default=0.18, metadata={"key": "disguises"})
    templates: bool = True
    max_rows: int | None = field(default=None, metadata={"key": "most"})
    only: tuple[str, ...] = ()
    own_labels: bool = False


def run(work: Work, settings: Settings, *, force: bool = False) -> Path:
    """Run the step: write ``train``, ``validation`` and ``test.parquet``."""
    folders = [locate(source, work) for source in settings.sources]
    # The rows depend on this code too: after a change, the step runs again.
    code = [
        Path(__file__).with_name(name) for name in ("mixture.py", "augmentation.py", "chunks.py")
    ]
    return work.run(
        "data",
        as_record(settings) | {"sources": [Path(source).name for source in settings.sources]},
        [*folders, TEMPLATES, *code],
        lambda folder: _write(folder, _select(read(folders), settings), settings),
        force=force,
    )


def _select(rows: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    unknown = set(settings.only) - set(rows["source"])
    if unknown:
        known = ", ".join(sorted(set(rows["source"])))
        raise DataError(f"no source is named {unknown.pop()}: use one of {known}")
    if settings.only:
        rows = rows[rows["source"].isin(settings.only)]
    return rows.assign(strict=rows["label"].astype("Int8")) if settings.own_labels else rows


def training_rows(rows: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """Sample, weight and augment the training rows.

    Parameters
    ----------
    rows
        Rows as `read` returns them.
    settings
        Settings of the step.

    Returns
    -------
    pandas.DataFrame
        Columns text, target (0..1), weight, label, strict, source. Texts of the test and
        validation splits are left out, and so are texts with contradictory targets.
    """
    held_out = set(rows.loc[rows["split"] != "train", "text"].map(text_key))
    train = rows[rows["split"] == "train"]
    train = train[~train["text"].map(text_key).isin(held_out)]
    parts = [
        _sample_source(group, source_share(str(source)), settings)
        for source, group in train.groupby("source", sort=True)
    ]
    if settings.templates:
        generated = [
            s for s in sentences(settings.seed) if text_key(normalize(s.text)) not in held_out
        ]
        parts.append(
            pd.DataFrame(
                {
                    "text": [normalize(s.text) for s in generated],
                    "target": [float(s.toxic) for s in generated],
                    "weight": 1.0,
                    "label": [int(s.toxic) for s in generated],
                    "strict": pd.array([int(s.toxic) for s in generated], dtype="Int8"),
                    "source": TEMPLATE,
                }
            )
        )
    chosen = pd.concat(parts, ignore_index=True)
    key = chosen["text"].map(text_key)
    spread = chosen.groupby(key)["target"].transform(lambda t: t.max() - t.min())
    chosen = chosen[spread < 0.5]
    copies = _obfuscated_copies(chosen, settings)
    return pd.concat([chosen, copies], ignore_index=True)[COLUMNS]


def _sample_source(group: pd.DataFrame, share: SourceShare, settings: Settings) -> pd.DataFrame:
    def sample(rows: pd.DataFrame, max_rows: int) -> pd.DataFrame:
        max_rows = max_rows if settings.max_rows is None else min(max_rows, settings.max_rows)
        return rows.sample(min(max_rows, len(rows)), random_state=settings.seed)

    strict = pd.concat(
        [
            sample(group[group["strict"] == 0], share.max_negatives),
            sample(group[group["strict"] == 1], share.max_positives),
        ]
    )
    target = strict["strict"].astype(float)
    weight = target * share.toxic_weight + (1 - target) * share.benign_weight
    strict = strict.assign(target=target, weight=weight)
    benign = strict[strict["target"] == 0]
    later = benign.assign(text=[[*later_chunks(text)] for text in benign["text"]])
    later = later.explode("text").dropna(subset="text")
    weak = sample(group[group["strict"].isna() & (group["label"] == 1)], share.max_weak)
    weak = weak.assign(target=share.weak_target, weight=share.weak_weight)
    return pd.concat([strict] * share.repeats + [later, weak])[COLUMNS]


def _obfuscated_copies(chosen: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    random_ = random.Random(settings.seed)
    rows = list(zip(chosen["text"], chosen["target"] > 0.5, strict=True))
    words = indicative_words(rows)
    order = random_.sample(range(len(rows)), len(rows))
    max_copies = int(len(rows) * settings.obfuscated_fraction)
    texts: list[str] = []
    positions: list[int] = []
    for position in order:
        if len(texts) >= max_copies:
            break
        text, toxic = rows[position]
        # In half of the rows that are not toxic any word is obfuscated, in the other half
        # an indicative one.
        copy = obfuscate(text, words if toxic or random_.random() < 0.5 else None, random_)
        if copy is not None:
            texts.append(normalize(copy))
            positions.append(position)
    copies = chosen.iloc[positions].reset_index(drop=True)
    return copies.assign(text=texts)


def _write(folder: Path, rows: pd.DataFrame, settings: Settings) -> Mapping[str, Any]:
    train = training_rows(rows, settings)
    if train["target"].gt(0.5).nunique() < 2:
        raise DataError("all training rows have the same label: add rows with the other one")
    train = train.sample(frac=1, random_state=settings.seed)
    train.to_parquet(folder / "train.parquet", index=False)
    counts: dict[str, Any] = {}
    for split in SPLITS[1:]:
        held_out = rows[rows["split"] == split]
        held_out = held_out.assign(target=lambda r: r["label"] * 1.0, weight=1.0)
        held_out[COLUMNS].to_parquet(folder / f"{split}.parquet", index=False)
        counts[split] = len(held_out)
    for source, group in train.groupby("source"):
        toxic = int(group["target"].gt(0.5).sum())
        counts[str(source)] = {"not toxic": len(group) - toxic, "toxic": toxic}
    show(
        "training rows",
        ["source", "not toxic", "toxic"],
        [
            [name, str(count["not toxic"]), str(count["toxic"])]
            for name, count in counts.items()
            if isinstance(count, dict)
        ],
    )
    return counts
