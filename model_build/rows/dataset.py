"""The data step: one training, one validation and one test set from many sources."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from judge.normalization import normalize
from model_build.rows.augmentation import disguised, telling_words
from model_build.rows.chunks import later_pieces
from model_build.rows.mixture import Share, share
from model_build.rows.reading import SPLITS, DataError, locate, read, text_key
from model_build.rows.sentences import TEMPLATES, sentences
from model_build.terminal import show
from model_build.work import Work

TEMPLATE = "template"
COLUMNS = ["text", "target", "weight", "label", "strict", "source"]


@dataclass(frozen=True, slots=True)
class Settings:
    """What goes into the sets.

    Parameters
    ----------
    sources
        Folders of parquet, CSV or JSONL files, or ``hub:owner/name`` data sets.
    seed
        Decides which rows are taken where a source has more than its share.
    disguises
        Share of the training rows of which a disguised copy is added.
    templates
        Whether sentences of the project's own templates are added.
    most
        Most rows of any source and label, whatever its share says; None for no limit.
    only
        Names of the sources to take; none for all.
    own_labels
        Whether each source's own notion of toxic decides, not the strict one.
    """

    sources: tuple[str, ...]
    seed: int = 20261121
    disguises: float = 0.18
    templates: bool = True
    most: int | None = None
    only: tuple[str, ...] = ()
    own_labels: bool = False


def run(work: Work, settings: Settings, *, force: bool = False) -> Path:
    """Do the step: write ``train``, ``validation`` and ``test.parquet``."""
    folders = [locate(source, work) for source in settings.sources]
    rules = Path(__file__).parent
    return work.run(
        "data",
        asdict(settings) | {"sources": [Path(source).name for source in settings.sources]},
        [*folders, TEMPLATES, rules / "mixture.py", rules / "disguise.py", rules / "piece.py"],
        lambda folder: _write(folder, _asked(read(folders), settings), settings),
        force=force,
    )


def _asked(rows: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    unknown = set(settings.only) - set(rows["source"])
    if unknown:
        known = ", ".join(sorted(set(rows["source"])))
        raise DataError(f"no source is called {unknown.pop()}: there are {known}")
    if settings.only:
        rows = rows[rows["source"].isin(settings.only)]
    return rows.assign(strict=rows["label"].astype("Int8")) if settings.own_labels else rows


def training_rows(rows: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """Choose, weigh and balance the rows to train on.

    Parameters
    ----------
    rows
        As `read` returns them.
    settings
        What goes in.

    Returns
    -------
    pandas.DataFrame
        Columns text, target (0..1), weight, label, strict, source; no text of a test or
        validation split among them, nor any text that stands there with two labels.
    """
    held = set(rows.loc[rows["split"] != "train", "text"].map(text_key))
    train = rows[rows["split"] == "train"]
    train = train[~train["text"].map(text_key).isin(held)]
    parts = [
        _taken(group, share(str(source)), settings)
        for source, group in train.groupby("source", sort=True)
    ]
    if settings.templates:
        made = [s for s in sentences(settings.seed) if text_key(normalize(s.text)) not in held]
        parts.append(
            pd.DataFrame(
                {
                    "text": [normalize(s.text) for s in made],
                    "target": [float(s.toxic) for s in made],
                    "weight": 1.0,
                    "label": [int(s.toxic) for s in made],
                    "strict": pd.array([int(s.toxic) for s in made], dtype="Int8"),
                    "source": TEMPLATE,
                }
            )
        )
    chosen = pd.concat(parts, ignore_index=True)
    key = chosen["text"].map(text_key)
    spread = chosen.groupby(key)["target"].transform(lambda t: t.max() - t.min())
    chosen = chosen[spread < 0.5]
    added = _disguises(chosen, settings)
    return pd.concat([chosen, added], ignore_index=True)[COLUMNS]


def _taken(group: pd.DataFrame, rule: Share, settings: Settings) -> pd.DataFrame:
    def some(rows: pd.DataFrame, most: int) -> pd.DataFrame:
        most = most if settings.most is None else min(most, settings.most)
        return rows.sample(min(most, len(rows)), random_state=settings.seed)

    strict = pd.concat(
        [
            some(group[group["strict"] == 0], rule.negatives),
            some(group[group["strict"] == 1], rule.positives),
        ]
    )
    target = strict["strict"].astype(float)
    weight = target * rule.toxic_weight + (1 - target) * rule.benign_weight
    strict = strict.assign(target=target, weight=weight)
    benign = strict[strict["target"] == 0]
    later = benign.assign(text=[[*later_pieces(text)] for text in benign["text"]])
    later = later.explode("text").dropna(subset="text")
    loose = some(group[group["strict"].isna() & (group["label"] == 1)], rule.loose)
    loose = loose.assign(target=rule.loose_target, weight=rule.loose_weight)
    return pd.concat([strict] * rule.repeats + [later, loose])[COLUMNS]


def _disguises(chosen: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    random_ = random.Random(settings.seed)
    rows = list(zip(chosen["text"], chosen["target"] > 0.5, strict=True))
    words = telling_words(rows)
    order = random_.sample(range(len(rows)), len(rows))
    wanted = int(len(rows) * settings.disguises)
    texts: list[str] = []
    places: list[int] = []
    for place in order:
        if len(texts) >= wanted:
            break
        text, toxic = rows[place]
        # Of the rows that are not toxic, half hide an ordinary word and half a swear word.
        hidden = disguised(text, words if toxic or random_.random() < 0.5 else None, random_)
        if hidden is not None:
            texts.append(normalize(hidden))
            places.append(place)
    copies = chosen.iloc[places].reset_index(drop=True)
    return copies.assign(text=texts)


def _write(folder: Path, rows: pd.DataFrame, settings: Settings) -> Mapping[str, Any]:
    train = training_rows(rows, settings)
    if train["target"].gt(0.5).nunique() < 2:
        raise DataError("the training rows need both labels: add rows that are and are not toxic")
    train = train.sample(frac=1, random_state=settings.seed)
    train.to_parquet(folder / "train.parquet", index=False)
    counts: dict[str, Any] = {}
    for split in SPLITS[1:]:
        held = rows[rows["split"] == split].assign(target=lambda r: r["label"] * 1.0, weight=1.0)
        held[COLUMNS].to_parquet(folder / f"{split}.parquet", index=False)
        counts[split] = len(held)
    for source, group in train.groupby("source"):
        toxic = int(group["target"].gt(0.5).sum())
        counts[str(source)] = {"not toxic": len(group) - toxic, "toxic": toxic}
    show(
        "rows to train on",
        ["source", "not toxic", "toxic"],
        [
            [name, str(count["not toxic"]), str(count["toxic"])]
            for name, count in counts.items()
            if isinstance(count, dict)
        ],
    )
    return counts
