"""The data step: training, validation and test rows from many sources."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from model_build.rows import kinds
from model_build.rows.augmentation import embed, indicative_words, obfuscate
from model_build.rows.ballots import (
    CONFLICTS,
    Ballots,
    compare_ballots,
    read_ballots,
    show_ballots,
)
from model_build.rows.chunks import later_chunks
from model_build.rows.emphasis import emphasize, texts_of
from model_build.rows.mixture import (
    NOT_TRAINED_ON,
    WORKPLACE_SOURCES,
    SourceShare,
    source_share,
    unread_targets,
    worth,
)
from model_build.rows.reading import (
    SPLITS,
    WRITTEN,
    WRITTEN_IN_OTHER_LANGUAGES,
    WRITTEN_SOURCE,
    DataError,
    locate,
    read,
    text_key,
)
from model_build.rows.sentences import TEMPLATES, sentences
from model_build.terminal import show
from model_build.work import KINDS_ROWS, Work, as_record
from toxic_bot.judge.normalization import normalize

TEMPLATE = "template"
UNLABELED = "unlabeled.parquet"
"""Rows whose labels count for nothing, for teachers to label."""
WORDS = "words.parquet"
"""The words of the rows, by which a multilingual vocabulary is cut."""
_MAX_REPEATS = 20
_INDICATIVE = {True: 0.7, False: 0.5}
"""Share of the toxic rows, and of the others, in which an indicative word is obfuscated."""
EMBEDDED = "embedded"
COLUMNS = ["text", "target", "weight", "label", "strict", "source", "lang", "read", *kinds.COLUMNS]
_MAX_EMBEDDED_WORDS = 40
_MIN_SURROUNDING_WORDS = 25


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
        How many of the project's template sentences to add; None for all.
    written
        Whether to add the messages written for this project (`model_build.rows.written`).
    embedded
        Number of long texts to make, each of a benign text and a short message within it, which
        decides its label.
    max_rows
        Maximum rows per source and label, in addition to the limits of the source; None for
        no such maximum.
    unlabeled
        How many of the rows that are not trained on are written to ``unlabeled.parquet``, for
        teachers to label; half of them in other languages than English if there are as many.
    only
        Names of the sources to use; empty for all.
    own_reading
        Whether labels made by reading replace those of the sources.
    multilingual
        Whether the rows are for a model of several languages: the messages written in other
        languages than English are added, and marks on letters are kept.
    own_labels
        Whether to use the labels of each source instead of the strict labels.
    feedback
        Files of votes on verdicts, as ``toxic-bot feedback export`` writes them.
    emphasis
        How often the training rows of some files of written messages count, by their names; all
        others then count once (`model_build.rows.emphasis`). Empty for no emphasis.
    others
        With emphasis: maximum number of these others; None for all.
    """

    sources: tuple[str, ...]
    seed: int = 20261121
    obfuscated_fraction: float = field(default=0.18, metadata={"key": "disguises"})
    templates: int | None = None
    written: bool = True
    embedded: int = 0
    max_rows: int | None = field(default=None, metadata={"key": "most"})
    unlabeled: int = 0
    only: tuple[str, ...] = ()
    own_reading: bool = True
    multilingual: bool = False
    own_labels: bool = False
    feedback: tuple[str, ...] = ()
    emphasis: Mapping[str, int] = field(default_factory=dict)
    others: int | None = None


def run(work: Work, settings: Settings, *, force: bool = False) -> Path:
    """Run the step: write ``train``, ``validation`` and ``test.parquet``."""
    # What the project wrote comes first: a copy in somebody's folder does not know the kinds.
    folders = [WRITTEN] if settings.written else []
    if settings.written and settings.multilingual:
        folders.append(WRITTEN_IN_OTHER_LANGUAGES)
    folders += [locate(source, work) for source in settings.sources]
    files = [Path(file) for file in settings.feedback]

    def action(folder: Path) -> Mapping[str, Any]:
        rows = read(folders, own_reading=settings.own_reading, marks=settings.multilingual)
        rows = _select(rows, settings)
        if files:
            ballots = compare_ballots(read_ballots(files), rows)
            _write_conflicts(folder, ballots)
            rows = pd.concat([rows, ballots.rows], ignore_index=True)
        if settings.multilingual:
            _write_words(folder / WORDS, rows)
        return _write(folder, rows, settings)

    # The rows depend on this code too: after a change, the step runs again.
    code = [
        Path(__file__).with_name(name)
        for name in (
            "mixture.py",
            "augmentation.py",
            "ballots.py",
            "chunks.py",
            "emphasis.py",
            "kinds.py",
            "read_labels.py",
            "read_labels.csv",
        )
    ]
    return work.run(
        "data",
        as_record(settings)
        | {
            "sources": [Path(source).name for source in settings.sources],
            "feedback": [file.name for file in files],
        },
        [*folders, *files, TEMPLATES, *code],
        action,
        force=force,
    )


def _write_words(file: Path, rows: pd.DataFrame) -> None:
    """Write each word of the rows that are not held out, as often as it occurs up to a bound."""
    texts = rows.loc[rows["split"] == "train", "text"]
    counts = Counter(word for text in texts for word in text.split())
    common = [word for word, count in counts.items() for _ in range(min(count, _MAX_REPEATS))]
    pd.DataFrame({"word": common}).to_parquet(file, index=False)


def _write_conflicts(folder: Path, ballots: Ballots) -> None:
    show_ballots(ballots)
    # Of no rows, pandas makes an empty line.
    lines = ballots.conflicts.to_json(orient="records", lines=True).lstrip()
    (folder / CONFLICTS).write_text(lines, "utf-8")


def _select(rows: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    unknown = set(settings.only) - set(rows["source"])
    if unknown:
        known = ", ".join(sorted(set(rows["source"])))
        raise DataError(f"no source is named {unknown.pop()}: use one of {known}")
    if settings.only:
        rows = rows[rows["source"].isin(settings.only)]
    if not settings.own_labels:
        return rows
    labels = rows["label"].astype("Int8")
    return rows.assign(strict=labels, stated=labels.astype("string"), read=False)


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
    train = rows[(rows["split"] == "train") & ~rows["source"].isin(NOT_TRAINED_ON)]
    train = train[~train["text"].map(text_key).isin(held_out)]
    targets = train["strict"].astype(float).where(train["read"])
    train = train.assign(target=targets.fillna(unread_targets(train, worth(rows))))
    parts = [
        _sample_source(
            group, source_share(str(source), multilingual=settings.multilingual), settings
        )
        for source, group in train.groupby("source", sort=True)
    ]
    templates = _template_rows(held_out, settings)
    if len(templates):
        parts.append(templates)
    chosen = pd.concat(parts, ignore_index=True)
    key = chosen["text"].map(text_key)
    spread = chosen.groupby(key)["target"].transform(lambda t: t.max() - t.min())
    chosen = chosen[spread < 0.5]
    copies = _obfuscated_copies(chosen, settings)
    long = _embedded_rows(chosen, settings)
    return pd.concat([chosen, copies, long], ignore_index=True)[COLUMNS]


def _unlabeled_rows(rows: pd.DataFrame, chosen: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """Return texts of the training split that are neither chosen nor held out, with no weight."""
    rest = rows[(rows["split"] == "train") & ~rows["source"].isin(NOT_TRAINED_ON)]
    rest = rest.assign(key=rest["text"].map(text_key)).drop_duplicates("key")
    held_out = rows.loc[rows["split"] != "train", "text"]
    rest = rest[~rest["key"].isin({*held_out.map(text_key), *chosen["text"].map(text_key)})]
    others = rest[rest["lang"] != "en"]
    others = others.sample(min(len(others), settings.unlabeled // 2), random_state=settings.seed)
    english = rest[rest["lang"] == "en"]
    most = min(len(english), settings.unlabeled - len(others))
    english = english.sample(most, random_state=settings.seed)
    sampled = pd.concat([english, others], ignore_index=True).assign(target=0.5, weight=0.0)
    sampled[list(kinds.COLUMNS)] = None
    return sampled[COLUMNS]


def _template_rows(held_out: set[str], settings: Settings) -> pd.DataFrame:
    generated = [s for s in sentences(settings.seed) if text_key(normalize(s.text)) not in held_out]
    if settings.templates is not None:
        count = min(settings.templates, len(generated))
        generated = random.Random(settings.seed).sample(generated, count)
    labels = [int(sentence.toxic) for sentence in generated]
    rows = pd.DataFrame(
        {
            "text": [normalize(sentence.text) for sentence in generated],
            "target": [float(label) for label in labels],
            "weight": 1.0,
            "label": labels,
            "strict": pd.array(labels, dtype="Int8"),
            "source": TEMPLATE,
            "lang": "en",
            "read": False,
        }
    )
    rows[list(kinds.COLUMNS)] = [list(s.kinds.values()) for s in generated] or None
    return rows


def _embedded_rows(chosen: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """Return long benign texts with one short message among their sentences."""
    words = chosen["text"].str.split().str.len()
    messages = chosen[(chosen["source"] == WRITTEN_SOURCE) & (words <= _MAX_EMBEDDED_WORDS)]
    messages = messages.drop_duplicates("text")
    is_workplace = chosen["source"].isin(WORKPLACE_SOURCES) & (chosen["target"] < 0.1)
    surroundings = list(chosen.loc[is_workplace & (words >= _MIN_SURROUNDING_WORDS), "text"])
    if messages.empty or not surroundings:
        return messages.iloc[:0]
    random_ = random.Random(settings.seed)
    inner = messages.sample(settings.embedded, replace=True, random_state=settings.seed)
    texts = [embed(text, random_.choice(surroundings), random_) for text in inner["text"]]
    return inner.assign(text=texts, source=EMBEDDED, weight=1.0)


def _sample_source(group: pd.DataFrame, share: SourceShare, settings: Settings) -> pd.DataFrame:
    most = len(group) if share.max_rows is None else share.max_rows
    if settings.max_rows is not None and share.max_rows is not None:
        most = min(most, settings.max_rows)
    told = group[group["target"].notna()]
    unread = told[~told["read"]]
    parts = [
        labeled.sample(min(most, len(labeled)), random_state=settings.seed)
        for _, labeled in unread.groupby("stated", sort=True)
    ]
    sampled = pd.concat([told[told["read"]], *parts])
    weight = sampled["votes"].where(sampled["read"], sampled["votes"] * share.weight)
    sampled = sampled.assign(weight=weight)
    benign = sampled[sampled["target"] < 0.5]
    later = benign.assign(text=[[*later_chunks(text)] for text in benign["text"]])
    later = later.explode("text").dropna(subset="text")
    return pd.concat([sampled] * share.repeats + [later])[COLUMNS]


def _obfuscated_copies(chosen: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    random_ = random.Random(settings.seed)
    labeled = chosen.assign(toxic=chosen["target"] > 0.5)[["text", "toxic", "lang"]]
    words = {
        str(lang): indicative_words(zip(group["text"], group["toxic"], strict=True))
        for lang, group in labeled.groupby("lang")
    }
    rows = list(labeled.itertuples(index=False, name=None))
    order = random_.sample(range(len(rows)), len(rows))
    max_copies = int(len(rows) * settings.obfuscated_fraction)
    texts: list[str] = []
    positions: list[int] = []
    for position in order:
        if len(texts) >= max_copies:
            break
        text, toxic, lang = rows[position]
        # In the other rows, any word is obfuscated: obfuscation alone shall mean nothing.
        indicative = random_.random() < _INDICATIVE[toxic]
        copy = obfuscate(text, words[lang] if indicative else None, random_)
        if copy is not None:
            texts.append(normalize(copy, marks=settings.multilingual))
            positions.append(position)
    copies = chosen.iloc[positions].reset_index(drop=True)
    return copies.assign(text=texts)


def _write(folder: Path, rows: pd.DataFrame, settings: Settings) -> Mapping[str, Any]:
    train = training_rows(rows, settings)
    if train["target"].gt(0.5).nunique() < 2:
        raise DataError("all training rows have the same label: add rows with the other one")
    (folder / KINDS_ROWS).unlink(missing_ok=True)
    (folder / UNLABELED).unlink(missing_ok=True)
    if settings.unlabeled:
        _unlabeled_rows(rows, train, settings).to_parquet(folder / UNLABELED, index=False)
    if settings.emphasis:
        # The outputs for the kinds start from nothing, so a selection would not do for them.
        train.to_parquet(folder / KINDS_ROWS, index=False)
        texts = texts_of(rows, settings.emphasis)
        train = emphasize(train, texts, settings.others, settings.seed)
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
