"""Fit the maps from this project's scores to Perspective's scale, and say how well they do.

``python -m benchmarks perspective-scale`` writes `toxic_bot.service.perspective.scale.STORED` and
the tables in docs/perspective.md. The rows are those of "Call me sexist, but..." (Samory et al.
2021), which publishes Perspective's TOXICITY for each; only scores are stored, no row.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.marked_page import replace_between, table
from tests.model import suite
from toxic_bot.judge.classifier import Classifier, load
from toxic_bot.judge.config import EMBEDDED_MODEL, MULTILINGUAL_FOLDER
from toxic_bot.judge.errors import ToxicBotError
from toxic_bot.service.perspective.attributes import ATTRIBUTES
from toxic_bot.service.perspective.scale import RAW, STORED, Scale, fingerprint

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

SOURCE = "cmsb_sexism"
CITATION = "Samory et al. 2021, 'Call me sexist, but...', doi:10.7802/2251"
LABELED = "jigsaw_wiki_slices"
LABELS = {
    "TOXICITY": "toxic",
    "SEVERE_TOXICITY": "severe_toxic",
    "INSULT": "insult",
    "PROFANITY": "obscene",
    "THREAT": "threat",
    "IDENTITY_ATTACK": "identity_hate",
}
"""The label that people gave for each attribute."""
LIMITS = (0.5, 0.6, 0.7, 0.8, 0.9)
LEVELS = (
    0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85,
    0.9, 0.93, 0.95, 0.97,
)  # fmt: skip
"""Perspective's scores at which the map has knots."""
BEGIN = "<!-- From here on, written by 'python -m benchmarks perspective-scale'. -->"
END = "<!-- Up to here. -->"
Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Scored:
    """Rows with both scores.

    Parameters
    ----------
    here, there
        This project's scores and Perspective's.
    """

    here: Scores
    there: Scores


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "perspective-scale",
        help="fit the maps from scores to Perspective's scale",
        description="Fit, for the embedded models, the maps from their scores to Perspective's "
        "scale on published scores, store them in the package, and write how well they do into "
        "docs/perspective.md. Run it after a model has changed.",
    )
    parser.add_argument(
        "--data",
        type=Path,
        required=True,
        metavar="FOLDER",
        help=f"with {SOURCE}.parquet, whose raw_label has Perspective's scores as persp=0.12",
    )
    parser.add_argument("--model", type=Path, default=EMBEDDED_MODEL, help="model folder")
    parser.add_argument(
        "--output", type=Path, default=STORED, metavar="FILE", help="for the maps (%(default)s)"
    )
    parser.add_argument(
        "--page", type=Path, default=Path("docs/perspective.md"), metavar="FILE", help="for tables"
    )


def run(options: argparse.Namespace) -> int:
    """Fit, store and describe the maps."""
    folders = {"english": options.model}
    if (options.model / MULTILINGUAL_FOLDER).is_dir():
        folders["multilingual"] = options.model / MULTILINGUAL_FOLDER
    fitted, tables = {}, []
    for name, folder in folders.items():
        model = load(folder)
        scale, tested = measure(model, options.data)
        fitted[name] = {"model": fingerprint(model.config), "knots": scale.knots}
        tables.append(
            f"The {name} model, on {len(tested.here):,} of these texts that its map was not "
            "fitted to:"
        )
        tables += [agreement_table(tested, scale)]
        tables += [limits_table(model, scale, name)]
        labeled = options.data / f"{LABELED}.parquet"
        if name == "english" and labeled.exists():
            tables += [attributes_table(model, scale, labeled)]
    content = {"source": CITATION, "date": _today(), "scales": fitted}
    options.output.write_text(json.dumps(content, indent=1) + "\n", "ascii")
    text = "\n\n".join([f"Fitted on {_today()}.", *tables]) + "\n"
    print(text)
    replace_between(options.page, BEGIN, END, text)
    return 0


def measure(model: Classifier, data: Path) -> tuple[Scale, Scored]:
    """Fit a map on the training and validation rows; return it with the test rows.

    Raises
    ------
    ToxicBotError
        When the rows are missing.
    """
    rows = _rows(data / f"{SOURCE}.parquet")
    verdicts = model.batch(text for text, _, _ in rows)
    here = np.array([verdict.score for verdict in verdicts])
    there = np.array([score for _, score, _ in rows])
    tested = np.array([split == "test" for _, _, split in rows])
    scale = fit(Scored(here[~tested], there[~tested]))
    return scale, Scored(here[tested], there[tested])


def fit(scored: Scored) -> Scale:
    """Return the map under which each of `LEVELS` is exceeded by as many rows as it was there."""
    knots = [(0.0, 0.0)]
    for level in LEVELS:
        share = float((scored.there < level).mean())
        here = round(float(np.quantile(scored.here, share)), 4)
        if knots[-1][0] < here < 1 and 0 < share < 1:
            knots.append((here, level))
    return Scale((*knots, (1.0, 1.0)))


def agreement_table(scored: Scored, scale: Scale) -> str:
    """Return how the scores agree with Perspective's, as they are and mapped."""
    mapped = np.array([scale(score) for score in scored.here])
    lines = []
    for limit in LIMITS:
        there = scored.there >= limit
        cells = [f"{there.mean():.1%}"]
        for here in (scored.here >= limit, mapped >= limit):
            cells += [f"{here.mean():.1%}", f"{(here == there).mean():.1%}"]
        lines.append([f"{limit}", *cells])
    head = ["limit", "Perspective flags", "raw scores flag", "and agree", "mapped scores flag"]
    rank = spearman(scored.here, scored.there)
    return table([*head, "and agree"], lines) + f"\n\nSpearman's rank correlation: {rank:.2f}."


def limits_table(model: Classifier, scale: Scale, name: str) -> str:
    """Return what each limit catches of the suites, with raw and with mapped scores."""
    if name == "english":
        samples = [*suite.workplace(), *suite.toxic(), *suite.benign(), *suite.banter()]
    else:
        samples = [
            s for language in ("de", "es", "fr", "it", "pt") for s in suite.multilingual(language)
        ]
    raw = np.array([verdict.score for verdict in model.batch(one.text for one in samples)])
    toxic = np.array([one.toxic for one in samples])
    mapped = np.array([scale(score) for score in raw])
    lines = []
    for limit in LIMITS:
        cells = []
        for scores in (raw, mapped):
            flagged = scores >= limit
            cells += [f"{flagged[toxic].mean():.1%}", f"{flagged[~toxic].mean():.1%}"]
        lines.append([f"{limit}", *cells])
    head = ["limit", "raw: found", "raw: false alarms", "mapped: found", "mapped: false alarms"]
    counted = f"On our suites ({toxic.sum():,} toxic messages, {(~toxic).sum():,} others):"
    return f"{counted}\n\n{table(head, lines)}"


def attributes_table(model: Classifier, scale: Scale, path: Path) -> str:
    """Return what each attribute finds of the comments to which people gave its label."""
    rows = [row for row in _read(path) if row["split"] == "test"]
    verdicts = model.batch(row["text"] for row in rows)
    labels = [set(row["raw_label"].split("+")) for row in rows]
    lines = []
    for name, label in LABELS.items():
        given = np.array([label in one for one in labels])
        cells = []
        for each in (RAW, scale):
            flagged = np.array(
                [ATTRIBUTES[name](v, model.kinds_of(v), each) >= 0.5 for v in verdicts]
            )
            cells += [f"{flagged.mean():.1%}", _share(flagged[given]), _share(given[flagged])]
        lines.append([f"`{name}`", f"{given.mean():.1%}", *cells])
    head = ["from 0.5", "labeled so", "raw: flagged", "found", "right"]
    text = table([*head, "mapped: flagged", "found", "right"], lines)
    title = f"Attributes, on {len(rows):,} Wikipedia comments labeled by people (Jigsaw 2017):"
    return f"{title}\n\n{text}"


def _share(rows: NDArray[np.bool_]) -> str:
    return f"{rows.mean():.0%}" if len(rows) else "–"


def spearman(first: Scores, second: Scores) -> float:
    """Return the correlation of ranks; equal values share the mean of theirs."""
    return float(np.corrcoef(_ranks(first), _ranks(second))[0, 1])


def _ranks(values: Scores) -> Scores:
    _, number, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks: Scores = (ends - (counts - 1) / 2)[number]
    return ranks


def _rows(path: Path) -> list[tuple[str, float, str]]:
    if not path.exists():
        raise ToxicBotError(f"{path} is missing: give a folder that has it with --data")
    found = []
    for row in _read(path):
        fields = dict(part.split("=", 1) for part in row["raw_label"].split("|") if "=" in part)
        found.append((row["text"], float(fields["persp"]), row["split"]))
    return found


def _read(path: Path) -> list[dict[str, Any]]:
    from pyarrow import parquet

    rows: list[dict[str, Any]] = parquet.read_table(path).to_pylist()
    return rows


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
